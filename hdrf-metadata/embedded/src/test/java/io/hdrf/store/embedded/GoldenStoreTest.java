/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store's directory of version 1, which must stay readable for ever, with all its entries. */
class GoldenStoreTest {

  private static final String ARCHIVE = "store-v1.tar.gz";
  private static final int FIRST_PART = 200;
  private static final int ENTRIES = 230;

  @TempDir Path directory;

  private static StoreBatch batch(int from, int to) {
    StoreBatch batch = new StoreBatch();
    for (Table table : Table.values()) {
      for (int i = from; i < to; i++) {
        batch.put(table, Stores.bytes(key(table, i)), Stores.bytes(value(table, i)));
      }
    }
    return batch;
  }

  private static String key(Table table, int number) {
    return "\u0000\u00ff" + table + number;
  }

  private static String value(Table table, int number) {
    return number + " of " + table + "\u0000";
  }

  @Test
  void anOldStoreIsOpenedWithAllItsEntries() throws IOException {
    Path archive = directory.resolve(ARCHIVE);
    try (InputStream in = GoldenStoreTest.class.getResourceAsStream(ARCHIVE)) {
      Files.copy(in, archive);
    }
    FileUtil.unTar(archive.toFile(), directory.toFile());
    Path store = directory.resolve("store");
    assertThat(store.resolve("VERSION")).hasContent("hdrf-embedded-store 1 6d69feb3\n");
    for (int opened = 0; opened < 2; opened++) {
      try (MetadataStore today = Stores.open(store)) {
        for (Table table : Table.values()) {
          Map<String, String> expected = new HashMap<>();
          for (int i = 0; i < ENTRIES; i++) {
            expected.put(key(table, i), value(table, i));
          }
          assertThat(Stores.contents(today, table)).isEqualTo(expected);
        }
      }
    }
    // An unreadable store would have been set aside.
    assertThat(Stores.list(directory)).containsExactly(store, archive);
  }

  /** Writes the file; only a new format version is a reason to do so, and then for a new file. */
  public static void main(String[] args) throws Exception {
    Path scratch = Files.createTempDirectory("golden");
    Path directory = scratch.resolve("store");
    try (MetadataStore store = Stores.open(directory)) {
      store.write(batch(0, FIRST_PART));
    }
    try (MetadataStore store = Stores.open(directory)) {
      store.write(batch(FIRST_PART, ENTRIES));
    }
    Path archive = Path.of(args[0]).resolve(ARCHIVE).toAbsolutePath();
    new ProcessBuilder(
            "tar", "-czf", archive.toString(), "--exclude=LOG*", "--owner=0", "--group=0", "store")
        .directory(scratch.toFile())
        .inheritIO()
        .start()
        .waitFor();
  }
}
