/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.block.TagKey;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreForeignException;
import java.io.IOException;

/** Opens stores of volumes that no DataNode has in service. */
public final class OfflineStore {

  /** For what a volume's secret is made into the name by which stores know the volume. */
  public static final String VOLUME_PURPOSE = "metadata store";

  private OfflineStore() {}

  /**
   * Opens a store, to be closed by the caller. Nobody else may use the volume meanwhile.
   *
   * @param key the volume's secret
   * @throws StoreForeignException if the store is another volume's
   */
  public static MetadataStore open(MetadataStoreProvider provider, StoreContext context, TagKey key)
      throws IOException {
    MetadataStore store = provider.open(context);
    boolean opened = false;
    try {
      StoreIdentity found = StoreLink.lastIdentity(store);
      byte[] volume = key.derive(VOLUME_PURPOSE, StoreIdentity.ID_LENGTH);
      if (found != null && !found.isOfVolume(volume)) {
        throw new StoreForeignException(
            "the "
                + provider.name()
                + " store belongs to another volume; empty it, or give each DataNode a store of its"
                + " own");
      }
      opened = true;
      return store;
    } finally {
      if (!opened) {
        store.close();
      }
    }
  }
}
