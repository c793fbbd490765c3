/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** Reads a buffer. For one thread. */
final class BufferInput extends InputStream {

  private final ByteBuffer src;
  private int maxLength = Integer.MAX_VALUE;
  private int singles;
  private int length;

  BufferInput(ByteBuffer src) {
    this.src = src;
  }

  /**
   * Refuses greater lengths from now on. Hadoop's {@code BlockDecompressorStream} reads a length by
   * four single bytes and, before it looks for the data, makes an array of that length.
   *
   * @param max in bytes
   */
  void limitLengths(int max) {
    maxLength = max;
  }

  @Override
  public int read() throws IOException {
    if (!src.hasRemaining()) {
      return -1;
    }
    int value = src.get() & 0xFF;
    length = length << 8 | value;
    if (++singles == Integer.BYTES) {
      singles = 0;
      if (Integer.compareUnsigned(length, maxLength) > 0 && maxLength != Integer.MAX_VALUE) {
        throw new CorruptFrameException(
            "a piece of " + Integer.toUnsignedString(length) + " bytes, at most " + maxLength);
      }
    }
    return value;
  }

  @Override
  public int read(byte[] bytes, int offset, int count) {
    singles = 0;
    if (!src.hasRemaining()) {
      return -1;
    }
    int present = Math.min(count, src.remaining());
    src.get(bytes, offset, present);
    return present;
  }
}
