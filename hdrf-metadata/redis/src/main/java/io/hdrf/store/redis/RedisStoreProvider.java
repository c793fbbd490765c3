/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import io.hdrf.metadata.MetadataException;
import io.hdrf.metadata.MetadataSpiVersion;
import io.hdrf.metadata.MetadataStore;
import io.hdrf.metadata.MetadataStoreProvider;
import io.hdrf.metadata.StoreContext;
import io.hdrf.metadata.StoreUnreachableException;
import io.hdrf.scheme.SchemeSettings;
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
  public void checkSettings(SchemeSettings settings) throws IOException {
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
