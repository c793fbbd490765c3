/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;

/**
 * Which calls stock code refuses, by the replica as it is. Those go to stock code at once, so that
 * callers get its exceptions and nothing is inflated for them. The caller holds the dataset lock
 * from before the question until stock code has refused, where stock code would work on the raw
 * file: what was to be refused never becomes something that it does to a reduced one. Each
 * condition is one that stock code checks before it changes anything.
 */
final class StockRefusals {

  private StockRefusals() {}

  /**
   * @param replica with the block's id, or null
   */
  static boolean ofAppend(ReplicaInfo replica, ExtendedBlock block, long newGs, long length) {
    return newGs < block.getGenerationStamp()
        || replica == null
        || replica.getGenerationStamp() != block.getGenerationStamp()
        || replica.getState() != ReplicaState.FINALIZED
        || replica.getNumBytes() != length
        || isFileMissing(replica);
  }

  /** As {@link #ofAppend}; a replica that is being written is never refused here. */
  static boolean ofRecoverAppend(
      ReplicaInfo replica, ExtendedBlock block, long newGs, long length) {
    return ofRecoverClose(replica, block, newGs)
        || (replica.getState() == ReplicaState.FINALIZED
            && (replica.getNumBytes() != length || isFileMissing(replica)));
  }

  /** As {@link #ofAppend}, but for lengths: those of what is being written may still change. */
  static boolean ofRecoverClose(ReplicaInfo replica, ExtendedBlock block, long newGs) {
    return replica == null
        || replica.getGenerationStamp() < block.getGenerationStamp()
        || replica.getGenerationStamp() > newGs
        || (replica.getState() != ReplicaState.FINALIZED && replica.getState() != ReplicaState.RBW);
  }

  /** Of a replica that is closed, and that nobody else writes to any more. */
  static boolean ofLengths(ReplicaInPipeline replica, long expected) {
    return replica.getNumBytes() != expected
        || replica.getBytesOnDisk() != expected
        || replica.getBytesAcked() != expected;
  }

  /** As {@link #ofAppend}. */
  static boolean ofFinalize(ReplicaInfo replica, ExtendedBlock block) {
    return replica == null || replica.getGenerationStamp() != block.getGenerationStamp();
  }

  /** As {@link #ofAppend}, for the end of a recovery. */
  static boolean ofUpdate(
      ReplicaInfo replica, ExtendedBlock block, long recoveryId, long newLength) {
    return replica == null
        || replica.getState() != ReplicaState.RUR
        || replica.getBytesOnDisk() != block.getNumBytes()
        || replica.getRecoveryID() != recoveryId
        || replica.getNumBytes() < newLength
        || areFilesWrong(replica);
  }

  private static boolean isFileMissing(ReplicaInfo replica) {
    return !replica.blockDataExists() || !replica.metadataExists();
  }

  private static boolean areFilesWrong(ReplicaInfo replica) {
    try {
      FsDatasetImpl.checkReplicaFiles(replica);
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
