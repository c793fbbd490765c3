/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AwaitedBlocksTest {

  private static final int MAX = 20;

  private long now = Long.MAX_VALUE - 5;
  private final AwaitedBlocks blocks = new AwaitedBlocks(MAX, () -> now);

  private static BlockRef block(long id) {
    return new BlockRef("BP-1", id);
  }

  @Test
  void aBlockWaitsOrIsReduced() {
    assertThat(blocks.await(block(1))).isTrue();
    assertThat(blocks.await(block(1))).isFalse();
    assertThat(blocks.beginWork(block(1))).isFalse();
    assertThat(blocks.beginWork(block(2))).isTrue();
    assertThat(blocks.await(block(2))).isFalse();
    blocks.release(block(1), () -> assertThat(blocks.size()).isEqualTo(1));
    assertThat(blocks.size()).isZero();
    assertThat(blocks.isAwaited(block(1))).isFalse();
    assertThat(blocks.beginWork(block(1))).isTrue();
    blocks.endWork(block(2));
    assertThat(blocks.await(block(2))).isTrue();
  }

  /** Otherwise two DataNodes could wait for each other. */
  @Test
  void onlyOlderBlocksOfThePoolHoldUpOthers() {
    blocks.await(block(5));
    assertThat(blocks.hasOlder(block(6))).isTrue();
    assertThat(blocks.hasOlder(block(5))).isFalse();
    assertThat(blocks.hasOlder(block(4))).isFalse();
    assertThat(blocks.hasOlder(new BlockRef("BP-2", 6))).isFalse();
    blocks.release(block(5), () -> {});
    assertThat(blocks.hasOlder(block(6))).isFalse();
  }

  @Test
  void aBlockHoldsUpOthersForAWhileOnly() {
    blocks.await(block(5));
    now += TimeUnit.SECONDS.toNanos(9);
    assertThat(blocks.hasOlder(block(6))).isTrue();
    now += TimeUnit.SECONDS.toNanos(2);
    assertThat(blocks.hasOlder(block(6))).isFalse();
    assertThat(blocks.isAwaited(block(5))).isTrue();
  }

  @Test
  void fewBlocksWait() {
    for (int i = 0; i < MAX; i++) {
      assertThat(blocks.await(block(i))).isTrue();
    }
    assertThat(blocks.await(block(-1))).isFalse();
    blocks.release(block(0), () -> {});
    assertThat(blocks.await(block(-1))).isTrue();
  }
}
