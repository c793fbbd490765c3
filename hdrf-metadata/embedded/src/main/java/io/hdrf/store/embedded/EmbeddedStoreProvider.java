/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataSpiVersion;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreUnreachableException;
import java.io.IOException;

/**
 * Stores that are RocksDB databases, one in the directory of each {@link StoreContext}.
 *
 * <p>{@code hdrf.metadata.embedded.memory} bounds approximately the memory of all of them in a
 * process. A damaged store is never deleted: its directory is renamed to {@code
 * <directory>.damaged-<n>} and an empty one is opened instead, which the caller must fill again
 * from the volume's files. If a later read finds damage, that call throws {@link
 * StoreCorruptException}, and the next open sets the store aside.
 */
public final class EmbeddedStoreProvider implements MetadataStoreProvider {

  static final String MEMORY = "memory";
  private static final int DEFAULT_MEMORY = 64 << 20;
  private static final int MIN_MEMORY = 8 << 20;

  @Override
  public String name() {
    return "embedded";
  }

  @Override
  public int spiVersion() {
    return MetadataSpiVersion.CURRENT;
  }

  @Override
  public void checkSettings(PluginSettings settings) throws BadSettingException {
    memory(settings);
  }

  private static int memory(PluginSettings settings) throws BadSettingException {
    return settings.getSize(MEMORY, DEFAULT_MEMORY, MIN_MEMORY, Integer.MAX_VALUE);
  }

  @Override
  public MetadataStore open(StoreContext context) throws MetadataException {
    int memory;
    try {
      memory = memory(context.settings());
      RocksLibrary.load();
    } catch (IOException e) {
      throw new StoreUnreachableException(
          context.directory() + " can't be opened: " + e.getMessage(), e);
    }
    StoreDirectory directory = StoreDirectory.lock(context.directory());
    try {
      return open(directory, memory);
    } catch (MetadataException | RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  private static MetadataStore open(StoreDirectory directory, int memory) throws MetadataException {
    try {
      return openAsItIs(directory, memory);
    } catch (StoreCorruptException e) {
      directory.setAside(e);
      return openAsItIs(directory, memory);
    }
  }

  private static MetadataStore openAsItIs(StoreDirectory directory, int memory)
      throws MetadataException {
    return new EmbeddedStore(directory, memory, EmbeddedStore.openHandles(directory, memory));
  }
}
