/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Frames for tests. Each holds the bytes that a number determines; with stages 1 the number is all
 * that is stored, with stages 0 the bytes are.
 */
final class ToyFrames {

  static final int[] CHAIN = {17};
  static final int STORED = Long.BYTES;

  private ToyFrames() {}

  static byte[] data(long number, int length) {
    ByteBuffer frame = ByteBuffer.allocate(length);
    fill(number, frame);
    return frame.array();
  }

  private static void fill(long number, ByteBuffer frame) {
    frame.order(ByteOrder.LITTLE_ENDIAN);
    long x = number;
    while (frame.remaining() >= Long.BYTES) {
      x = x * 6364136223846793005L + 1442695040888963407L;
      frame.putLong(x ^ (x >>> 29));
    }
    while (frame.hasRemaining()) {
      frame.put((byte) ++x);
    }
  }

  static void write(FrameSink writer, long number, int length, int stages) throws IOException {
    ByteBuffer stored = ByteBuffer.allocateDirect(stages == 0 ? length : STORED);
    if (stages == 0) {
      fill(number, stored);
    } else {
      stored.order(ByteOrder.LITTLE_ENDIAN).putLong(number);
    }
    stored.flip();
    writer.frame(length, stages, stored);
  }

  /** The {@link FrameDecoder}. */
  static void decode(int stages, ByteBuffer stored, ByteBuffer frame) throws IOException {
    if (stored.remaining() != (stages == 0 ? frame.remaining() : STORED)) {
      throw new CorruptFrameException(stored.remaining() + " bytes");
    }
    if (stages == 0) {
      frame.put(stored);
    } else {
      fill(stored.order(ByteOrder.LITTLE_ENDIAN).getLong(), frame);
    }
  }
}
