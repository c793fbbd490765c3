/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfSetup;
import io.hdrf.datanode.replica.Hold;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.HdrfDataNodeBridge;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;

/** On Hadoop 3.4 and 3.5: a replica leaves the map on the thread that deletes its files. */
class HdrfDataset34 extends HdrfDataset {

  HdrfDataset34(DataNode datanode, DataStorage storage, Configuration conf, HdrfSetup setup)
      throws IOException {
    super(datanode, storage, conf, setup, HdrfDatasetAccess34::new);
  }

  @Override
  ReplicaInfo moveBlock(
      ExtendedBlock block, ReplicaInfo replica, FsVolumeReference volumeRef, boolean sameMount)
      throws IOException {
    return move(block, replica, () -> super.moveBlock(block, replica, volumeRef, sameMount));
  }

  /** Stock code makes a hard link to the file as it is. */
  @Override
  ReplicaInfo moveReplicaToVolumeOnSameMount(
      ExtendedBlock block, ReplicaInfo replica, FsVolumeReference volumeRef) throws IOException {
    // As for a copy: no swap comes between the look and the link.
    try (Hold unchanged = service.lock(block.getBlockPoolId(), block.getBlockId())) {
      ReplicaInfo decoded = DecodedMove.copy(service, block, replica, volumeRef);
      return DecodedMove.requirePlain(
          service,
          block,
          decoded != null
              ? decoded
              : super.moveReplicaToVolumeOnSameMount(block, replica, volumeRef));
    }
  }

  /** All deletions come here, whoever asked for them. */
  @Override
  boolean removeReplicaFromMem(ExtendedBlock block, FsVolumeImpl volume) {
    SavedSpace saved = new SavedSpace(this, service, block.getBlockPoolId());
    saved.noteNow(volumeMap.get(block.getBlockPoolId(), block.getLocalBlock()));
    boolean removed = super.removeReplicaFromMem(block, volume);
    if (removed) {
      saved.giveBackWhereGone();
    }
    return removed;
  }

  /** What a reader misses leaves the map without another look at the disk. */
  @Override
  public void invalidateMissingBlock(String bpid, Block block) {
    try {
      super.invalidateMissingBlock(bpid, block);
    } finally {
      // Stock code fails for the second of two readers.
      service.forget(bpid, block.getBlockId());
    }
  }

  /**
   * With a new generation stamp stock code first deletes the files of a replica that is there, in
   * whatever state: a swap meanwhile would bring one of them back.
   */
  @Override
  public ReplicaHandler createRbw(
      StorageType storageType,
      String storageId,
      ExtendedBlock block,
      boolean allowLazyPersist,
      long newGs)
      throws IOException {
    if (newGs == 0) {
      return super.createRbw(storageType, storageId, block, allowLazyPersist, newGs);
    }
    SavedSpace saved = new SavedSpace(this, service, block.getBlockPoolId());
    try (Hold unchanged = service.lock(block.getBlockPoolId(), block.getBlockId())) {
      saved.noteNow(volumeMap.get(block.getBlockPoolId(), block.getBlockId()));
      return super.createRbw(storageType, storageId, block, allowLazyPersist, newGs);
    } finally {
      saved.giveBackWhereGone();
    }
  }

  /** Asked for by the reconfiguration of how use is measured, before it changes anything. */
  @Override
  public List<FsVolumeImpl> getVolumeList() {
    HdrfDataNodeBridge.checkNewUsage(datanode);
    return super.getVolumeList();
  }
}
