/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlainHoldsTest {

  private static final BlockRef BLOCK = new BlockRef("BP", 1);
  private final Set<BlockRef> cached = new HashSet<>();
  private final PlainHolds holds = new PlainHolds(cached::contains);

  @Test
  void aBlockIsHeldUntilItsLastHoldIsReleased() {
    holds.hold(BLOCK);
    holds.hold(BLOCK);
    holds.release(BLOCK);
    assertThat(holds.isHeld(BLOCK)).isTrue();
    holds.release(BLOCK);
    assertThat(holds.isHeld(BLOCK)).isFalse();
    holds.release(BLOCK);
    holds.hold(BLOCK);
    assertThat(holds.isHeld(BLOCK)).as("a release too many takes no later hold away").isTrue();
  }

  @Test
  void holdsAreOfOneBlock() {
    holds.hold(BLOCK);
    assertThat(holds.isHeld(new BlockRef("BP", 2))).isFalse();
    assertThat(holds.isHeld(new BlockRef("BP-other", 1))).isFalse();
    assertThat(holds.isHeld(new BlockRef("BP", 1))).isTrue();
  }

  @Test
  void aCachedBlockIsHeldForAsLongAsItIsCached() {
    cached.add(BLOCK);
    holds.hold(BLOCK);
    holds.release(BLOCK);
    assertThat(holds.isHeld(BLOCK)).isTrue();
    cached.remove(BLOCK);
    assertThat(holds.isHeld(BLOCK)).isFalse();
  }
}
