/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.block.StoredBlocks;
import io.hdrf.conf.HdrfConf;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.ChunkLookup;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/**
 * The {@link PoolSlice}s of a DataNode that are in service. Only {@link #open} puts one there: a
 * late user of a pool that has left must not open it again. Thread-safe.
 */
public final class PoolSlices {

  /** Receives changes of the space that schemes' stores take. */
  public interface StoreGrowth {
    /**
     * May be called under any lock.
     *
     * @param bytes how many more there are; negative where there are fewer
     */
    void add(FsVolumeSpi volume, String poolId, long bytes);
  }

  private final HdrfConf conf;
  private final SchemeRegistry registry;
  private final Map<StorageType, SchemeChain> chains;
  private final DurableFiles files;
  private final MemoryBudget memory;
  private final StoreGrowth storeGrowth;
  private final BiFunction<FsVolumeSpi, String, StoredBlocks.UnreadableListener> unreadable;
  private final Map<String, PoolSlice> opened = new ConcurrentHashMap<>();

  /** The locks held while a slice is opened. The map's own lock would keep others waiting. */
  private final Map<String, Object> opening = new ConcurrentHashMap<>();

  /**
   * @param memory of the DataNode, for schemes' stores
   * @param unreadable gives what receives the block files of a pool on a volume that can't be read
   */
  public PoolSlices(
      HdrfConf conf,
      SchemeRegistry registry,
      Map<StorageType, SchemeChain> chains,
      DurableFiles files,
      MemoryBudget memory,
      StoreGrowth storeGrowth,
      BiFunction<FsVolumeSpi, String, StoredBlocks.UnreadableListener> unreadable) {
    this.conf = conf;
    this.registry = registry;
    this.chains = chains;
    this.files = files;
    this.memory = memory;
    this.storeGrowth = storeGrowth;
    this.unreadable = unreadable;
  }

  /**
   * Opens HDRF's part of a pool on a volume, and puts it into service, unless it is there.
   *
   * @return false if it was there
   * @throws IOException says why the volume must not start
   */
  public boolean open(FsVolumeSpi volume, String poolId) throws IOException {
    String key = key(volume.getStorageID(), poolId);
    // Never twice at once: a scheme may have a store there.
    synchronized (opening.computeIfAbsent(key, any -> new Object())) {
      if (opened.containsKey(key)) {
        return false;
      }
      opened.put(
          key,
          PoolSlice.open(
              poolDirectory(volume, poolId),
              volume.getStorageID(),
              poolId,
              chains.get(volume.getStorageType()),
              registry,
              conf.configuration(),
              files,
              bytes -> storesGrew(volume, poolId, bytes),
              memory,
              unreadable.apply(volume, poolId),
              scheme -> elsewhere(volume.getStorageID(), poolId, scheme)));
      return true;
    }
  }

  private ChunkLookup elsewhere(String storageId, String poolId, String scheme) {
    return new DetachedLookup(
        new PoolChunks(this, poolId, scheme, storageId, true), "hdrf-elsewhere-" + storageId);
  }

  /** Ignores growth while a store is opened or closed: du counts that. */
  private void storesGrew(FsVolumeSpi volume, String poolId, long bytes) {
    if (opened.containsKey(key(volume.getStorageID(), poolId))) {
      storeGrowth.add(volume, poolId, bytes);
    }
  }

  /**
   * The part of a pool on a volume, in use by the caller until it calls {@link PoolSlice#endUse}.
   *
   * @throws UnavailableException if it is not in service
   */
  public PoolSlice use(FsVolumeSpi volume, String poolId) throws UnavailableException {
    return use(volume.getStorageID(), poolId);
  }

  /** Returns the same by the volume's storage id. */
  public PoolSlice use(String storageId, String poolId) throws UnavailableException {
    PoolSlice found = opened.get(key(storageId, poolId));
    if (found == null || found.isOutOfService() || !found.beginUse()) {
      throw new UnavailableException(
          "storage " + storageId + " is not in service for pool " + poolId, null);
    }
    return found;
  }

  /** The part of a pool on a volume, for a look; null where it is not in service. */
  public PoolSlice find(String storageId, String poolId) {
    return opened.get(key(storageId, poolId));
  }

  /** The slices of a volume that are in service. */
  public List<PoolSlice> of(FsVolumeSpi volume) {
    List<PoolSlice> found = new ArrayList<>();
    forEach(
        slice -> {
          if (slice.storageId().equals(volume.getStorageID())) {
            found.add(slice);
          }
        });
    return found;
  }

  private static String key(String storageId, String poolId) {
    return storageId + "/" + poolId;
  }

  /** Returns {@code <volume>/current/<pool>}. */
  public static Path poolDirectory(FsVolumeSpi volume, String poolId) {
    return new File(volume.getBaseURI()).toPath().resolve("current").resolve(poolId);
  }

  /** Visits all slices in service. */
  public void forEach(Consumer<PoolSlice> visitor) {
    opened.values().forEach(visitor);
  }

  public boolean anyMayHoldReducedBlocks() {
    return opened.values().stream().anyMatch(PoolSlice::mayHoldReducedBlocks);
  }

  /** The replicas of a pool are about to be forgotten. */
  public void poolLeaves(String poolId) {
    opened.values().stream()
        .filter(slice -> slice.poolId().equals(poolId))
        .forEach(PoolSlice::leaves);
  }

  public void closePool(String poolId) {
    close(slice -> slice.poolId().equals(poolId));
  }

  /** Takes a pool on one volume out of service. */
  public void close(String storageId, String poolId) {
    close(slice -> slice.storageId().equals(storageId) && slice.poolId().equals(poolId));
  }

  public void closeVolume(String storageId) {
    close(slice -> slice.storageId().equals(storageId));
  }

  public void closeAll() {
    close(slice -> true);
  }

  private void close(Predicate<PoolSlice> which) {
    List<PoolSlice> slices = new ArrayList<>(opened.values());
    slices.removeIf(which.negate());
    for (PoolSlice slice : slices) {
      // First: stock code may forget the replicas meanwhile, and poolLeaves no longer finds it.
      slice.leaves();
      PoolSlice removed = opened.remove(key(slice.storageId(), slice.poolId()));
      if (removed != null) {
        removed.close();
      }
    }
  }
}
