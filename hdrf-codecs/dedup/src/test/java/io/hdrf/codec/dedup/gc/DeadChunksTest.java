/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.memory.MemoryBudget;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DeadChunksTest {

  private static final ContainerRange ALL = new ContainerRange(0, Long.MAX_VALUE);

  private static Map<Long, BitSet> dead(int first, int count, long... containers) {
    Map<Long, BitSet> dead = new TreeMap<>();
    for (long container : containers) {
      BitSet numbers = new BitSet();
      numbers.set(first, first + count);
      dead.put(container, numbers);
    }
    return dead;
  }

  @Test
  void whatWasDeadAllTheTimeIsGivenBack() {
    DeadChunks chunks = new DeadChunks(100, 1 << 20, MemoryBudget.unlimited());
    assertThat(chunks.replace(ALL, dead(0, 4, 1, 2), -50)).isEmpty();
    assertThat(chunks.replace(ALL, dead(1, 6, 1, 3), 49)).isEmpty();
    assertThat(chunks.hasSome(2)).isFalse();
    assertThat(chunks.replace(ALL, dead(2, 9, 1, 2, 3), 50)).isEqualTo(dead(2, 2, 1));
    assertThat(chunks.replace(ALL, dead(2, 9, 1, 2, 3), 149)).isEqualTo(dead(2, 5, 3));
    assertThat(chunks.replace(ALL, dead(2, 9, 1, 2, 3), 150)).isEqualTo(dead(2, 9, 1, 2));
  }

  @Test
  void otherRangesStayAsTheyAre() {
    DeadChunks chunks = new DeadChunks(0, 1 << 20, MemoryBudget.unlimited());
    assertThat(chunks.replace(ALL, dead(0, 4, 1, 1000), 0)).isEmpty();
    ContainerRange first = new ContainerRange(0, 10);
    assertThat(chunks.replace(first, Map.of(), 1)).isEmpty();
    assertThat(chunks.hasSome(1)).isFalse();
    assertThat(chunks.hasSome(1000)).isTrue();
  }

  @Test
  void whatDoesNotFitIsRememberedWhenThereIsRoom() {
    DeadChunks chunks = new DeadChunks(0, 20_000, MemoryBudget.unlimited());
    // Each takes some 8 KB.
    assertThat(chunks.replace(ALL, dead(0, 64_000, 1, 2, 3), 0)).isEmpty();
    assertThat(chunks.hasSome(1) && chunks.hasSome(2)).isTrue();
    assertThat(chunks.hasSome(3)).isFalse();
    assertThat(chunks.replace(ALL, dead(0, 64_000, 1, 2, 3), 0)).containsOnlyKeys(1L, 2L);
    assertThat(chunks.replace(ALL, dead(0, 64_000, 2, 3), 0)).containsOnlyKeys(2L);
    assertThat(chunks.replace(ALL, dead(0, 64_000, 3), 0)).containsOnlyKeys(3L);
  }
}
