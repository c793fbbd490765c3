/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import io.hdrf.spi.io.Varint;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.GroupExport;
import java.nio.ByteBuffer;

/**
 * The chunks of a group by which one store tells another what is in it; {@code docs/formats.md}
 * ("Groups for another DataNode") has the bytes. Immutable.
 */
public final class GroupNames {

  /** The most chunks of a group that travels. */
  public static final int MAX_CHUNKS = 4096;

  /** The most bytes of chunks in a group that travels. */
  public static final int MAX_LENGTH = GroupExport.MAX_CONTENT - 1;

  private final int[] ends;
  private final byte[] fingerprints;

  private GroupNames(int[] ends, byte[] fingerprints) {
    this.ends = ends;
    this.fingerprints = fingerprints;
  }

  /**
   * Returns whether a group may travel.
   *
   * @param length bytes of its chunks together
   */
  public static boolean mayTravel(int chunks, int length) {
    return chunks <= MAX_CHUNKS && length <= MAX_LENGTH;
  }

  /** Writes the names of a group that {@link #mayTravel}. */
  public static ByteBuffer encode(ContainerDirectory directory, int group) {
    int first = directory.firstChunk(group);
    int end = directory.endChunk(group);
    int count = end - first;
    ByteBuffer out =
        ByteBuffer.allocate(Varint.MAX_LENGTH * (1 + count) + Fingerprinter.LENGTH * count);
    Varint.put(out, count);
    for (int i = first; i < end; i++) {
      Varint.put(out, directory.length(i));
    }
    for (int i = first; i < end; i++) {
      directory.fingerprint(i, out.array(), out.position());
      out.position(out.position() + Fingerprinter.LENGTH);
    }
    out.flip();
    return out;
  }

  /**
   * Reads names to their end.
   *
   * @throws CorruptFrameException if they are damaged, or of more than may travel
   */
  public static GroupNames parse(ByteBuffer names) throws CorruptFrameException {
    int count = Varint.get(names);
    if (count < 1 || count > MAX_CHUNKS || names.remaining() < count * (1 + Fingerprinter.LENGTH)) {
      throw new CorruptFrameException(
          "names of " + count + " chunks in " + names.remaining() + " bytes");
    }
    int[] ends = new int[count];
    int end = 0;
    for (int i = 0; i < count; i++) {
      int length = Varint.get(names);
      if (length < 1 || length > MAX_LENGTH - end) {
        throw new CorruptFrameException("a chunk of " + length + " bytes behind " + end);
      }
      end += length;
      ends[i] = end;
    }
    if (names.remaining() != count * Fingerprinter.LENGTH) {
      throw new CorruptFrameException(
          "fingerprints of " + count + " chunks in " + names.remaining() + " bytes");
    }
    byte[] fingerprints = new byte[names.remaining()];
    names.get(fingerprints);
    return new GroupNames(ends, fingerprints);
  }

  /** Returns the number of chunks. */
  public int count() {
    return ends.length;
  }

  /** Where each chunk ends in the group, in bytes; not to be changed. */
  public int[] ends() {
    return ends;
  }

  /** Bytes of all chunks together. */
  public int length() {
    return ends[ends.length - 1];
  }

  /** The fingerprints, one after the other; not to be changed. */
  public byte[] fingerprints() {
    return fingerprints;
  }
}
