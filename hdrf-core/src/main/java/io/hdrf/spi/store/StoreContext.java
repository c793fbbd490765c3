/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.spi.PluginSettings;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/** The place and the settings for which a store is opened. Immutable. */
public final class StoreContext {
  /** The beginning of a store directory's name; the store's name follows. */
  private static final String DIRECTORY_PREFIX = "metadata-";

  private final PluginSettings settings;
  private final Path directory;
  private final String storageId;
  private final String poolId;

  /**
   * @param settings the store's, {@code hdrf.metadata.<name>.*}
   * @param directory the directory for the store's files, if it has any; the store creates it. It
   *     lies on the volume and belongs to this store alone
   * @param storageId the volume's id in HDFS
   * @param poolId the block pool's id
   */
  public StoreContext(PluginSettings settings, Path directory, String storageId, String poolId) {
    this.settings = settings;
    this.directory = directory;
    this.storageId = storageId;
    this.poolId = poolId;
  }

  /** Returns the context of a store in HDRF's directory of a pool on a volume. */
  public static StoreContext of(
      Configuration configuration, String store, Path hdrf, String storageId, String poolId) {
    return new StoreContext(
        new PluginSettings(configuration, HdrfKeys.METADATA_SECTION + "." + store),
        hdrf.resolve(DIRECTORY_PREFIX + store),
        storageId,
        poolId);
  }

  public PluginSettings settings() {
    return settings;
  }

  public Path directory() {
    return directory;
  }

  public String storageId() {
    return storageId;
  }

  public String poolId() {
    return poolId;
  }
}
