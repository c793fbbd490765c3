/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes a block's frames in order. For one thread. */
@FunctionalInterface
public interface FrameSink {

  /** The stage mask of a frame that passed the block scheme, the first of its chain, alone. */
  int BLOCK_STAGE = 1;

  /**
   * Appends a frame of a block scheme.
   *
   * @param originalLength how many bytes of the block it stands for, from 1 to {@link
   *     FrameCodec#MAX_FRAME_LENGTH}
   * @param payload its encoded form (position to limit), direct, consumed, and not kept after the
   *     call; may be empty where the scheme keeps the content itself; at most {@link
   *     #maxPayloadLength} bytes
   */
  default void frame(int originalLength, ByteBuffer payload) throws IOException {
    frame(originalLength, BLOCK_STAGE, payload);
  }

  /**
   * Appends a frame as it is to be stored; not for schemes.
   *
   * @param originalLength how many bytes of the block it stands for, from 1 to {@link
   *     FrameCodec#MAX_FRAME_LENGTH}
   * @param stages which schemes of the chain were applied: bit i for scheme i
   * @param stored the stored bytes (position to limit), direct, not kept after the call; may be
   *     empty
   */
  void frame(int originalLength, int stages, ByteBuffer stored) throws IOException;

  /**
   * The most bytes that a payload may have: an eighth and 64 KiB more than the original data. A
   * reader takes no more memory than this for it, whatever a damaged frame says.
   */
  static int maxPayloadLength(int originalLength) {
    return originalLength + originalLength / 8 + (64 << 10);
  }
}
