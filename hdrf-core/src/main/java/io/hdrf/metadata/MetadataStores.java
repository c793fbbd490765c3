/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.block.TagKey;
import io.hdrf.conf.HdrfConf;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.plugin.PluginLoader;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.store.MetadataSpiVersion;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreForeignException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The installed kinds of stores, by name; opens them outside of a DataNode. Immutable. */
public final class MetadataStores {

  /** The value of the key for no store. */
  public static final String NONE = "none";

  /** The store that is used if none is named and this one is installed. */
  public static final String DEFAULT = "embedded";

  private final Map<String, MetadataStoreProvider> byName = new TreeMap<>();

  private MetadataStores(Map<MetadataStoreProvider, String> origins) throws IOException {
    for (Map.Entry<MetadataStoreProvider, String> entry : origins.entrySet()) {
      MetadataStoreProvider provider = entry.getKey();
      if (provider.spiVersion() != MetadataSpiVersion.CURRENT) {
        throw new IOException(
            String.format(
                "%s was built for version %d of the metadata store SPI; this HDRF has version %d",
                entry.getValue(), provider.spiVersion(), MetadataSpiVersion.CURRENT));
      }
      MetadataStoreProvider other = byName.putIfAbsent(provider.name(), provider);
      if (other != null) {
        throw new IOException(
            String.format(
                "two metadata stores are named \"%s\": %s and %s",
                provider.name(), origins.get(other), entry.getValue()));
      }
    }
  }

  /**
   * Returns the store that the configuration chooses.
   *
   * @return null for none
   * @throws IOException if a key is wrong; the message names it
   */
  public static MetadataStoreProvider chosen(HdrfConf conf) throws IOException {
    String name = conf.metadataStore();
    Path plugins = conf.pluginsDirectory();
    if (NONE.equals(name) || (name == null && plugins == null)) {
      return null;
    }
    if (plugins == null) {
      throw new IOException(
          HdrfKeys.METADATA_STORE
              + " is \""
              + name
              + "\", but "
              + HdrfKeys.PLUGINS_DIR
              + ", the directory with its jar, is not set");
    }
    MetadataStores stores = load(plugins);
    if (name == null && !stores.byName.containsKey(DEFAULT)) {
      return null;
    }
    return stores.named(HdrfKeys.METADATA_STORE, name == null ? DEFAULT : name);
  }

  /** Loads the stores of a plug-in directory. */
  public static MetadataStores load(Path pluginsDirectory) throws IOException {
    return new MetadataStores(PluginLoader.load(pluginsDirectory, MetadataStoreProvider.class));
  }

  /**
   * Returns the store that a key names.
   *
   * @param key the configuration key, for the message
   * @throws BadSettingException if there is no store of that name
   */
  public MetadataStoreProvider named(String key, String name) throws BadSettingException {
    MetadataStoreProvider provider = byName.get(name);
    if (provider == null) {
      throw new BadSettingException(
          key, name, "\"" + NONE + "\" or one of the installed stores " + byName.keySet());
    }
    return provider;
  }

  /**
   * Opens the store of a volume that no DataNode has in service; the caller closes it. Nothing else
   * may use the volume meanwhile.
   *
   * @param key the volume's secret
   * @param toRebuild whether the caller empties the store, so that its identity may be damaged
   * @throws StoreForeignException if the store is another volume's
   */
  public static MetadataStore openOffline(
      MetadataStoreProvider provider, StoreContext context, TagKey key, boolean toRebuild)
      throws IOException {
    MetadataStore store = provider.open(context);
    boolean opened = false;
    try {
      StoreLink.requireOwn(
          store, "the " + provider.name() + " store", StoreIdentity.volume(key), toRebuild);
      opened = true;
      return store;
    } finally {
      if (!opened) {
        store.close();
      }
    }
  }
}
