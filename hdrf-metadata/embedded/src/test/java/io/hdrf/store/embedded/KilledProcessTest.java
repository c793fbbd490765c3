/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.ChildJvm;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class KilledProcessTest {

  @TempDir Path directory;

  /** Writes enough that buffers are flushed meanwhile. */
  @Test
  void whatTheLogWasToldSurvivesAKill() throws Exception {
    int acknowledged = writeAndKill(6000);
    try (MetadataStore store = Stores.open(store())) {
      for (Table table : Table.values()) {
        Map<String, String> contents = Stores.contents(store, table);
        for (int i = 0; i <= acknowledged; i++) {
          assertThat(contents).containsEntry("k" + i, Writer.value(i));
        }
      }
    }
    assertThat(Stores.list(directory)).containsExactly(store());
  }

  private Path store() {
    return directory.resolve("store");
  }

  /** Returns the last number that the process printed. */
  private int writeAndKill(int atLeast) throws Exception {
    int last = -1;
    try (ChildJvm process = ChildJvm.start(Stores.JVM_FLAGS, Writer.class, store())) {
      while (last < atLeast) {
        last = number(process.readLine());
      }
      assertThatThrownBy(() -> Stores.open(store()))
          .isInstanceOf(StoreUnreachableException.class)
          .hasMessageContaining(store().toString())
          .hasMessageContaining("in use");
      assertThat(process.kill()).isEqualTo(ChildJvm.KILLED);
      for (String line = process.readLine(); line != null; line = process.readLine()) {
        last = Math.max(last, line.isEmpty() ? -1 : number(line));
      }
    }
    return last;
  }

  private static int number(String line) {
    assertThat(line).as("what the process printed").isNotNull();
    return Integer.parseInt(line);
  }

  @Test
  void noLibraryIsLeftBehind() throws Exception {
    Stores.open(store()).close();
    List<String> maps = Files.readAllLines(Path.of("/proc/self/maps"));
    assertThat(maps.stream().filter(line -> line.contains("librocksdbjni")))
        .isNotEmpty()
        .allMatch(line -> line.contains("/hdrf-rocksdb-") && line.endsWith(" (deleted)"));
  }

  @Test
  void aStoreIsOpenOnlyOnceInAProcess() throws Exception {
    try (MetadataStore store = Stores.open(store())) {
      assertThatThrownBy(() -> Stores.open(store()))
          .isInstanceOf(StoreUnreachableException.class)
          .hasMessageContaining(store().toString());
      assertThat(store.estimatedCount(Table.BLOCKS)).isZero();
    }
    Stores.open(store()).close();
  }
}
