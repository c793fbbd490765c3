/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.Hold;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hdfs.ExtendedBlockId;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.common.Storage;
import org.apache.hadoop.hdfs.server.datanode.HdrfDataNodeBridge;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.util.AutoCloseableLock;

/** {@link DatasetAccess} on Hadoop 3.1. */
final class HdrfDatasetAccess implements DatasetAccess {

  private final FsDatasetImpl dataset;

  HdrfDatasetAccess(FsDatasetImpl dataset) {
    this.dataset = dataset;
  }

  @Override
  public Hold lock() {
    AutoCloseableLock lock = dataset.acquireDatasetLock();
    return lock::close;
  }

  @Override
  public ReplicaInfo replica(String poolId, long blockId) {
    return dataset.volumeMap.get(poolId, blockId);
  }

  @Override
  public List<ReplicaInfo> finalizedReplicas(String poolId) {
    List<ReplicaInfo> copy;
    try (Hold lock = lock()) {
      Collection<ReplicaInfo> replicas = dataset.volumeMap.replicas(poolId);
      copy = replicas == null ? Collections.emptyList() : new ArrayList<>(replicas);
    }
    copy.removeIf(replica -> replica.getState() != ReplicaState.FINALIZED);
    return copy;
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

  @Override
  public boolean isUpgradeOpen(FsVolumeSpi volume, String poolId) {
    File base = new File(volume.getBaseURI());
    File pool = new File(new File(base, Storage.STORAGE_DIR_CURRENT), poolId);
    return dataset.trashEnabled(poolId)
        || new File(pool, "RollingUpgradeInProgress").exists()
        || new File(pool, Storage.STORAGE_DIR_PREVIOUS).exists()
        || new File(base, Storage.STORAGE_DIR_PREVIOUS).exists();
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
}
