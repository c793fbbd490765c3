/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.ContainerInfo;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.io.InMemory;
import java.io.IOException;
import java.nio.file.Files;
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
  void aCompactedContainerCountsByTheNumberOfItsLastChunk() throws IOException {
    try (CollectedStore store = new CollectedStore(directory)) {
      long[] first = store.sealed(MANY);
      long[] second = store.sealed(MANY);
      store.blocks.put(1L, Arrays.copyOfRange(first, MANY - KEPT, MANY));
      store.blocks.put(2L, Arrays.copyOf(second, KEPT));
      store.collector().collect(line -> {});
      assertThat(all(store)).hasSize(2).allMatch(container -> container.chunkCount() == KEPT);
      // There is no full one by which it could be estimated.
      long each = BYTES + MANY / 4;
      assertThat(all(store).get(0).endNumber()).isEqualTo(MANY);
      assertThat(all(store).get(1).endNumber()).isEqualTo(KEPT);
      assertThat(ContainerRange.memory(all(store)))
          .isCloseTo(each + BYTES + KEPT / 4, Percentage.withPercentage(1));
      store.sealed(MANY);
      store.sealed(MANY);
      assertThat(ContainerRange.memory(all(store)))
          .isCloseTo(3 * each + BYTES + KEPT / 4, Percentage.withPercentage(1));
      List<ContainerRange> ranges = ContainerRange.of(all(store), 2 * each + BYTES);
      assertThat(ranges).hasSize(2);
      assertThat(ranges.get(0).from()).isZero();
      assertThat(ranges.get(1).from()).isEqualTo(ranges.get(0).to());
      assertThat(ranges.get(1).contains(Long.MAX_VALUE - 1)).isTrue();
    }
  }

  /** Blocks may refer to any of its chunks. */
  @Test
  void aContainerThatCanNotBeReadCountsAsTheLargest() throws IOException {
    try (CollectedStore store = new CollectedStore(directory)) {
      Path file = store.containers.file(ChunkRef.container(store.sealed(MANY)[0]));
      store.sealed(MANY);
      store.sealed(1);
      Files.write(file, new byte[(int) Files.size(file)]);
      assertThat(all(store).get(0).problem()).isNotNull();
      assertThat(ContainerRange.memory(all(store)))
          .isCloseTo(3 * BYTES + 2 * MANY / 4, Percentage.withPercentage(1));
    }
  }

  /** One that is written to gets more. */
  @Test
  void anOpenContainerIsEstimatedByTheFullFile() throws IOException {
    try (CollectedStore store = new CollectedStore(directory)) {
      store.sealed(MANY);
      store.open(MANY / 8);
      assertThat(all(store).get(1).endNumber()).isEqualTo(-1);
      assertThat(ContainerRange.memory(all(store)))
          .isCloseTo(2 * BYTES + 2 * MANY / 4, Percentage.withPercentage(20));
    }
  }

  /** Its chunks can be read by their headers; it is not sealed again for that. */
  @Test
  void aContainerWithoutAGroupIndexIsEstimated() throws IOException {
    try (CollectedStore store = new CollectedStore(directory)) {
      Path file = store.containers.file(ChunkRef.container(store.sealed(MANY)[0]));
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length - ContainerFooter.LENGTH - 1] ^= 1;
      Files.write(file, bytes);
      ContainerInfo info = all(store).get(0);
      assertThat(info.endNumber()).isEqualTo(-1);
      assertThat(info.problem()).isNull();
      assertThat(info.sealTime()).isPositive();
      assertThat(ContainerRange.memory(all(store)))
          .isCloseTo(BYTES + MANY / 4, Percentage.withPercentage(1));
    }
  }
}
