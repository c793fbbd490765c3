/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.scrub;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * How far a scrub has come; {@code docs/formats.md} ("State of a scrub") has the bytes. Times are
 * in milliseconds since 1970-01-01 UTC. Immutable.
 */
final class ScrubState {

  static final int VERSION = 1;
  static final int LENGTH = 60;

  /** Before the first container of a cycle. */
  static final long BEGIN = -1;

  private static final int MAGIC = 0x43534889;

  private final boolean underWay;
  private final long position;
  private final long began;
  private final long ended;
  private final long containers;
  private final long bytes;

  private ScrubState(
      boolean underWay, long position, long began, long ended, long containers, long bytes) {
    this.underWay = underWay;
    this.position = position;
    this.began = began;
    this.ended = ended;
    this.containers = containers;
    this.bytes = bytes;
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
    byte[] raw = new byte[LENGTH];
    ByteBuffer out = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(MAGIC).put((byte) VERSION).put((byte) (underWay ? 1 : 0)).putShort((short) 0);
    out.putLong(volumeId);
    out.putLong(position).putLong(began).putLong(ended).putLong(containers).putLong(bytes);
    out.putInt(Crc32c.update(0, ByteBuffer.wrap(raw, 0, out.position())));
    return raw;
  }

  /**
   * @param file for messages
   * @throws CorruptFileException if the bytes are damaged, or another volume's
   */
  static ScrubState decode(Path file, byte[] raw, long volumeId)
      throws CorruptFileException, UnknownFormatVersionException {
    if (raw.length != LENGTH) {
      throw new CorruptFileException(file, "length", LENGTH, raw.length);
    }
    ByteBuffer in = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    int end = LENGTH - Integer.BYTES;
    if (in.getInt() != MAGIC || in.getInt(end) != Crc32c.update(0, ByteBuffer.wrap(raw, 0, end))) {
      throw new CorruptFileException(file, "magic and CRC32C", "right", "others");
    }
    int version = in.get() & 0xFF;
    if (version != VERSION) {
      throw new UnknownFormatVersionException(file, version, VERSION, VERSION);
    }
    final int underWay = in.get();
    in.getShort();
    if (in.getLong() != volumeId) {
      throw new CorruptFileException(file, "volume", "this one", "another");
    }
    ScrubState state =
        new ScrubState(
            underWay == 1, in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
    if ((underWay != 0 && underWay != 1)
        || state.position < BEGIN
        || state.containers < 0
        || state.bytes < 0) {
      throw new CorruptFileException(file, "position and counts", "possible ones", state.position);
    }
    return state;
  }
}
