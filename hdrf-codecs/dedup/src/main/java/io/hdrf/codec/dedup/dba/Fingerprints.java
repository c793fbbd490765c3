/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * How fingerprints become positions in a filter. This is part of the format of filter files.
 *
 * <p>h1 and h2 are the first two 64-bit halves of the fingerprint, little-endian. Position j is the
 * upper half of mix64(h1 + j * h2), multiplied by the length of a row and shifted right by 32 bits,
 * where mix64 is the finalizer of SplitMix64.
 */
final class Fingerprints {

  /** Bytes of a fingerprint. */
  static final int LENGTH = 32;

  /** Longs of a hash: h1 and h2. */
  static final int HASH_LONGS = 2;

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

  /** What {@link #position} takes: an unsigned number of 32 bits for row {@code j}. */
  static long mixed(long h1, long h2, int j) {
    long z = h1 + j * h2;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return (z ^ (z >>> 31)) >>> 32;
  }

  /** The position from 0 to {@code rowLength - 1}. */
  static int position(long mixed, int rowLength) {
    return (int) ((mixed * rowLength) >>> 32);
  }
}
