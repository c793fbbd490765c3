/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.replica.Hold;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.util.AutoCloseableLock;

/** On Hadoop 3.1: one lock for the whole dataset. */
class HdrfDatasetAccess31 extends HdrfDatasetAccess {

  HdrfDatasetAccess31(FsDatasetImpl dataset) {
    super(dataset);
  }

  @Override
  public final Hold lock(FsVolumeSpi volume, String poolId) {
    return lockPool(poolId);
  }

  @Override
  final Hold lockReplica(ExtendedBlock block) {
    return lockPool(block.getBlockPoolId());
  }

  @Override
  final Hold lockMove(ExtendedBlock block, FsVolumeSpi target) {
    return lockPool(block.getBlockPoolId());
  }

  @Override
  final Hold lockPool(String poolId) {
    return dataset.acquireDatasetLock()::close;
  }

  @Override
  InputStream openPlain(ExtendedBlock block, ReplicaInfo replica, long offset) throws IOException {
    if (!replica.blockDataExists()) {
      throw new IOException("No data exists for block " + block);
    }
    return super.openPlain(block, replica, offset);
  }

  /** The lock for walking through the map. */
  AutoCloseableLock lockForReading() {
    return dataset.acquireDatasetLock();
  }

  @Override
  public final List<ReplicaInfo> finalizedReplicas(String poolId) {
    List<ReplicaInfo> copy;
    try (AutoCloseableLock lock = lockForReading()) {
      Collection<ReplicaInfo> replicas = dataset.volumeMap.replicas(poolId);
      copy = replicas == null ? Collections.emptyList() : new ArrayList<>(replicas);
    }
    copy.removeIf(replica -> replica.getState() != ReplicaState.FINALIZED);
    return copy;
  }
}
