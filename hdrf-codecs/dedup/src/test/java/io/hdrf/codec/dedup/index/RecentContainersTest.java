/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.IndexedContainers;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.io.InMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecentContainersTest {

  @TempDir(factory = InMemory.class)
  Path directory;

  private IndexedContainers store;
  private RecentContainers recentContainers;

  /** Containers that are loaded because they are open. */
  private final List<Long> loaded = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    store = new IndexedContainers(directory);
    recentContainers = new RecentContainers(store.containers);
    try (var first = store.appender();
        var second = store.appender();
        var third = store.appender()) {
      for (var appender : List.of(first, second, third)) {
        loaded.add(ChunkRef.container(store.append(appender, 1)[0]));
      }
    }
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private void found(long container, int times) {
    for (int i = 0; i < times; i++) {
      recentContainers.found(container);
    }
  }

  @Test
  void theNewestComesFirstAndOnceForABatch() {
    recentContainers.nextBatch();
    assertThat(recentContainers.toSearch()).isEmpty();
    found(100, 1);
    found(101, 3);
    found(102, 2);
    assertThat(recentContainers.toSearch()).containsExactly(102L, 101L, 100L);
    assertThat(recentContainers.toSearch()).isEmpty();
    found(103, 1);
    found(101, 1);
    assertThat(recentContainers.toSearch()).containsExactly(103L);
    recentContainers.nextBatch();
    found(100, 1);
    found(103, 1);
    found(103, 1);
    // Hits of the previous batch no longer count, and are not in memory.
    assertThat(recentContainers.toSearch()).containsExactly(103L, 100L);
  }

  @Test
  void earlierContainersAreSearchedWhileTheyAreInMemory() {
    recentContainers.nextBatch();
    found(loaded.get(0), 1);
    found(100, 5);
    found(loaded.get(1), 2);
    recentContainers.nextBatch();
    found(loaded.get(2), 1);
    assertThat(recentContainers.toSearch())
        .containsExactly(loaded.get(2), loaded.get(1), loaded.get(0));
    recentContainers.nextBatch();
    assertThat(recentContainers.toSearch())
        .containsExactly(loaded.get(2), loaded.get(1), loaded.get(0));
  }

  @Test
  void atMostSixtyFourContainersOfABatchAreSearched() {
    for (int batch = 0; batch < 2; batch++) {
      recentContainers.nextBatch();
      for (long container = 100; container < 200; container++) {
        found(container, container == 150 ? 2 : 1);
      }
      assertThat(recentContainers.toSearch())
          .hasSize(64)
          .contains(150L)
          .isSortedAccordingTo(Comparator.reverseOrder());
      found(300, 1);
      assertThat(recentContainers.toSearch()).isEmpty();
    }
  }

  @Test
  void sixteenAreRememberedTheBestOfThem() {
    recentContainers.nextBatch();
    found(loaded.get(0), 1);
    for (long container = 100; container < 115; container++) {
      found(container, 2);
    }
    recentContainers.nextBatch();
    assertThat(recentContainers.toSearch()).containsExactly(loaded.get(0));
    found(loaded.get(0), 1);
    for (long container = 100; container < 116; container++) {
      found(container, 2);
    }
    // The seventeenth is forgotten, also if it was the one found last.
    found(loaded.get(1), 1);
    recentContainers.nextBatch();
    assertThat(recentContainers.toSearch()).isEmpty();
    found(loaded.get(1), 1);
    assertThat(recentContainers.toSearch()).containsExactly(loaded.get(1));
  }
}
