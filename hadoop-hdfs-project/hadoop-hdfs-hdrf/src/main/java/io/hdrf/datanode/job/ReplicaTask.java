/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockRef;
import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.ReplicaSnapshot;
import io.hdrf.datanode.replica.Replicas;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;

/** A task on the finalized replicas of a pool on a volume. */
abstract class ReplicaTask implements BlockTask {

  final Replicas replicas;
  private final DatasetAccess dataset;
  final BlockOpener opener;
  private final String storageId;
  private final String poolId;

  ReplicaTask(Replicas replicas, BlockOpener opener, String storageId, String poolId) {
    this.replicas = replicas;
    this.dataset = replicas.dataset();
    this.opener = opener;
    this.storageId = storageId;
    this.poolId = poolId;
  }

  /** Returns whether the job is about a block; decided without a look at its file. */
  boolean concerns(long blockId) {
    return true;
  }

  @Override
  public BlockList blocks() {
    List<ReplicaInfo> replicas = new ArrayList<>();
    for (ReplicaInfo replica : dataset.finalizedReplicas(poolId)) {
      if (ReplicaSnapshot.isEligible(replica, storageId) && concerns(replica.getBlockId())) {
        replicas.add(replica);
      }
    }
    replicas.sort(Comparator.comparingLong(ReplicaInfo::getBlockId));
    return new BlockList(
        replicas.stream().mapToLong(ReplicaInfo::getBlockId).toArray(),
        replicas.stream().mapToLong(ReplicaInfo::getNumBytes).toArray());
  }

  final BlockRef block(long blockId) {
    return new BlockRef(poolId, blockId);
  }

  /** The replica as it is now, or null where none on this volume is finalized. */
  private ReplicaInfo replica(long blockId) {
    ReplicaInfo replica = dataset.replica(block(blockId));
    return ReplicaSnapshot.isEligible(replica, storageId) ? replica : null;
  }

  /** A snapshot of the replica, or null where none on this volume is finalized. */
  final ReplicaSnapshot snapshot(long blockId) throws IOException {
    ReplicaInfo replica = replica(blockId);
    return replica == null ? null : ReplicaSnapshot.of(block(blockId), replica);
  }

  /** The form of a block's file. */
  enum Form {
    PLAIN,
    /** Reduced or damaged. */
    REDUCED,
    GONE
  }

  final Form form(long blockId) throws IOException {
    ReplicaInfo replica = replica(blockId);
    if (replica == null) {
      return Form.GONE;
    }
    try {
      BlockHeader header = opener.header(block(blockId), (LocalReplica) replica);
      return header == null ? Form.PLAIN : Form.REDUCED;
    } catch (IOException e) {
      if (JobOutcome.isDamage(e)) {
        return Form.REDUCED;
      }
      throw e;
    }
  }

  final void checkDisk(ReplicaSnapshot snapshot, IOException failure) {
    if (JobOutcome.isDiskError(failure)) {
      dataset.checkDisk(snapshot.volume());
    }
  }
}
