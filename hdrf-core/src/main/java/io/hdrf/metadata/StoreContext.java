/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.scheme.SchemeSettings;
import java.nio.file.Path;

/** What a store is opened for. Immutable. */
public final class StoreContext {
  private final SchemeSettings settings;
  private final Path directory;
  private final String storageId;
  private final String poolId;

  /**
   * @param settings the store's, {@code hdrf.metadata.<name>.*}
   * @param directory for the files of a store that has any; the store makes it. It lies on the
   *     volume and belongs to this store alone
   * @param storageId the volume's id in HDFS
   * @param poolId the block pool's id
   */
  public StoreContext(SchemeSettings settings, Path directory, String storageId, String poolId) {
    this.settings = settings;
    this.directory = directory;
    this.storageId = storageId;
    this.poolId = poolId;
  }

  public SchemeSettings settings() {
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
