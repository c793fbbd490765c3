/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.scheme.Guide;
import io.hdrf.spi.store.BaseMetadataStoreTestCase;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store whose source is in {@code docs/stores.md}. */
class StoresGuideTest extends BaseMetadataStoreTestCase {

  @TempDir static Path plugins;

  @TempDir static Path work;

  @BeforeAll
  static void build() throws Exception {
    Guide guide = new Guide(Path.of("../docs/stores.md"), work);
    Files.copy(guide.build("acme-log.jar"), plugins.resolve("acme-log.jar"));
  }

  /** A write that was cut off by the end of the process is dropped; later damage is damage. */
  @Test
  void aTornEndIsCutOffAndDamageIsTold(@TempDir Path directory) throws IOException {
    byte[] key = {1};
    try (MetadataStore store = open("DS-1", "BP-1", directory)) {
      store.write(new StoreBatch().put(Table.BLOCKS, key, new byte[] {2}));
      store.write(new StoreBatch().put(Table.BLOCKS, key, new byte[] {3}));
    }
    Path log = directory.resolve("log");
    byte[] whole = Files.readAllBytes(log);
    Files.write(log, Arrays.copyOf(whole, whole.length - 1));
    try (MetadataStore store = open("DS-1", "BP-1", directory)) {
      assertThat(store.get(Table.BLOCKS, List.of(key))).containsExactly(new byte[] {2});
    }
    whole[whole.length - 1] ^= 1;
    Files.write(log, whole);
    assertThatThrownBy(() -> open("DS-1", "BP-1", directory))
        .isInstanceOf(StoreCorruptException.class);
  }

  @Override
  protected MetadataStoreProvider provider() {
    try {
      return MetadataStores.load(plugins).named(HdrfKeys.METADATA_STORE, "acme-log");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of("hdrf.metadata.acme-log.max.length", List.of("0", "much"));
  }
}
