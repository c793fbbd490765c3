/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.jni.Crc32c;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The abilities of a DataNode to receive: the answer to a probe; {@code docs/formats.md}
 * ("Capabilities") has its bytes. Unknown flags, and bytes behind them, which a later version may
 * add, are skipped. Immutable.
 */
public final class Capabilities {

  private static final int FIXED = 1 + 2;
  private static final int MAX_LENGTH = 0xFFFF;
  private static final int MAX_DIALECTS = 255;
  private static final int MAKES_CHECKSUMS = 2;

  private final int version;
  private final SortedSet<Integer> frameSchemes;
  private final SortedSet<Long> dialects;
  private final int flags;

  /**
   * @param version the highest version of {@link WireFormat} that is spoken, 0 to 255; 0 is a peer
   *     without HDRF
   * @param frameSchemes the ids of the schemes whose frames can be decoded
   */
  public Capabilities(int version, Collection<Integer> frameSchemes) {
    this(version, frameSchemes, Collections.emptySet());
  }

  /**
   * Makes capabilities with dialects.
   *
   * @param dialects in which chunks can be asked for; at most 255
   */
  public Capabilities(int version, Collection<Integer> frameSchemes, Collection<Long> dialects) {
    this(version, frameSchemes, dialects, 0);
  }

  private Capabilities(
      int version, Collection<Integer> frameSchemes, Collection<Long> dialects, int flags) {
    this.version = version;
    this.flags = flags;
    this.frameSchemes = Collections.unmodifiableSortedSet(new TreeSet<>(frameSchemes));
    this.dialects = Collections.unmodifiableSortedSet(new TreeSet<>(dialects));
    if (this.dialects.size() > MAX_DIALECTS) {
      throw new IllegalArgumentException(this.dialects.size() + " dialects");
    }
  }

  /** Returns those of a DataNode that speaks plain HDFS. */
  public static Capabilities none() {
    return new Capabilities(0, Collections.emptySet());
  }

  /**
   * Returns what this DataNode can make use of: of a stranger's answer, which may name 32,766
   * schemes, no more than that is remembered.
   */
  public Capabilities knownTo(Capabilities own) {
    SortedSet<Integer> schemes = new TreeSet<>(frameSchemes);
    schemes.retainAll(own.frameSchemes);
    SortedSet<Long> spoken = new TreeSet<>(dialects);
    spoken.retainAll(own.dialects);
    return new Capabilities(version, schemes, spoken, flags);
  }

  /** The same, and it {@link #makesChecksums}. */
  public Capabilities makingChecksums() {
    return new Capabilities(version, frameSchemes, dialects, flags | MAKES_CHECKSUMS);
  }

  public int version() {
    return version;
  }

  public SortedSet<Integer> frameSchemes() {
    return frameSchemes;
  }

  /** The dialects in which chunks can be asked for. */
  public SortedSet<Long> dialects() {
    return dialects;
  }

  /** Returns whether it makes the checksums of packets that come without. */
  public boolean makesChecksums() {
    return (flags & MAKES_CHECKSUMS) != 0;
  }

  /** Returns whether frames of a chain with these scheme ids can be sent. */
  public boolean canDecode(int[] chainIds) {
    if (version < WireFormat.VERSION) {
      return false;
    }
    for (int id : chainIds) {
      if (!frameSchemes.contains(id)) {
        return false;
      }
    }
    return true;
  }

  /** The stored form. */
  public byte[] encode() {
    boolean hasDialects = flags != 0 || !dialects.isEmpty();
    int length =
        FIXED
            + 2 * frameSchemes.size()
            + (hasDialects ? 1 + Long.BYTES * dialects.size() : 0)
            + (flags != 0 ? 1 : 0);
    ByteBuffer out = ByteBuffer.allocate(4 + 2 + length).order(ByteOrder.LITTLE_ENDIAN);
    out.position(4);
    out.putShort((short) length).put((byte) version).putShort((short) frameSchemes.size());
    frameSchemes.forEach(id -> out.putShort(id.shortValue()));
    if (hasDialects) {
      out.put((byte) dialects.size());
      dialects.forEach(out::putLong);
    }
    if (flags != 0) {
      out.put((byte) flags);
    }
    out.position(4);
    out.putInt(0, Crc32c.update(0, out));
    return out.array();
  }

  /**
   * Reads the stored form.
   *
   * @throws EOFException if there is nothing at all
   * @throws CorruptWireException if it is damaged, or too short
   */
  public static Capabilities read(InputStream in) throws IOException {
    byte[] head = new byte[6];
    DataInputStream data = new DataInputStream(in);
    head[0] = data.readByte();
    try {
      data.readFully(head, 1, head.length - 1);
      ByteBuffer fixed = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
      int crc = fixed.getInt();
      int length = fixed.getShort() & MAX_LENGTH;
      byte[] body = new byte[length];
      data.readFully(body);
      int actual =
          Crc32c.update(Crc32c.update(0, ByteBuffer.wrap(head, 4, 2)), ByteBuffer.wrap(body));
      if (actual != crc) {
        throw new CorruptWireException("the answer to a probe is damaged");
      }
      return parse(ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN));
    } catch (EOFException e) {
      throw new CorruptWireException("the answer to a probe ends early", e);
    }
  }

  private static Capabilities parse(ByteBuffer body) throws CorruptWireException {
    if (body.remaining() < FIXED) {
      throw new CorruptWireException("the answer to a probe has " + body.remaining() + " bytes");
    }
    int version = body.get() & 0xFF;
    int count = body.getShort() & MAX_LENGTH;
    if (body.remaining() < 2 * count) {
      throw new CorruptWireException("the answer to a probe has too few schemes");
    }
    SortedSet<Integer> ids = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      ids.add(body.getShort() & MAX_LENGTH);
    }
    SortedSet<Long> dialects = parseDialects(body);
    int flags = body.hasRemaining() ? body.get() & MAKES_CHECKSUMS : 0;
    return new Capabilities(version, ids, dialects, flags);
  }

  private static SortedSet<Long> parseDialects(ByteBuffer body) throws CorruptWireException {
    SortedSet<Long> dialects = new TreeSet<>();
    int count = body.hasRemaining() ? body.get() & 0xFF : 0;
    if (body.remaining() < Long.BYTES * count) {
      throw new CorruptWireException("the answer to a probe has too few dialects");
    }
    for (int i = 0; i < count; i++) {
      dialects.add(body.getLong());
    }
    return dialects;
  }

  @Override
  public String toString() {
    return version == 0
        ? "plain HDFS"
        : "HDRF wire "
            + version
            + " with schemes "
            + frameSchemes
            + (dialects.isEmpty() ? "" : ", can be asked for chunks")
            + (makesChecksums() ? ", makes checksums" : "");
  }
}
