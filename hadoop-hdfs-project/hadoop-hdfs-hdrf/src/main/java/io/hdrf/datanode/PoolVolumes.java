/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HdrfConf;
import io.hdrf.io.DurableFiles;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The {@link PoolVolume}s of a DataNode, opened once each. Thread-safe. */
final class PoolVolumes {

  private static final Logger LOG = LoggerFactory.getLogger(PoolVolumes.class);

  private static final class Key {
    private final String storageId;
    private final String poolId;

    Key(FsVolumeSpi volume, String poolId) {
      this.storageId = volume.getStorageID();
      this.poolId = poolId;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key
          && ((Key) other).storageId.equals(storageId)
          && ((Key) other).poolId.equals(poolId);
    }

    @Override
    public int hashCode() {
      return storageId.hashCode() * 31 + poolId.hashCode();
    }
  }

  private final HdrfConf conf;
  private final SchemeRegistry registry;
  private final Map<StorageType, SchemeChain> chains;
  private final DurableFiles files;
  private final Map<Key, PoolVolume> opened = new ConcurrentHashMap<>();

  PoolVolumes(
      HdrfConf conf,
      SchemeRegistry registry,
      Map<StorageType, SchemeChain> chains,
      DurableFiles files) {
    this.conf = conf;
    this.registry = registry;
    this.chains = chains;
    this.files = files;
  }

  /**
   * Opens HDRF's part of a pool on a volume unless it is open.
   *
   * @throws IOException says why the volume must not start
   */
  PoolVolume open(FsVolumeSpi volume, String poolId) throws IOException {
    Key key = new Key(volume, poolId);
    PoolVolume present = opened.get(key);
    if (present != null) {
      return present;
    }
    synchronized (this) {
      present = opened.get(key);
      if (present == null) {
        present = openIn(poolDirectory(volume, poolId), volume.getStorageType(), poolId);
        opened.put(key, present);
      }
      return present;
    }
  }

  /** Checks what {@link #open} would check, for a volume that is not in service yet. */
  void check(File volumeDirectory, StorageType type, String poolId) throws IOException {
    openIn(poolDirectory(volumeDirectory.toPath(), poolId), type, poolId).close();
  }

  private PoolVolume openIn(Path directory, StorageType type, String poolId) throws IOException {
    return PoolVolume.open(
        directory, poolId, chains.get(type), registry, conf.configuration(), files);
  }

  /**
   * The open part of a pool on a volume.
   *
   * @throws UnavailableException if it can't be opened
   */
  PoolVolume get(FsVolumeSpi volume, String poolId) throws UnavailableException {
    try {
      return open(volume, poolId);
    } catch (IOException e) {
      throw new UnavailableException(volume + " is not ready for pool " + poolId, e);
    }
  }

  private static Path poolDirectory(FsVolumeSpi volume, String poolId) {
    return poolDirectory(new File(volume.getBaseURI()).toPath(), poolId);
  }

  private static Path poolDirectory(Path volumeDirectory, String poolId) {
    return volumeDirectory.resolve("current").resolve(poolId);
  }

  boolean anyMayHoldReducedBlocks() {
    return opened.values().stream().anyMatch(PoolVolume::mayHoldReducedBlocks);
  }

  void closePool(String poolId) {
    close(key -> key.poolId.equals(poolId));
  }

  void closeVolume(String storageId) {
    close(key -> key.storageId.equals(storageId));
  }

  void closeAll() {
    close(key -> true);
  }

  private void close(Predicate<Key> which) {
    List<Key> keys = new ArrayList<>(opened.keySet());
    for (Key key : keys) {
      PoolVolume volume = which.test(key) ? opened.remove(key) : null;
      if (volume != null) {
        try {
          volume.close();
        } catch (IOException e) {
          LOG.warn("Closing the schemes in {} failed", volume.directory(), e);
        }
      }
    }
  }
}
