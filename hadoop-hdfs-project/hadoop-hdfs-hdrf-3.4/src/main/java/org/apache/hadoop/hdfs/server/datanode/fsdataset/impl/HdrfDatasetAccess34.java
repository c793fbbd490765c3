/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.replica.Hold;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/**
 * On Hadoop 3.4 and 3.5: a lock for each pool, and below it one for each volume. In 3.5 there are
 * finer ones below these, with which stock code takes the volume's for reading. Locks are fair, and
 * a volume's is taken with the pool's for reading: who waits for the pool's lock while a disk hangs
 * holds up all volumes.
 */
final class HdrfDatasetAccess34 extends HdrfDatasetAccess {

  HdrfDatasetAccess34(FsDatasetImpl dataset) {
    super(dataset);
  }

  @Override
  public Hold lock(FsVolumeSpi volume, String poolId) {
    return dataset
            .acquireDatasetLockManager()
            .writeLock(LockLevel.VOLUME, poolId, volume.getStorageID())
        ::close;
  }

  /** Refuses a block that is not there as stock code does, before it takes any lock. */
  @Override
  Hold lockReplica(ExtendedBlock block) throws IOException {
    String pool = block.getBlockPoolId();
    while (true) {
      ReplicaInfo replica = dataset.volumeMap.get(pool, block.getBlockId());
      if (replica == null) {
        // Throws, unless the replica was added since the look above.
        dataset.getStorageUuidForLock(block);
        continue;
      }
      FsVolumeSpi volume = replica.getVolume();
      Hold lock = lock(volume, pool);
      ReplicaInfo now = dataset.volumeMap.get(pool, block.getBlockId());
      if (now != null && now.getVolume() == volume) {
        return lock;
      }
      lock.close();
    }
  }

  /**
   * Takes the locks of both volumes, the lower id first, so that two moves in opposite directions
   * don't dead-lock. Looks again afterwards, since the replica may have moved meanwhile.
   */
  @Override
  Hold lockMove(ExtendedBlock block, FsVolumeSpi target) {
    String pool = block.getBlockPoolId();
    while (true) {
      ReplicaInfo replica = dataset.volumeMap.get(pool, block.getBlockId());
      FsVolumeSpi source = replica == null ? target : replica.getVolume();
      boolean sourceFirst = source.getStorageID().compareTo(target.getStorageID()) < 0;
      Hold first = lock(sourceFirst ? source : target, pool);
      Hold second = lock(sourceFirst ? target : source, pool);
      Hold both =
          () -> {
            second.close();
            first.close();
          };
      ReplicaInfo now = dataset.volumeMap.get(pool, block.getBlockId());
      if (now == null || now.getVolume() == source) {
        return both;
      }
      both.close();
    }
  }

  @Override
  Hold lockPool(String poolId) {
    return dataset.acquireDatasetLockManager().writeLock(LockLevel.BLOCK_POOl, poolId)::close;
  }

  @Override
  public List<ReplicaInfo> finalizedReplicas(String poolId) {
    List<ReplicaInfo> finalized = new ArrayList<>();
    dataset.volumeMap.replicas(
        poolId,
        replicas ->
            replicas.forEachRemaining(
                replica -> {
                  if (replica.getState() == ReplicaState.FINALIZED) {
                    finalized.add(replica);
                  }
                }));
    return finalized;
  }
}
