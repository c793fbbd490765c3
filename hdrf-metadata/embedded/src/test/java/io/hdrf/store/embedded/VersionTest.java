/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreVersionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VersionTest {

  @TempDir Path parent;

  @Test
  void theLineOfVersion1() {
    assertThat(VersionFile.line(1)).isEqualTo("hdrf-embedded-store 1 6d69feb3\n");
  }

  @Test
  void aNewStoreSaysItsVersion() throws IOException {
    Path store = parent.resolve("store");
    Stores.open(store).close();
    assertThat(store.resolve("VERSION")).hasContent(VersionFile.line(VersionFile.CURRENT));
    try (MetadataStore again = Stores.open(store)) {
      assertThat(again).isNotNull();
    }
    assertThat(Stores.list(parent)).containsExactly(store);
  }

  @Test
  void aStoreOfALaterVersionIsLeftAlone() throws IOException {
    Path store = parent.resolve("store");
    Stores.open(store).close();
    Files.writeString(store.resolve("VERSION"), VersionFile.line(2));
    Path copy = Stores.copy(store, parent.resolve("copy"));
    assertThatThrownBy(() -> Stores.open(store))
        .isInstanceOf(StoreVersionException.class)
        .hasMessageContaining(store.toString())
        .hasMessageContaining("version 2");
    assertThat(Stores.list(parent)).containsExactly(copy, store);
    for (Path file : Stores.list(copy)) {
      assertThat(store.resolve(file.getFileName())).hasSameBinaryContentAs(file);
    }
    Files.writeString(store.resolve("VERSION"), VersionFile.line(1));
    Stores.open(store).close();
  }

  @Test
  void aCrashWhileAStoreIsMadeDoesNoHarm() throws IOException {
    Path store = Files.createDirectory(parent.resolve("store"));
    Files.writeString(store.resolve("VERSION.tmp"), "hdrf");
    Stores.open(store).close();
    assertThat(Stores.list(parent)).containsExactly(store);
    assertThat(store.resolve("VERSION.tmp")).doesNotExist();
  }
}
