/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompactionTest {

  private static final int ENTRIES = 40_000;

  /** Enough memory that so few files are compacted only on request. */
  private static final String ROOM = "512m";

  @TempDir Path directory;

  @Test
  void roomOfDeletedEntriesIsGivenBack() throws IOException {
    try (MetadataStore store = Stores.open(directory)) {
      StoreBatch entries = new StoreBatch();
      Random random = new Random(1);
      byte[] value = new byte[32];
      for (int i = 0; i < ENTRIES; i++) {
        random.nextBytes(value);
        entries.put(Table.CHUNKS, Stores.bytes("key-" + i), value.clone());
      }
      store.write(entries);
    }
    try (MetadataStore store = Stores.open(directory)) {
      long full = tables(directory);
      assertThat(full).isGreaterThan(32L * ENTRIES);
      StoreBatch deletions = new StoreBatch();
      for (int i = 1; i < ENTRIES; i++) {
        deletions.delete(Table.CHUNKS, Stores.bytes("key-" + i));
      }
      store.write(deletions);
      assertThat(tables(directory)).isGreaterThanOrEqualTo(full);
      store.compact(Table.CHUNKS);
      assertThat(tables(directory)).isLessThan(full / 50);
      assertThat(Stores.contents(store, Table.CHUNKS)).containsOnlyKeys("key-0");
    }
  }

  /** Returns the size of the tables on the disk, without the log. */
  private static long tables(Path directory) throws IOException {
    long bytes = 0;
    for (Path file : Stores.list(directory)) {
      if (file.toString().endsWith(".sst")) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }

  private interface Stop {
    void run(MetadataStore store, Thread compacting) throws Exception;
  }

  @Test
  void closeCutsACompactionShort() throws Exception {
    assertCutShortBy((store, compacting) -> store.close());
  }

  @Test
  void anInterruptCutsACompactionShort() throws Exception {
    assertCutShortBy((store, compacting) -> compacting.interrupt());
  }

  /** Retries where a compaction ends before it can be stopped, for then nothing was seen. */
  private void assertCutShortBy(Stop stop) throws Exception {
    boolean cutShort = false;
    for (int i = 0; i < 3 && !cutShort; i++) {
      cutShort = isCutShort(directory.resolve("store-" + i), stop);
    }
    assertThat(cutShort).as("the room of deleted entries was not given back").isTrue();
  }

  private static boolean isCutShort(Path directory, Stop stop) throws Exception {
    // All together less than a log may have, so that they are in one table.
    byte[] value = new byte[1500];
    try (MetadataStore store = Stores.open(directory, ROOM)) {
      Random random = new Random(1);
      for (int i = 0; i < ENTRIES; ) {
        StoreBatch entries = new StoreBatch();
        for (int end = i + 1000; i < end; i++) {
          random.nextBytes(value);
          entries.put(Table.CHUNKS, Stores.bytes("key-" + i), value.clone());
        }
        store.write(entries);
      }
    }
    long full = tables(directory);
    try (MetadataStore store = Stores.open(directory, ROOM)) {
      StoreBatch deletions = new StoreBatch();
      for (int i = 1; i < ENTRIES; i++) {
        deletions.delete(Table.CHUNKS, Stores.bytes("key-" + i));
      }
      store.write(deletions);
      AtomicReference<Exception> failure = new AtomicReference<>();
      Thread compacting =
          new Thread(
              () -> {
                try {
                  store.compact(Table.CHUNKS);
                } catch (IOException e) {
                  failure.set(e);
                }
              });
      compacting.start();
      while (compacting.isAlive() && !isCompacting()) {
        Thread.onSpinWait();
      }
      stop.run(store, compacting);
      compacting.join();
      assertThat(failure).hasValue(null);
      assertThat(isCompacting()).isFalse();
    }
    boolean cutShort = tables(directory) > full / 2;
    try (MetadataStore store = Stores.open(directory, ROOM)) {
      assertThat(Stores.contents(store, Table.CHUNKS)).containsOnlyKeys("key-0");
      store.compact(Table.CHUNKS);
      assertThat(tables(directory)).isLessThan(full / 50);
    }
    return cutShort;
  }

  private static boolean isCompacting() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("hdrf-compaction"));
  }
}
