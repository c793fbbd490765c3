/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.metadata.Durability;
import io.hdrf.metadata.MetadataStore;
import io.hdrf.metadata.StoreBatch;
import io.hdrf.metadata.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompactionTest {

  private static final int ENTRIES = 40_000;

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
      store.write(entries, Durability.PROCESS);
    }
    try (MetadataStore store = Stores.open(directory)) {
      long full = tables();
      assertThat(full).isGreaterThan(32L * ENTRIES);
      StoreBatch deletions = new StoreBatch();
      for (int i = 1; i < ENTRIES; i++) {
        deletions.delete(Table.CHUNKS, Stores.bytes("key-" + i));
      }
      store.write(deletions, Durability.PROCESS);
      assertThat(tables()).isGreaterThanOrEqualTo(full);
      store.compact(Table.CHUNKS);
      assertThat(tables()).isLessThan(full / 50);
      assertThat(Stores.contents(store, Table.CHUNKS)).containsOnlyKeys("key-0");
    }
  }

  /** What tables take on the disk, without the log. */
  private long tables() throws IOException {
    long bytes = 0;
    for (Path file : Stores.list(directory)) {
      if (file.toString().endsWith(".sst")) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }
}
