/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedMemoryTest {

  private static final int BYTES = 8 << 20;

  @TempDir Path directory;

  @Test
  void storesShareWhatTheFirstAskedForUntilTheLastIsClosed() throws IOException {
    MetadataStore first = Stores.open(directory.resolve("1"), "8m");
    SharedMemory memory = SharedMemory.acquire(BYTES);
    MetadataStore second = Stores.open(directory.resolve("2"), "16m");
    assertThat(memory.bytes()).isEqualTo(BYTES);
    first.close();
    SharedMemory again = SharedMemory.acquire(16 << 20);
    assertThat(again).isSameAs(memory);
    SharedMemory.release(again);
    SharedMemory.release(memory);
    second.close();

    SharedMemory next = SharedMemory.acquire(16 << 20);
    assertThat(next.bytes()).isEqualTo(16 << 20);
    SharedMemory.release(next);
  }

  @Test
  void theBoundHoldsForAllStoresTogether() throws IOException {
    List<MetadataStore> stores = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      stores.add(Stores.open(directory.resolve("store" + i), "8m"));
    }
    SharedMemory memory = SharedMemory.acquire(BYTES);
    long most = 0;
    Random random = new Random(1);
    byte[] key = new byte[32];
    for (int round = 0; round < 100; round++) {
      for (MetadataStore store : stores) {
        StoreBatch batch = new StoreBatch();
        for (int i = 0; i < 1000; i++) {
          random.nextBytes(key);
          batch.put(Table.CHUNKS, key.clone(), new byte[100]);
        }
        store.write(batch);
        most = Math.max(most, memory.cache().getUsage());
      }
    }
    for (MetadataStore store : stores) {
      store.scan(Table.CHUNKS, new byte[0], (k, v) -> true);
      random.nextBytes(key);
      for (int i = 0; i < 20_000; i++) {
        random.nextBytes(key);
        store.get(Table.CHUNKS, List.of(key.clone()));
      }
      most = Math.max(most, memory.cache().getUsage());
    }
    assertThat(most).as("bytes in use, of 40 MB written").isBetween(BYTES / 4L, BYTES * 5L / 4);
    for (MetadataStore store : stores) {
      store.close();
    }
    SharedMemory.release(memory);
  }

  @Test
  void manyStoresWithLittleInThemAreNotFlushed() throws IOException {
    List<MetadataStore> stores = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      stores.add(Stores.open(directory.resolve("store" + i), "8m"));
    }
    byte[] key = new byte[20];
    for (byte round = 0; round < 20; round++) {
      key[0] = round;
      for (MetadataStore store : stores) {
        StoreBatch batch = new StoreBatch();
        for (Table table : Table.values()) {
          batch.put(table, key.clone(), new byte[100]);
        }
        store.write(batch);
      }
    }
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(files.filter(file -> file.toString().endsWith(".sst"))).isEmpty();
    }
    for (MetadataStore store : stores) {
      store.close();
    }
  }
}
