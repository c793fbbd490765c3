/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Turns a frame as it is stored back into the original data: {@link
 * io.hdrf.scheme.ChainCodec#decode}.
 */
@FunctionalInterface
public interface FrameDecoder {

  /**
   * Decodes all of {@code stored} into {@code frame}, whose remaining bytes are exactly the frame's
   * original length, and leaves both positions at their limits.
   *
   * @param stages which schemes of the block's chain were applied: bit i for the i-th
   * @param stored the stored bytes
   * @param frame room for the original data
   * @throws io.hdrf.spi.scheme.CorruptFrameException if {@code stored} is not the form of that many
   *     bytes
   */
  void decode(int stages, ByteBuffer stored, ByteBuffer frame) throws IOException;
}
