/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfSetup;
import java.io.IOException;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;

/**
 * On Hadoop 3.1: replicas leave the map in {@code invalidate} and {@code createTemporary}, and are
 * deleted later.
 */
class HdrfDataset31 extends HdrfDataset {

  HdrfDataset31(DataNode datanode, DataStorage storage, Configuration conf, HdrfSetup setup)
      throws IOException {
    this(datanode, storage, conf, setup, HdrfDatasetAccess31::new);
  }

  HdrfDataset31(
      DataNode datanode,
      DataStorage storage,
      Configuration conf,
      HdrfSetup setup,
      Function<FsDatasetImpl, HdrfDatasetAccess> line)
      throws IOException {
    super(datanode, storage, conf, setup, line);
  }

  @Override
  ReplicaInfo moveBlock(ExtendedBlock block, ReplicaInfo replica, FsVolumeReference volumeRef)
      throws IOException {
    return move(block, replica, () -> super.moveBlock(block, replica, volumeRef));
  }

  // Stock code takes the logical length off the space used

  @Override
  public void invalidate(String bpid, Block[] blocks) throws IOException {
    SavedSpace saved = new SavedSpace(this, service, bpid);
    for (Block block : blocks) {
      saved.note(volumeMap.get(bpid, block));
    }
    try {
      super.invalidate(bpid, blocks);
    } finally {
      saved.giveBackWhereGone();
    }
  }

  @Override
  public ReplicaHandler createTemporary(
      StorageType storageType, String storageId, ExtendedBlock block, boolean isTransfer)
      throws IOException {
    SavedSpace saved = new SavedSpace(this, service, block.getBlockPoolId());
    saved.noteNow(volumeMap.get(block.getBlockPoolId(), block.getBlockId()));
    try {
      return super.createTemporary(storageType, storageId, block, isTransfer);
    } finally {
      saved.giveBackWhereGone();
    }
  }
}
