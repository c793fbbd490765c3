/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.scheme.FrameScheme;
import java.io.IOException;

/** Which blocks are reduced, as far as their content decides it. */
public final class ReductionRules {

  /** A block is replaced only where this saves at least one file-system block and 5 %. */
  private static final int FILE_SYSTEM_BLOCK = 4096;

  private static final int MIN_SAVING_DIVISOR = 20;

  private static final int SAMPLES = 4;
  private static final int SAMPLE_LENGTH = 32 << 10;

  /** Below this length the block itself is encoded at once. */
  private static final int MIN_PROBED_LENGTH = 16 * SAMPLES * SAMPLE_LENGTH;

  private ReductionRules() {}

  /**
   * The greatest length that a block's reduced file may have.
   *
   * @param length the block's length in bytes
   * @param minBlockSize below this length in bytes blocks stay plain
   * @return in bytes, at least 1
   * @throws BlockSkippedException with {@link SkipReason#SMALL}
   */
  public static long limit(SchemeChain chain, long length, int minBlockSize)
      throws BlockSkippedException {
    long limit =
        chain.keepsContentInStore()
            ? length
            : length - Math.max(FILE_SYSTEM_BLOCK, length / MIN_SAVING_DIVISOR);
    if (length < Math.max(minBlockSize, 1) || limit <= 0) {
      throw new BlockSkippedException(SkipReason.SMALL, "it has " + length + " bytes");
    }
    return limit;
  }

  /**
   * Encodes a few samples of a long block where its chain consists of frame schemes.
   *
   * @param length the block's length in bytes
   * @throws BlockSkippedException with {@link SkipReason#INCOMPRESSIBLE} if they become less than 5
   *     % shorter: the rest is not worth the work
   */
  public static void probe(ChainCodec codec, long length, ReadableFile plain) throws IOException {
    SchemeChain chain = codec.chain();
    if (length < MIN_PROBED_LENGTH || !(chain.schemes().get(0) instanceof FrameScheme)) {
      return;
    }
    long stride = (length - SAMPLE_LENGTH) / (SAMPLES - 1);
    long[] stored = new long[1];
    for (int sample = 0; sample < SAMPLES; sample++) {
      long[] position = {sample * stride};
      codec.encode(
          SAMPLE_LENGTH,
          dst -> {
            int count = plain.read(dst, position[0]);
            position[0] += count;
            return count;
          },
          (originalLength, stages, frame) -> stored[0] += frame.remaining());
    }
    long sampled = (long) SAMPLES * SAMPLE_LENGTH;
    if (stored[0] > sampled - sampled / MIN_SAVING_DIVISOR) {
      throw new BlockSkippedException(
          SkipReason.INCOMPRESSIBLE, sampled + " sampled bytes became " + stored[0]);
    }
  }
}
