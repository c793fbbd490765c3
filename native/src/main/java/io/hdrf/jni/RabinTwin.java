/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;

/**
 * {@link ChunkerAlgorithm#RABIN}. The fingerprint of 48 bytes, taken as a polynomial over GF(2), is
 * the remainder of its division by an irreducible polynomial of degree 53.
 */
final class RabinTwin extends ChunkerTwin {

  /** Bytes. */
  static final int WINDOW = 48;

  private static final long POLYNOMIAL = 0x3da3358b4dc173L;
  private static final int DEGREE = 53;

  /** [b]: what to add so that the bits from DEGREE on, which are b, become 0. */
  private static final long[] REDUCE = reduce();

  /** [b]: the remainder of b, followed by 47 zero bytes. */
  private static final long[] LEAVE = leave();

  private final int minimum;
  private final int maximum;
  private final long mask;

  RabinTwin(ChunkerParameters parameters) {
    this.minimum = parameters.minimum;
    this.maximum = parameters.maximum;
    this.mask = parameters.strict;
  }

  @Override
  int first(ByteBuffer data, int start, int length, boolean last) {
    int end = Math.min(length, maximum);
    int windowStart = minimum - WINDOW;
    long fingerprint = 0;
    for (int i = windowStart; i < end; i++) {
      if (i >= minimum) {
        fingerprint ^= LEAVE[data.get(start + i - WINDOW) & 0xff];
      }
      fingerprint = append(fingerprint, data.get(start + i) & 0xff);
      if (i + 1 >= minimum && (fingerprint & mask) == mask) {
        return i + 1;
      }
    }
    return end == maximum ? end : 0;
  }

  private static long append(long fingerprint, int value) {
    long shifted = fingerprint << 8 | value;
    return shifted ^ REDUCE[(int) (shifted >>> DEGREE)];
  }

  private static long[] reduce() {
    long[] table = new long[256];
    for (int b = 0; b < 256; b++) {
      long rest = (long) b << DEGREE;
      for (int bit = DEGREE + 7; bit >= DEGREE; bit--) {
        if ((rest >>> bit & 1) != 0) {
          rest ^= POLYNOMIAL << (bit - DEGREE);
        }
      }
      table[b] = (long) b << DEGREE | rest;
    }
    return table;
  }

  private static long[] leave() {
    long[] table = new long[256];
    for (int b = 0; b < 256; b++) {
      long fingerprint = append(0, b);
      for (int i = 1; i < WINDOW; i++) {
        fingerprint = append(fingerprint, 0);
      }
      table[b] = fingerprint;
    }
    return table;
  }
}
