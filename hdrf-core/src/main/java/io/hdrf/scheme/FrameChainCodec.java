/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A chain of frame schemes: the block is cut into frames of equal length. */
final class FrameChainCodec extends ChainCodec {

  private final FrameChain frames;
  private final int frameLength;
  private final BufferPool buffers = BufferPool.shared();

  FrameChainCodec(SchemeChain chain, FrameChain frames, int frameLength) {
    super(chain);
    this.frames = frames;
    this.frameLength = frameLength;
  }

  @Override
  public int frameLength() {
    return frameLength;
  }

  @Override
  public void encode(long length, BlockInput in, FrameWriter out) throws IOException {
    requireLength(length);
    int longest = (int) Math.min(frameLength, length);
    ByteBuffer frame = buffers.take(longest);
    ByteBuffer stored = buffers.take(frames.maxEncodedLength(longest));
    try {
      for (long left = length; left > 0; ) {
        int size = (int) Math.min(longest, left);
        frame.clear();
        frame.limit(size);
        readFully(in, frame);
        frame.flip();
        stored.clear();
        int stages = frames.encode(frame, stored);
        stored.flip();
        out.frame(size, stages, stored);
        left -= size;
      }
    } finally {
      buffers.give(frame);
      buffers.give(stored);
    }
  }

  @Override
  public void decode(int stages, ByteBuffer stored, ByteBuffer frame) throws IOException {
    frames.decode(stages, stored, frame);
  }

  @Override
  public void force() {}
}
