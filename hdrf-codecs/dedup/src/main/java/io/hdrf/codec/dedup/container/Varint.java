/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.nio.ByteBuffer;

/** Unsigned LEB128 numbers from 0 to 2<sup>31</sup> - 1. */
final class Varint {

  static final int MAX_LENGTH = 5;

  private Varint() {}

  static int length(int value) {
    return value == 0 ? 1 : (Integer.SIZE - Integer.numberOfLeadingZeros(value) + 6) / 7;
  }

  static void put(ByteBuffer dst, int value) {
    int rest = value;
    while (rest > 0x7F) {
      dst.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    dst.put((byte) rest);
  }

  /** Reads a number; -1 if the buffer ends inside of it or it is out of range. */
  static int get(ByteBuffer src) {
    long value = 0;
    for (int i = 0; i < MAX_LENGTH && src.hasRemaining(); i++) {
      int next = src.get();
      value |= (long) (next & 0x7F) << (7 * i);
      if (next >= 0) {
        return value > Integer.MAX_VALUE ? -1 : (int) value;
      }
    }
    return -1;
  }
}
