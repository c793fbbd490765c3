/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.nio.ByteBuffer;

/**
 * Unsigned LEB128: numbers from 0 to 2<sup>31</sup> - 1, or to 2<sup>63</sup> - 1, seven bits to a
 * byte, the lowest first, the top bit set in all bytes but the last.
 */
public final class Varint {

  /** The most bytes that {@link #put} writes. */
  public static final int MAX_LENGTH = 5;

  private static final int MAX_LONG_LENGTH = 9;

  private Varint() {}

  /** Returns the number of bytes that {@link #put} writes. */
  public static int length(int value) {
    return value == 0 ? 1 : (Integer.SIZE - Integer.numberOfLeadingZeros(value) + 6) / 7;
  }

  /** Writes a number, at least 0. */
  public static void put(ByteBuffer dst, int value) {
    putLong(dst, value);
  }

  /** Writes a number, at least 0. */
  public static void putLong(ByteBuffer dst, long value) {
    long rest = value;
    while (rest > 0x7F) {
      dst.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    dst.put((byte) rest);
  }

  /** Reads a number; returns -1 if the buffer ends inside it or it is out of range. */
  public static int get(ByteBuffer src) {
    long value = get(src, MAX_LENGTH);
    return value > Integer.MAX_VALUE ? -1 : (int) value;
  }

  /** Reads a number; returns -1 if the buffer ends inside it or it is out of range. */
  public static long getLong(ByteBuffer src) {
    return get(src, MAX_LONG_LENGTH);
  }

  private static long get(ByteBuffer src, int maxLength) {
    long value = 0;
    for (int i = 0; i < maxLength && src.hasRemaining(); i++) {
      int next = src.get();
      value |= (long) (next & 0x7F) << (7 * i);
      if (next >= 0) {
        return value;
      }
    }
    return -1;
  }
}
