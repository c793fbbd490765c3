/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.scheme.ChainCodec;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads of a reduced block at any position, by one thread and without anything kept. */
public final class BlockReads {

  private BlockReads() {}

  /**
   * Reads the block's data at {@code position} until {@code dst} is full or the block ends,
   * decoding only the frames touched.
   *
   * @return the number of bytes read, possibly 0
   */
  public static int read(ReducedBlock block, long position, ByteBuffer dst, ChainCodec codec)
      throws IOException {
    FrameTable frames = block.frames();
    if (position < 0) {
      throw new IllegalArgumentException("position " + position);
    }
    int total = (int) Math.max(0, Math.min(dst.remaining(), block.logicalLength() - position));
    if (total == 0) {
      return 0;
    }
    int first = frames.frameAt(position);
    int last = frames.frameAt(position + total - 1);
    int storedLength = 0;
    int originalLength = 0;
    for (int i = first; i <= last; i++) {
      storedLength = Math.max(storedLength, frames.storedLength(i));
      originalLength = Math.max(originalLength, frames.originalLength(i));
    }
    ByteBuffer stored = ByteBuffer.allocateDirect(storedLength);
    ByteBuffer frame = ByteBuffer.allocateDirect(originalLength);
    int end = dst.position() + total;
    for (int i = first; i <= last; i++) {
      frame.clear();
      block.readFrame(i, codec, stored, frame);
      frame.flip();
      frame.position((int) Math.max(0, position - frames.originalPosition(i)));
      frame.limit(frame.position() + Math.min(frame.remaining(), end - dst.position()));
      dst.put(frame);
    }
    return total;
  }
}
