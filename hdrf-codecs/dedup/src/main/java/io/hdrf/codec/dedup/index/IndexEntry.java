/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.ChunkRef;
import io.hdrf.codec.dedup.container.Fingerprinter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An entry of the fingerprint index, as in figure 3.3 of the thesis: where a chunk lies. This class
 * is the specification of the format.
 *
 * <pre>
 * key    segment      u32, big-endian, so that a segment's entries have a common prefix
 *        fingerprint  32 bytes
 * value  version      u8     1
 *        container    u64    little-endian, as all that follows
 *        number       u32    in the container
 *        length       u32    in bytes
 *        count        u32    references, as far as known; saturates; a hint and nothing more
 * </pre>
 *
 * There is no checksum: an entry is believed only if the container confirms it.
 */
final class IndexEntry {

  static final int VERSION = 1;
  static final int KEY_LENGTH = Integer.BYTES + Fingerprinter.LENGTH;
  static final int VALUE_LENGTH = 1 + Long.BYTES + 3 * Integer.BYTES;

  private IndexEntry() {}

  static byte[] key(int segment, byte[] fingerprints, int offset) {
    return ByteBuffer.allocate(KEY_LENGTH)
        .putInt(segment)
        .put(fingerprints, offset, Fingerprinter.LENGTH)
        .array();
  }

  /** What the keys of a segment's entries begin with. */
  static byte[] prefix(int segment) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(segment).array();
  }

  static byte[] value(long ref, int length) {
    return ByteBuffer.allocate(VALUE_LENGTH)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) VERSION)
        .putLong(ChunkRef.container(ref))
        .putInt(ChunkRef.number(ref))
        .putInt(length)
        .putInt(1)
        .array();
  }

  /** The chunk's reference, or {@link RefCache#NONE} if the value is not what it must be. */
  static long ref(byte[] value) {
    if (value.length != VALUE_LENGTH || value[0] != VERSION) {
      return RefCache.NONE;
    }
    ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    long container = in.getLong(1);
    int number = in.getInt(1 + Long.BYTES);
    boolean valid =
        container >= 0
            && container <= ChunkRef.MAX_CONTAINER
            && number >= 0
            && number <= ChunkRef.MAX_NUMBER;
    return valid ? ChunkRef.pack(container, number) : RefCache.NONE;
  }
}
