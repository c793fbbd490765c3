/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.scheme.FrameScheme;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Encodes a few samples of a block to see whether the rest is worth the work. */
final class CompressibilityProbe {

  private static final int SAMPLES = 4;
  private static final int SAMPLE_LENGTH = 32 << 10;

  /** Below this length the block itself is encoded at once. */
  private static final int MIN_BLOCK_LENGTH = 16 * SAMPLES * SAMPLE_LENGTH;

  private CompressibilityProbe() {}

  /**
   * Returns if the samples become at least 5 % shorter, or the block can't be probed.
   *
   * @throws BlockSkippedException with {@link SkipReason#INCOMPRESSIBLE}
   */
  static void check(ChainCodec codec, long length, ReadableFile plain) throws IOException {
    if (length < MIN_BLOCK_LENGTH || !(codec.chain().schemes().get(0) instanceof FrameScheme)) {
      return;
    }
    long stride = (length - SAMPLE_LENGTH) / (SAMPLES - 1);
    long[] stored = new long[1];
    for (int sample = 0; sample < SAMPLES; sample++) {
      long[] position = {sample * stride};
      long end = position[0] + SAMPLE_LENGTH;
      codec.encode(
          SAMPLE_LENGTH,
          dst -> read(plain, dst, position, end),
          (originalLength, stages, frame) -> {
            stored[0] += frame.remaining();
            frame.position(frame.limit());
          });
    }
    long sampled = (long) SAMPLES * SAMPLE_LENGTH;
    if (stored[0] > sampled - sampled / 20) {
      throw new BlockSkippedException(
          SkipReason.INCOMPRESSIBLE, sampled + " sampled bytes became " + stored[0]);
    }
  }

  private static int read(ReadableFile plain, ByteBuffer dst, long[] position, long end)
      throws IOException {
    if (position[0] >= end) {
      return -1;
    }
    int limit = dst.limit();
    if (dst.remaining() > end - position[0]) {
      dst.limit(dst.position() + (int) (end - position[0]));
    }
    int count = plain.read(dst, position[0]);
    dst.limit(limit);
    position[0] += count;
    return count == 0 ? -1 : count;
  }
}
