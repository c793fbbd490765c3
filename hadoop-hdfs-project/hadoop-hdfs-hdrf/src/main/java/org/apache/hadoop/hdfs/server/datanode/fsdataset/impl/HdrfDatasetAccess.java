/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.block.BlockRef;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.Hold;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.ExtendedBlockId;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.Storage;
import org.apache.hadoop.hdfs.server.datanode.HdrfDataNodeBridge;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/**
 * What of {@link DatasetAccess} is the same on all lines of Hadoop. Subclasses add locks and the
 * walk through the map.
 */
abstract class HdrfDatasetAccess implements DatasetAccess {

  final FsDatasetImpl dataset;
  private final RollingUpgrades upgrades = new RollingUpgrades();

  /** The name that BlockPoolSliceStorage has for itself. */
  private static final String TRASH = "trash";

  HdrfDatasetAccess(FsDatasetImpl dataset) {
    this.dataset = dataset;
  }

  /**
   * Takes the lock that keeps all other threads from changing replicas of the pool, on whatever
   * volume. Any stock method may be called under it: its own locks are the same or finer.
   */
  abstract Hold lockPool(String poolId);

  /**
   * Takes the lock under which stock code changes the block's replica, wherever it lies. Stock
   * methods that change this one alone may be called under it; not {@code recoverAppend}, which
   * takes a wider lock.
   *
   * @throws IOException if there is none, where stock code refuses such blocks before it takes a
   *     lock
   */
  abstract Hold lockReplica(ExtendedBlock block) throws IOException;

  /**
   * Takes the locks under which stock code changes the block's replica, wherever it lies, and those
   * under which it changes replicas of a volume that the block is moved to.
   */
  abstract Hold lockMove(ExtendedBlock block, FsVolumeSpi target);

  /** Opens a plain replica as stock code does. */
  InputStream openPlain(ExtendedBlock block, ReplicaInfo replica, long offset) throws IOException {
    return replica.getDataInputStream(offset);
  }

  @Override
  public ReplicaInfo replica(BlockRef block) {
    return dataset.volumeMap.get(block.poolId(), block.blockId());
  }

  @Override
  public void adjustUsed(FsVolumeSpi volume, String poolId, long bytes) {
    ((FsVolumeImpl) volume).incDfsUsed(poolId, bytes);
  }

  @Override
  public boolean isCached(String poolId, long blockId) {
    return dataset.cacheManager.isCached(poolId, blockId);
  }

  @Override
  public void revokeDescriptors(String poolId, long blockId) {
    dataset
        .datanode
        .getShortCircuitRegistry()
        .processBlockInvalidation(new ExtendedBlockId(blockId, poolId));
  }

  /** What NameNodes have said to this DataNode. */
  final RollingUpgrades upgrades() {
    return upgrades;
  }

  @Override
  public boolean isUpgradeOpen(FsVolumeSpi volume, String poolId) {
    // Its own volume by itself: it may be none of the volumes any more.
    return upgrades.mayBeOpen(poolId)
        || keepsUpgrade(volume, poolId)
        || volumes().stream().anyMatch(other -> keepsUpgrade(other, poolId));
  }

  /**
   * Returns whether a volume keeps what an upgrade of the pool put aside. If one does, a rollback
   * may come, and concerns all volumes, those added since included.
   */
  private static boolean keepsUpgrade(FsVolumeSpi volume, String poolId) {
    if (volume.getStorageType() == StorageType.PROVIDED) {
      return false;
    }
    File pool = poolDirectory(volume, poolId);
    return keepsPrevious(volume, pool) || exists(volume, pool, Storage.STORAGE_TMP_FINALIZED);
  }

  /** {@code previous}, or the name that it has until the upgrade of the volume is complete. */
  private static boolean keepsPrevious(FsVolumeSpi volume, File pool) {
    return exists(volume, pool, Storage.STORAGE_DIR_PREVIOUS)
        || exists(volume, pool, Storage.STORAGE_TMP_PREVIOUS);
  }

  @Override
  public boolean keepsOldBlocks(FsVolumeSpi volume, String poolId) {
    File pool = poolDirectory(volume, poolId);
    return dataset.trashEnabled(poolId)
        || new File(pool, TRASH).exists()
        || keepsPrevious(volume, pool);
  }

  /** What an upgrade leaves lies beside the pool's files, or of older layouts the volume's. */
  private static boolean exists(FsVolumeSpi volume, File pool, String name) {
    return new File(pool, name).exists() || new File(new File(volume.getBaseURI()), name).exists();
  }

  private static File poolDirectory(FsVolumeSpi volume, String poolId) {
    return new File(new File(new File(volume.getBaseURI()), Storage.STORAGE_DIR_CURRENT), poolId);
  }

  @Override
  public void checkDisk(FsVolumeSpi volume) {
    dataset.datanode.checkDiskErrorAsync(volume);
  }

  @Override
  public List<FsVolumeSpi> volumes() {
    List<FsVolumeSpi> volumes = new ArrayList<>();
    try (FsDatasetSpi.FsVolumeReferences references = dataset.getFsVolumeReferences()) {
      references.forEach(volumes::add);
    } catch (IOException e) {
      throw new IllegalStateException("references throw no exception on close", e);
    }
    return volumes;
  }

  @Override
  public void failVolume(FsVolumeSpi volume, String why) {
    StorageLocation location = volume.getStorageLocation();
    dataset.handleVolumeFailures(Collections.singleton(volume));
    dataset.removeVolumes(Collections.singleton(location), false);
    HdrfDataNodeBridge.reportFailedVolume(dataset.datanode, location, volume + ": " + why);
  }

  @Override
  public void handleDamaged(String poolId, ReplicaInfo replica, String damage) {
    HdrfDataNodeBridge.handleDamaged(dataset.datanode, new ExtendedBlock(poolId, replica), damage);
  }

  @Override
  public void reportDamaged(String poolId, ReplicaInfo replica, String damage) {
    HdrfDataNodeBridge.reportDamaged(dataset.datanode, new ExtendedBlock(poolId, replica), damage);
  }
}
