/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import io.hdrf.conf.HdrfConf;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.metadata.BlockInventory;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.metadata.MetadataStores;
import io.hdrf.metadata.RecordCounters;
import io.hdrf.metadata.StoreIdentity;
import io.hdrf.metadata.StoreListener;
import io.hdrf.metadata.StoreStatus;
import io.hdrf.metadata.VolumeRecords;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.thread.HdrfThreads;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The block records of a DataNode: one {@link VolumeRecords} for each pool on each volume that may
 * hold reduced blocks. Only {@link #close}, {@link #closePool} and {@link #closeVolume} wait for a
 * store, for a few seconds; {@link #open} waits for the volume's disk. Thread-safe.
 */
public final class BlockRecords implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(BlockRecords.class);

  /** Runs before file systems are closed, which has priority 10. */
  public static final int EXIT_PRIORITY = 20;

  /** The longest wait of {@link #poolLeaves}. */
  private static final long LEAVE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long POLL_MILLIS = 10;

  private final HdrfConf conf;
  private final MetadataStoreProvider provider;
  private final DurableFiles files;
  private final RecordCounters counters = new RecordCounters();
  private final Map<String, VolumeRecords> records = new ConcurrentHashMap<>();

  /** Held while records are opened, which waits for the volume's disk. */
  private final Object opening = new Object();

  private final Runnable exitHook = this::closeAtExit;
  private volatile boolean closed;

  /**
   * Checks the settings; connects to nothing.
   *
   * @throws IOException names the key that is wrong
   */
  public BlockRecords(HdrfConf conf, DurableFiles files) throws IOException {
    this.conf = conf;
    this.files = files;
    this.provider = MetadataStores.chosen(conf);
    if (provider != null) {
      provider.checkSettings(
          new PluginSettings(
              conf.configuration(), HdrfKeys.METADATA_SECTION + "." + provider.name()));
    }
  }

  /** The store's name, for people. */
  public String storeName() {
    return provider == null ? MetadataStores.NONE : provider.name();
  }

  /** Begins to keep records of a pool on a volume, unless they are kept already or not wanted. */
  public void open(
      FsVolumeSpi volume, PoolSlice slice, ReplicaInventory inventory, DatasetAccess dataset) {
    if (closed || !slice.mayHoldReducedBlocks()) {
      return;
    }
    if (provider == null) {
      VolumeRecords.distrust(slice.directory(), files);
      return;
    }
    ShutdownHookManager hooks = ShutdownHookManager.get();
    if (!hooks.isShutdownInProgress() && !hooks.hasShutdownHook(exitHook)) {
      hooks.addShutdownHook(exitHook, EXIT_PRIORITY, conf.hookSeconds(), TimeUnit.SECONDS);
    }
    String storageId = volume.getStorageID();
    Path directory = slice.directory();
    String key = key(storageId, slice.poolId());
    synchronized (opening) {
      if (records.containsKey(key)) {
        return;
      }
      VolumeRecords opened =
          new VolumeRecords(
              provider,
              StoreContext.of(
                  conf.configuration(), provider.name(), directory, storageId, slice.poolId()),
              StoreIdentity.volume(slice.key()),
              directory,
              files,
              present(volume, slice, inventory, dataset),
              conf.recordSettings(),
              counters,
              failureListener(volume, dataset));
      slice.services().setMetadata(opened);
      opened.start();
      // Not before: no change may come earlier.
      records.put(key, opened);
      if (closed || slice.isOutOfService()) {
        // It was not there yet for who closed them meanwhile.
        records.remove(key, opened);
        opened.close();
      }
    }
  }

  /**
   * An inventory that does not take a block for deleted where its volume or pool leaves: the record
   * would go, and its absence be vouched for.
   */
  private BlockInventory present(
      FsVolumeSpi volume, PoolSlice slice, BlockInventory inventory, DatasetAccess dataset) {
    return new BlockInventory() {
      @Override
      public void forEach(LongConsumer blockIds) throws IOException {
        inventory.forEach(blockIds);
        if (slice.isLeaving() || !dataset.volumes().contains(volume)) {
          throw new IOException(volume + " or the pool leaves");
        }
      }

      @Override
      public BlockRecord look(long blockId, int reason) throws IOException {
        BlockRecord found = inventory.look(blockId, reason);
        if (found == null && mayLack(blockId)) {
          throw new IOException(volume + " or the pool leaves");
        }
        return found;
      }

      /** A pool's replicas are forgotten all at once: one that is left is proof of the others. */
      private boolean mayLack(long blockId) {
        return !dataset.volumes().contains(volume)
            || (slice.isLeaving()
                && dataset.replica(new BlockRef(slice.poolId(), blockId)) == null);
      }

      @Override
      public boolean mayGoBack() {
        return inventory.mayGoBack();
      }
    };
  }

  /**
   * To be called before the replicas of a pool are forgotten, and {@link PoolSlice#leaves}. Waits a
   * little for the changes that wait to be written: after others the next start compares all
   * records.
   */
  public void poolLeaves(String poolId) {
    long deadline = System.nanoTime() + LEAVE_NANOS;
    boolean interrupted = false;
    while (volumes().stream().anyMatch(volume -> isWriting(volume, poolId))
        && System.nanoTime() - deadline < 0) {
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        // As stock code does to the thread that ends a pool.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isWriting(VolumeRecords volume, String poolId) {
    return volume.poolId().equals(poolId)
        && volume.pending() > 0
        && volume.status().state() == StoreStatus.State.IN_STEP;
  }

  private StoreListener failureListener(FsVolumeSpi volume, DatasetAccess dataset) {
    if (!conf.failNode()) {
      return (downMillis, why) -> {};
    }
    AtomicBoolean reported = new AtomicBoolean();
    long graceMillis = TimeUnit.SECONDS.toMillis(conf.failureGraceSeconds());
    return (downMillis, why) -> {
      if (downMillis >= graceMillis && reported.compareAndSet(false, true)) {
        LOG.error(
            "{} is reported failed, because {} is fail-node and its metadata store has failed for"
                + " {} ms: {}",
            volume,
            HdrfKeys.METADATA_ON_FAILURE,
            downMillis,
            why.getMessage());
        // Not on the thread that writes records, which the removal of the volume waits for.
        HdrfThreads.create(
                "hdrf-fail-volume",
                () -> dataset.failVolume(volume, "its metadata store failed: " + why.getMessage()))
            .start();
      }
    };
  }

  private static String key(String storageId, String poolId) {
    return storageId + "/" + poolId;
  }

  /**
   * Records that a block came, went, moved, or has another form. Never waits while records are
   * kept.
   *
   * @param reason see {@link VolumeRecords#changed}
   */
  public void changed(BlockRef block, int reason) {
    for (VolumeRecords volume : records.values()) {
      if (volume.poolId().equals(block.poolId())) {
        volume.changed(block.blockId(), reason);
      }
    }
  }

  /** The records of every pool on every volume; a snapshot. */
  public List<VolumeRecords> volumes() {
    return new ArrayList<>(records.values());
  }

  /** The records of a pool on a volume; null where none are kept. */
  public VolumeRecords find(String storageId, String poolId) {
    return records.get(key(storageId, poolId));
  }

  /** The number of changes that wait to be written. */
  public long pending() {
    return records.values().stream().mapToLong(VolumeRecords::pending).sum();
  }

  /** The number of stores that do not work now. */
  public long down() {
    return records.values().stream()
        .filter(volume -> volume.status().state() == StoreStatus.State.DOWN)
        .count();
  }

  public RecordCounters counters() {
    return counters;
  }

  public void closePool(String poolId) {
    close(volume -> volume.poolId().equals(poolId));
  }

  public void closeVolume(String storageId) {
    close(volume -> volume.storageId().equals(storageId));
  }

  private void close(Predicate<VolumeRecords> which) {
    List<VolumeRecords> volumes = volumes();
    volumes.removeIf(which.negate());
    volumes.forEach(VolumeRecords::beginClose);
    for (VolumeRecords volume : volumes) {
      // Listed until then, so that a late change is noticed.
      volume.close();
      records.values().remove(volume);
    }
  }

  /**
   * Closes the stores when the process ends: a DataNode does not shut its dataset down then. The
   * volumes stay listed, so that a later change is noticed.
   */
  private void closeAtExit() {
    volumes().forEach(VolumeRecords::beginClose);
    volumes().forEach(VolumeRecords::close);
  }

  @Override
  public void close() {
    closed = true;
    ShutdownHookManager hooks = ShutdownHookManager.get();
    if (!hooks.isShutdownInProgress()) {
      hooks.removeShutdownHook(exitHook);
    }
    close(volume -> true);
  }
}
