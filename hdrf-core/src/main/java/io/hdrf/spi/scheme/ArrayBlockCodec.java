/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import io.hdrf.spi.io.BufferPool;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Base of block codecs that work on the whole block in memory ('block array mode'). */
public abstract class ArrayBlockCodec implements BlockCodec {

  private final int maxBlockLength;

  /**
   * @param maxBlockLength the longest block to take, in bytes; a longer one stays plain
   */
  protected ArrayBlockCodec(int maxBlockLength) {
    this.maxBlockLength = Math.min(maxBlockLength, FrameCodec.MAX_FRAME_LENGTH);
  }

  /**
   * Encodes a block.
   *
   * @param block the whole block; direct, not kept after the call
   * @return its encoded form, in a direct buffer
   */
  protected abstract ByteBuffer encode(ByteBuffer block) throws IOException;

  @Override
  public final void encode(long length, BlockSource source, FrameChain tail, FrameSink sink)
      throws IOException {
    if (length > maxBlockLength) {
      throw new BlockDeclinedException(
          "the block has " + length + " bytes, the scheme takes " + maxBlockLength);
    }
    ByteBuffer block = BufferPool.shared().take((int) length);
    try {
      while (block.hasRemaining()) {
        if (source.read(block) < 0) {
          throw new IOException("the block ended after " + block.position() + " bytes");
        }
      }
      block.flip();
      sink.frame((int) length, encode(block));
    } finally {
      BufferPool.shared().give(block);
    }
  }
}
