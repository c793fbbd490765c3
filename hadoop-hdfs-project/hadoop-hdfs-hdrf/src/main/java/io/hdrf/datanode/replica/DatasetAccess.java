/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import java.util.List;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/**
 * The services of the DataNode's dataset that HDRF can't reach from outside of its package. The
 * bridge implements them; all differences between Hadoop versions stay behind it. Safe for use by
 * many threads.
 */
public interface DatasetAccess {

  /**
   * Takes the lock under which stock code changes the volume's replicas of a pool. While it is held
   * nothing slow happens, and no stock method is called; a thread that needs a block lock too takes
   * that one first.
   */
  Hold lock(FsVolumeSpi volume, String poolId);

  /** The replica as the map holds it now, whatever its generation stamp, or null. */
  ReplicaInfo replica(BlockRef block);

  /** The block ids of the finalized replicas that lie on local, lasting volumes. */
  List<ReplicaInfo> finalizedReplicas(String poolId);

  /** Corrects the space that the volume counts as used by a pool. */
  void adjustUsed(FsVolumeSpi volume, String poolId, long bytes);

  /** Returns whether a block is mapped in the DataNode's cache. */
  boolean isCached(String poolId, long blockId);

  /** Revokes descriptors of the block that short-circuit readers hold. */
  void revokeDescriptors(String poolId, long blockId);

  /**
   * Returns whether an upgrade is open, or a rolling one may be, so that files as they are may be
   * needed for going back. A rolling one counts as open until an active NameNode has said
   * otherwise: it may have begun while the DataNode was down. Other ones count as open until what
   * they kept is deleted on all volumes, of which one may have come since, and blocks have one name
   * again. Costs a few looks at each volume's directory: not for each read.
   */
  boolean isUpgradeOpen(FsVolumeSpi volume, String poolId);

  /** Returns whether blocks of an open upgrade lie aside that a rollback brings back. */
  boolean keepsOldBlocks(FsVolumeSpi volume, String poolId);

  /** Starts a check of the volume's disk, after an I/O error on it. */
  void checkDisk(FsVolumeSpi volume);

  /** The volumes that are in service; a snapshot. */
  List<FsVolumeSpi> volumes();

  /** Takes a volume out of service and reports it to the NameNode as failed. */
  void failVolume(FsVolumeSpi volume, String why);

  /** Examines a replica that seems damaged, and reports it to the NameNode if it is. */
  void handleDamaged(String poolId, ReplicaInfo replica, String damage);

  /**
   * Reports a replica to the NameNode that was examined, and is damaged. HDFS's block scanner
   * forgets what it is to examine while it has read more than its rate allows.
   */
  void reportDamaged(String poolId, ReplicaInfo replica, String damage);
}
