/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An entry of the fingerprint index: where a chunk lies; {@code docs/formats.md} ("Fingerprint
 * index") has its bytes.
 *
 * <p>There is no checksum, and the rest of the fingerprint is left out: an entry is believed only
 * if the container confirms that the chunk has the whole fingerprint. Of chunks whose fingerprints
 * begin alike one is found, and the others are stored again. The thesis (figure 3.3) has length and
 * reference count as well; nothing would use them, and the container knows the length.
 */
final class IndexEntry {

  static final int VERSION = 1;

  /** The stored length of a fingerprint, from which the filters are made. */
  static final int FINGERPRINT_LENGTH = 16;

  static final int KEY_LENGTH = Integer.BYTES + FINGERPRINT_LENGTH;
  static final int VALUE_LENGTH = 1 + Long.BYTES;

  private IndexEntry() {}

  /**
   * Makes a key.
   *
   * @param fingerprints holds a fingerprint at {@code offset}
   */
  static byte[] key(int segment, byte[] fingerprints, int offset) {
    return ByteBuffer.allocate(KEY_LENGTH)
        .putInt(segment)
        .put(fingerprints, offset, FINGERPRINT_LENGTH)
        .array();
  }

  /** Returns the prefix of the keys of a segment's entries. */
  static byte[] prefix(int segment) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(segment).array();
  }

  /**
   * Makes a value.
   *
   * @throws IllegalArgumentException if no container can have a chunk with that number
   */
  static byte[] value(long ref) {
    if (!canBe(ref)) {
      throw new IllegalArgumentException("no chunk's reference: " + ChunkRef.toString(ref));
    }
    return ByteBuffer.allocate(VALUE_LENGTH)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) VERSION)
        .putLong(ref)
        .array();
  }

  /** The chunk's reference, or {@link IndexLookup#NONE} if the value is not what it must be. */
  static long ref(byte[] value) {
    if (value.length != VALUE_LENGTH || value[0] != VERSION) {
      return IndexLookup.NONE;
    }
    long ref = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getLong(1);
    return canBe(ref) ? ref : IndexLookup.NONE;
  }

  private static boolean canBe(long ref) {
    return ChunkRef.number(ref) < ContainerFormat.MAX_CHUNKS;
  }
}
