/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.scrub;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Collection;

/**
 * How far a scrub has come; {@code docs/formats.md} ("State of a scrub") has the bytes. Times are
 * in milliseconds since 1970-01-01 UTC. Immutable.
 */
final class ScrubState {

  static final int VERSION = 2;
  static final int OLDEST_VERSION = 1;

  /** The length of version 1; version 2 adds a number and as many ids. */
  static final int LENGTH_1 = 60;

  /** So many damaged containers are remembered. */
  static final int MAX_UNTOLD = 256;

  private static final int FIXED = LENGTH_1 + Integer.BYTES;

  /** Before the first container of a cycle. */
  static final long BEGIN = -1;

  private static final int MAGIC = 0x43534889;

  private final boolean underWay;
  private final long position;
  private final long began;
  private final long ended;
  private final long containers;
  private final long bytes;
  private final long[] untold;

  private ScrubState(
      boolean underWay,
      long position,
      long began,
      long ended,
      long containers,
      long bytes,
      long... untold) {
    this.underWay = underWay;
    this.position = position;
    this.began = began;
    this.ended = ended;
    this.containers = containers;
    this.bytes = bytes;
    this.untold = untold;
  }

  /** The beginning of a cycle. */
  static ScrubState first(long now) {
    return new ScrubState(true, BEGIN, now, 0, 0, 0);
  }

  /** The beginning of the next cycle. */
  ScrubState next(long now) {
    return new ScrubState(true, BEGIN, now, ended, 0, 0);
  }

  /** The state after a container was read. */
  ScrubState after(long container, long bytesRead) {
    return new ScrubState(true, container, began, ended, containers + 1, bytes + bytesRead);
  }

  /** The state after the last container of a cycle. */
  ScrubState end(long now) {
    return new ScrubState(false, position, began, now, containers, bytes);
  }

  /**
   * The same state, with the damaged containers of which no collection has told yet.
   *
   * @param ids at most {@link #MAX_UNTOLD}
   */
  ScrubState withUntold(Collection<Long> ids) {
    return new ScrubState(
        underWay,
        position,
        began,
        ended,
        containers,
        bytes,
        ids.stream().mapToLong(id -> id).toArray());
  }

  /** Returns the ids of damaged containers of which no collection had told yet. */
  long[] untold() {
    return untold.clone();
  }

  /** Returns whether the cycle has not come to its end. */
  boolean isUnderWay() {
    return underWay;
  }

  /** Returns the id of the last container that was read in the cycle, or {@link #BEGIN}. */
  long position() {
    return position;
  }

  /** Returns when the cycle began. */
  long began() {
    return began;
  }

  /** Returns when a cycle ended last; 0 if none has. */
  long ended() {
    return ended;
  }

  /** Returns how many containers the cycle has read. */
  long containers() {
    return containers;
  }

  /** Returns how many bytes the cycle has read. */
  long bytes() {
    return bytes;
  }

  byte[] encode(long volumeId) {
    byte[] raw = new byte[FIXED + untold.length * Long.BYTES];
    ByteBuffer out = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(MAGIC).put((byte) VERSION).put((byte) (underWay ? 1 : 0)).putShort((short) 0);
    out.putLong(volumeId);
    out.putLong(position).putLong(began).putLong(ended).putLong(containers).putLong(bytes);
    out.putInt(untold.length);
    for (long id : untold) {
      out.putLong(id);
    }
    out.putInt(Crc32c.update(0, ByteBuffer.wrap(raw, 0, out.position())));
    return raw;
  }

  /**
   * @param file for messages
   * @throws CorruptFileException if the bytes are damaged, or another volume's
   */
  static ScrubState decode(Path file, byte[] raw, long volumeId)
      throws CorruptFileException, UnknownFormatVersionException {
    if (raw.length < LENGTH_1) {
      throw new CorruptFileException(file, "length", "at least " + LENGTH_1, raw.length);
    }
    ByteBuffer in = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    int end = raw.length - Integer.BYTES;
    if (in.getInt() != MAGIC || in.getInt(end) != Crc32c.update(0, ByteBuffer.wrap(raw, 0, end))) {
      throw new CorruptFileException(file, "magic and CRC32C", "right", "others");
    }
    int version = in.get() & 0xFF;
    if (version < OLDEST_VERSION || version > VERSION) {
      throw new UnknownFormatVersionException(file, version, OLDEST_VERSION, VERSION);
    }
    final int underWay = in.get();
    in.getShort();
    if (in.getLong() != volumeId) {
      throw new CorruptFileException(file, "volume", "this one", "another");
    }
    long position = in.getLong();
    long began = in.getLong();
    long ended = in.getLong();
    long containers = in.getLong();
    long bytes = in.getLong();
    int count = version == 1 ? 0 : raw.length < FIXED ? -1 : in.getInt();
    if (count < 0 || count > MAX_UNTOLD) {
      throw new CorruptFileException(file, "damaged containers", "up to " + MAX_UNTOLD, count);
    }
    int length = version == 1 ? LENGTH_1 : FIXED + count * Long.BYTES;
    if (raw.length != length) {
      throw new CorruptFileException(file, "length", length, raw.length);
    }
    long[] untold = new long[count];
    for (int i = 0; i < untold.length; i++) {
      untold[i] = in.getLong();
    }
    ScrubState state =
        new ScrubState(underWay == 1, position, began, ended, containers, bytes, untold);
    if ((underWay != 0 && underWay != 1)
        || state.position < BEGIN
        || state.containers < 0
        || state.bytes < 0) {
      throw new CorruptFileException(file, "position and counts", "possible ones", state.position);
    }
    return state;
  }
}
