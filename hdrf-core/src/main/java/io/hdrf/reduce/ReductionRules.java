/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.io.ReadableFile;
import java.io.IOException;

/** Which blocks are reduced, as far as their content decides it. */
public final class ReductionRules {

  /** A block is replaced only where this saves at least one file-system block and 5 %. */
  private static final int FILE_SYSTEM_BLOCK = 4096;

  private static final int MIN_SAVING_DIVISOR = 20;

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
   * Encodes a few samples of a long block where its chain leaves all content in the block's file.
   *
   * @param length the block's length in bytes
   * @throws BlockSkippedException with {@link SkipReason#INCOMPRESSIBLE} if the rest is not worth
   *     the work
   */
  public static void probe(ChainCodec codec, long length, ReadableFile plain) throws IOException {
    if (!codec.chain().keepsContentInStore()) {
      CompressibilityProbe.check(codec, length, plain);
    }
  }
}
