/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.FilterRows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * How fingerprints become positions in a filter. This is part of the format of filter files.
 *
 * <p>h1 and h2 are the first two 64-bit halves of the fingerprint, little-endian. Position j is
 * {@link FilterRows#position} of hash function j.
 */
final class Fingerprints {

  /** Bytes of a fingerprint. */
  static final int LENGTH = 32;

  /** Longs of a hash: h1 and h2. */
  static final int HASH_LONGS = FilterRows.HASH_LONGS;

  private static final int H2_OFFSET = 8;

  private Fingerprints() {}

  /** Writes h1 and h2 of {@code count} fingerprints to {@code hashes}, in turns. */
  static void hash(byte[] fingerprints, int offset, int count, long[] hashes, int hashOffset) {
    ByteBuffer in = ByteBuffer.wrap(fingerprints).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      int at = offset + i * LENGTH;
      hashes[hashOffset + HASH_LONGS * i] = in.getLong(at);
      hashes[hashOffset + HASH_LONGS * i + 1] = in.getLong(at + H2_OFFSET);
    }
  }

  /** As the other, from the buffer's index 0 on. */
  static void hash(byte[] fingerprints, int offset, int count, LongBuffer hashes) {
    ByteBuffer in = ByteBuffer.wrap(fingerprints).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      int at = offset + i * LENGTH;
      hashes.put(HASH_LONGS * i, in.getLong(at));
      hashes.put(HASH_LONGS * i + 1, in.getLong(at + H2_OFFSET));
    }
  }

  /** The position in row {@code j}, from 0 to {@code rowLength - 1}. */
  static int position(long h1, long h2, int j, int rowLength) {
    return FilterRows.position(h1, h2, j, rowLength);
  }
}
