/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataSpiVersion;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreUnreachableException;
import java.io.IOException;

/** The store {@code redis}: all entries in a Redis server, each DataNode's or a shared one. */
public final class RedisStoreProvider implements MetadataStoreProvider {

  static final String NAME = "redis";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int spiVersion() {
    return MetadataSpiVersion.CURRENT;
  }

  @Override
  public void checkSettings(PluginSettings settings) throws IOException {
    new Connector(new RedisSettings(settings));
  }

  @Override
  public MetadataStore open(StoreContext context) throws MetadataException {
    Connector connector;
    RedisSettings settings;
    try {
      settings = new RedisSettings(context.settings());
      connector = new Connector(settings);
    } catch (IOException e) {
      throw new StoreUnreachableException("store redis: " + e.getMessage(), e);
    }
    return RedisStore.open(
        settings, connector, new RedisNamespace(context.storageId(), context.poolId()));
  }
}
