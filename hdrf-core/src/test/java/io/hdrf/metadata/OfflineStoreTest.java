/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.TagKey;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreForeignException;
import io.hdrf.spi.store.Table;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OfflineStoreTest {

  @Test
  void anotherVolumesStoreIsRefused(@TempDir Path directory) throws Exception {
    MetadataStoreProvider provider = new MapStoreProvider();
    StoreContext context =
        StoreContext.of(new Configuration(false), "map", directory, "DS-1", "BP-1");
    TagKey key = new TagKey(new byte[TagKey.LENGTH]);
    byte[] own = StoreIdentity.volume(key);
    MetadataStores.openOffline(provider, context, key, false).close();
    byte[] session = new byte[StoreIdentity.ID_LENGTH];
    try (MetadataStore store = provider.open(context)) {
      store.write(
          new StoreBatch()
              .put(
                  Table.STATE,
                  StoreIdentity.key(7),
                  new StoreIdentity(own, session, 7, true).encode()));
    }
    MetadataStores.openOffline(provider, context, key, false).close();
    byte[] secret = new byte[TagKey.LENGTH];
    secret[0] = 1;
    assertThatThrownBy(
            () -> MetadataStores.openOffline(provider, context, new TagKey(secret), false))
        .isInstanceOf(StoreForeignException.class)
        .hasMessageContaining("another volume");
    try (MetadataStore store = provider.open(context)) {
      assertThat(store.get(Table.STATE, List.of(StoreIdentity.key(7))).get(0)).isNotNull();
    }
  }

  /** A store that is to be made anew is emptied anyway; if nothing shows that it is another's. */
  @Test
  void damagedIdentityKeepsNobodyFromMakingAllRecordsAnew(@TempDir Path directory)
      throws Exception {
    MetadataStoreProvider provider = new MapStoreProvider();
    StoreContext context =
        StoreContext.of(new Configuration(false), "map", directory, "DS-2", "BP-1");
    TagKey key = new TagKey(new byte[TagKey.LENGTH]);
    put(provider, context, 0, new byte[] {1, 2, 3});
    put(provider, context, 1, new byte[StoreIdentity.LENGTH]);
    assertThatThrownBy(() -> MetadataStores.openOffline(provider, context, key, false))
        .isInstanceOf(StoreCorruptException.class);
    MetadataStores.openOffline(provider, context, key, true).close();
    byte[] other = new byte[StoreIdentity.ID_LENGTH];
    put(provider, context, 1, new StoreIdentity(other, other, 1, true).encode());
    assertThatThrownBy(() -> MetadataStores.openOffline(provider, context, key, true))
        .isInstanceOf(StoreForeignException.class);
  }

  private static void put(
      MetadataStoreProvider provider, StoreContext context, long sequence, byte[] identity)
      throws Exception {
    try (MetadataStore store = provider.open(context)) {
      store.write(new StoreBatch().put(Table.STATE, StoreIdentity.key(sequence), identity));
    }
  }
}
