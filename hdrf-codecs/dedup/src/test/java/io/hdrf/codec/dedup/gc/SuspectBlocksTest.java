/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SuspectBlocksTest {

  private final Map<Long, BitSet> damaged = new HashMap<>();

  private static BitSet numbers(int... numbers) {
    BitSet set = new BitSet();
    for (int number : numbers) {
      set.set(number);
    }
    return set;
  }

  @Test
  void aBlockNeedsWhatItRefersTo() {
    damaged.put(5L, numbers(3, 4, 9));
    SuspectBlocks suspects = new SuspectBlocks(damaged, Set.of(), 10);
    suspects.add(1, 5, 0, 3);
    suspects.add(1, 6, 3, 2);
    suspects.add(2, 5, 0, 4);
    suspects.add(3, 5, 4, 5);
    suspects.add(4, 5, 0, 100);
    suspects.add(5, 5, 10, 100);
    assertThat(suspects.thatNeed(damaged, 10)).containsOnlyKeys(2L, 3L, 4L).containsValue(5L);
    assertThat(suspects.thatNeed(Map.of(), 10)).isEmpty();
    assertThat(suspects.thatNeed(Map.of(6L, numbers(3)), 10)).isEmpty();
    assertThat(suspects.thatNeed(Map.of(5L, numbers(3)), 10)).containsOnlyKeys(2L, 4L);
    assertThat(suspects.thatNeed(Map.of(5L, numbers(4)), 10)).containsOnlyKeys(3L, 4L);
    assertThat(suspects.thatNeed(Map.of(5L, numbers(9)), 10)).containsOnlyKeys(4L);
  }

  @Test
  void soManyAreRemembered() {
    damaged.put(5L, numbers(3));
    SuspectBlocks suspects = new SuspectBlocks(damaged, Set.of(), 2);
    for (int block = 1; block <= 4; block++) {
      suspects.add(block, 5, 0, 10);
      suspects.add(block, 5, 3, 1);
    }
    assertThat(suspects.thatNeed(damaged, 10)).containsOnlyKeys(1L, 2L);
    assertThat(suspects.isFull()).isTrue();
  }

  @Test
  void thoseThatHadTheirTurnAreLeftOut() {
    damaged.put(5L, numbers(3));
    SuspectBlocks suspects = new SuspectBlocks(damaged, Set.of(1L, 3L), 3);
    for (int block = 1; block <= 4; block++) {
      suspects.add(block, 5, 0, 10);
    }
    assertThat(suspects.thatNeed(damaged, 10)).containsOnlyKeys(2L, 4L);
    assertThat(suspects.isFull()).isFalse();
  }

  @Test
  void soManyAreReturned() {
    damaged.put(5L, numbers(3));
    SuspectBlocks suspects = new SuspectBlocks(damaged, Set.of(), 4);
    for (int block = 1; block <= 4; block++) {
      suspects.add(block, 5, 0, 10);
    }
    assertThat(suspects.thatNeed(damaged, 3)).containsOnlyKeys(1L, 2L, 3L);
    assertThat(suspects.thatNeed(damaged, 0)).isEmpty();
  }

  /** Not all runs of damaged chunks are remembered; a block is never taken for damaged for that. */
  @Test
  void aBlockWithManyRunsIsNotSuspectWhenTheseAreRight() {
    BitSet many = new BitSet();
    for (int i = 0; i < 1000; i += 2) {
      many.set(i);
    }
    damaged.put(5L, many);
    damaged.put(6L, numbers(1));
    for (int most : new int[] {2, 100}) {
      SuspectBlocks suspects = new SuspectBlocks(damaged, Set.of(), most);
      suspects.add(1, 5, 0, 1000);
      suspects.add(2, 6, 0, 5);
      assertThat(suspects.thatNeed(Map.of(5L, numbers(0)), 10)).containsOnlyKeys(1L);
      assertThat(suspects.thatNeed(Map.of(5L, numbers(1)), 10)).isEmpty();
      assertThat(suspects.thatNeed(Map.of(6L, numbers(1)), 10)).doesNotContainKey(1L);
      assertThat(suspects.thatNeed(Map.of(5L, numbers(998)), 10).containsKey(1L))
          .isEqualTo(most == 100);
      assertThat(suspects.thatNeed(Map.of(), 10)).isEmpty();
    }
  }

  @Test
  void runsThatFollowEachOtherAreOne() {
    damaged.put(5L, numbers(3, 4, 5));
    SuspectBlocks suspects = new SuspectBlocks(damaged, Set.of(), 1);
    for (int i = 0; i < 6; i++) {
      suspects.add(1, 5, i, 1);
    }
    assertThat(suspects.thatNeed(Map.of(5L, numbers(5)), 10)).containsOnlyKeys(1L);
    assertThat(suspects.thatNeed(Map.of(5L, numbers(6)), 10)).isEmpty();
  }
}
