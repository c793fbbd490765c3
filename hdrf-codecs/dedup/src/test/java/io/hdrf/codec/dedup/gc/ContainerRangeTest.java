/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.io.InMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerRangeTest {

  @TempDir(factory = InMemory.class)
  Path directory;

  /** Chunks keep their numbers when a container is compacted, however few of them it keeps. */
  @Test
  void eachContainerCountsAsTheOneThatHasMostChunks() throws IOException {
    try (CollectedStore store = new CollectedStore(directory)) {
      int most = 800;
      for (int i = 0; i < 4; i++) {
        store.sealed(1);
      }
      long last = ChunkRef.container(store.sealed(most)[0]);
      long each = 1024L + most * 2 / 8;
      assertThat(ContainerRange.memory(store.containers.containers())).isEqualTo(1 + 5 * each);
      List<ContainerRange> ranges = ContainerRange.of(store.containers.containers(), 2 * each);
      assertThat(ranges).hasSize(3).allMatch(range -> range.numbers() == most);
      assertThat(ranges.get(0).from()).isZero();
      assertThat(ranges.get(2).contains(last)).isTrue();
      for (int i = 1; i < ranges.size(); i++) {
        assertThat(ranges.get(i).from()).isEqualTo(ranges.get(i - 1).to());
      }
    }
  }
}
