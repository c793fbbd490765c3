/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.ContainerInfo;
import io.hdrf.io.InMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerRangeTest {

  private static final int MANY = 40_000;
  private static final int KEPT = 400;

  /** What is kept of a container without chunks. */
  private static final long BYTES = 3072;

  @TempDir(factory = InMemory.class)
  Path directory;

  private static List<ContainerInfo> all(CollectedStore store) {
    List<ContainerInfo> all = new ArrayList<>();
    store.containers.containers().forEach(all::add);
    return all;
  }

  /** Chunks keep their numbers when a container is compacted, however few of them it keeps. */
  @Test
  void aCompactedContainerCountsAsTheFullOneThatItWas() throws IOException {
    try (CollectedStore store = new CollectedStore(directory)) {
      long[] first = store.sealed(MANY);
      long[] second = store.sealed(MANY);
      store.blocks.put(1L, Arrays.copyOfRange(first, MANY - KEPT, MANY));
      store.blocks.put(2L, Arrays.copyOf(second, KEPT));
      store.collector().collect(line -> {});
      assertThat(all(store)).hasSize(2).allMatch(container -> container.chunkCount() == KEPT);
      store.sealed(MANY);
      long each = BYTES + MANY / 4;
      assertThat(ContainerRange.memory(all(store)))
          .isCloseTo(3 * each, Percentage.withPercentage(10));
      List<ContainerRange> ranges = ContainerRange.of(all(store), 2 * each);
      assertThat(ranges).hasSize(2);
      assertThat(ranges.get(0).from()).isZero();
      assertThat(ranges.get(1).from()).isEqualTo(ranges.get(0).to());
      assertThat(ranges.get(1).contains(Long.MAX_VALUE - 1)).isTrue();
    }
  }
}
