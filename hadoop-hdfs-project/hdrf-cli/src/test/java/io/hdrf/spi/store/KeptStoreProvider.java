/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

import io.hdrf.spi.PluginSettings;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Stores that a test makes; in a package that plug-ins share with HDRF, so that both see one. */
public final class KeptStoreProvider implements MetadataStoreProvider {
  public static final String NAME = "kept";

  /** By storage id. */
  public static final Map<String, MetadataStore> STORES = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int spiVersion() {
    return MetadataSpiVersion.CURRENT;
  }

  @Override
  public void checkSettings(PluginSettings settings) {}

  @Override
  public MetadataStore open(StoreContext context) {
    return STORES.get(context.storageId());
  }
}
