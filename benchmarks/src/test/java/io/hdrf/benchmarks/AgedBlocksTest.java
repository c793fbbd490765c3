/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class AgedBlocksTest {

  private static final int CHUNKS = 26_214;

  private static final AgedBlocks.Rewriting NOTHING = rewriting(-1);

  /** Has the chunks up to a number stored again. */
  private static AgedBlocks.Rewriting rewriting(long last) {
    return new AgedBlocks.Rewriting() {
      @Override
      public void beginBlock() {
        // Nothing is kept from block to block.
      }

      @Override
      public void choose(long[] chunks, int count, long next) {
        for (int i = 0; i < count; i++) {
          chunks[i] = chunks[i] <= last ? -1 : chunks[i];
        }
      }
    };
  }

  private static int length(AgedBlocks.Block block) {
    int length = 0;
    for (int run = 0; run < block.runs(); run++) {
      length += block.count(run);
    }
    return length;
  }

  @Test
  void blocksKeepTheirLengthAndMostOfTheirChunks() {
    AgedBlocks blocks = new AgedBlocks(40, CHUNKS, 1);
    assertThat(blocks.chunks()).isEqualTo(40L * CHUNKS);
    for (int generation = 0; generation < 20; generation++) {
      long before = blocks.chunks();
      blocks.age(0.8, NOTHING);
      double added = (double) (blocks.chunks() - before) / (40L * CHUNKS);
      assertThat(added).isCloseTo(0.2, within(0.03));
      for (int i = 0; i < blocks.count(); i++) {
        assertThat(length(blocks.block(i))).isEqualTo(CHUNKS);
      }
    }
  }

  @Test
  void noChunkIsTwiceInABlockAndTheOldOnesStayInOrder() {
    AgedBlocks blocks = new AgedBlocks(1, CHUNKS, 1);
    AgedBlocks.Block first = blocks.block(0);
    for (int generation = 0; generation < 10; generation++) {
      blocks.age(0.8, NOTHING);
    }
    long last = -1;
    for (int run = 0; run < blocks.block(0).runs(); run++) {
      long begin = blocks.block(0).first(run);
      if (begin < CHUNKS) {
        assertThat(begin).isGreaterThan(last);
        last = begin + blocks.block(0).count(run) - 1;
        assertThat(last).isLessThan(CHUNKS);
      }
    }
    assertThat(first.runs()).isEqualTo(1);
    assertThat(last).isPositive();
  }

  @Test
  void whatIsStoredAgainGetsNewNumbersInTheBlocksOrder() {
    AgedBlocks blocks = new AgedBlocks(1, CHUNKS, 1);
    blocks.age(0.8, rewriting(Long.MAX_VALUE));
    assertThat(blocks.chunks()).isEqualTo(2L * CHUNKS);
    assertThat(blocks.block(0).runs()).isEqualTo(1);
    assertThat(blocks.block(0).first(0)).isEqualTo(CHUNKS);
    assertThat(length(blocks.block(0))).isEqualTo(CHUNKS);
  }
}
