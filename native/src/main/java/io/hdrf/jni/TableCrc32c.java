/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * CRC32C by table, eight bytes in each step ('slicing-by-8'), on any Java version and any buffer.
 */
final class TableCrc32c {

  /** Bit-reversed: bit 31 holds the coefficient of x^0. */
  static final int POLYNOMIAL = 0x82f63b78;

  /** Entry 256 * k + b: the register after byte b and then k zero bytes, from a register of 0. */
  private static final int[] SLICES = slices();

  private TableCrc32c() {}

  /** See {@link Crc32c#update}. */
  static int update(int crc, ByteBuffer buffer) {
    int register = ~crc;
    int position = buffer.position();
    int limit = buffer.limit();
    boolean littleEndian = buffer.order() == ByteOrder.LITTLE_ENDIAN;
    for (; limit - position >= Long.BYTES; position += Long.BYTES) {
      long word = buffer.getLong(position);
      register = updateWord(register, littleEndian ? word : Long.reverseBytes(word));
    }
    for (; position < limit; position++) {
      register = register >>> 8 ^ SLICES[(register ^ buffer.get(position)) & 0xff];
    }
    return ~register;
  }

  private static int updateWord(int register, long word) {
    int low = register ^ (int) word;
    int high = (int) (word >>> 32);
    return SLICES[7 * 256 + (low & 0xff)]
        ^ SLICES[6 * 256 + (low >>> 8 & 0xff)]
        ^ SLICES[5 * 256 + (low >>> 16 & 0xff)]
        ^ SLICES[4 * 256 + (low >>> 24)]
        ^ SLICES[3 * 256 + (high & 0xff)]
        ^ SLICES[2 * 256 + (high >>> 8 & 0xff)]
        ^ SLICES[256 + (high >>> 16 & 0xff)]
        ^ SLICES[high >>> 24];
  }

  private static int[] slices() {
    int[] slices = new int[8 * 256];
    for (int b = 0; b < 256; b++) {
      int register = b;
      for (int bit = 0; bit < 8; bit++) {
        register = register >>> 1 ^ ((register & 1) * POLYNOMIAL);
      }
      slices[b] = register;
    }
    for (int i = 256; i < slices.length; i++) {
      int register = slices[i - 256];
      slices[i] = register >>> 8 ^ slices[register & 0xff];
    }
    return slices;
  }
}
