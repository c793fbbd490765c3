/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Numbers of four bytes, the lowest first, whatever a buffer's byte order is. */
public final class LittleEndian {

  private LittleEndian() {}

  /** Writes a number. */
  public static void putInt(ByteBuffer dst, int value) {
    dst.putInt(ordered(dst, value));
  }

  /** Reads a number. */
  public static int getInt(ByteBuffer src) {
    return ordered(src, src.getInt());
  }

  private static int ordered(ByteBuffer buffer, int value) {
    return buffer.order() == ByteOrder.LITTLE_ENDIAN ? value : Integer.reverseBytes(value);
  }
}
