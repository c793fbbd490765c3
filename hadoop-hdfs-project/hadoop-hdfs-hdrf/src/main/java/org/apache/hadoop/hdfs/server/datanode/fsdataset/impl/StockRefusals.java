/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;

/**
 * Which calls stock code refuses, by the replica as it is. Those go to stock code at once, so that
 * callers get its exceptions and nothing is inflated for them. The caller holds the dataset lock
 * from before the question until stock code has refused: what was to be refused never becomes
 * something that stock code does to a reduced file. Each condition is one that stock code checks
 * before it changes anything.
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
    if (replica == null
        || replica.getGenerationStamp() < block.getGenerationStamp()
        || replica.getGenerationStamp() > newGs) {
      return true;
    }
    switch (replica.getState()) {
      case FINALIZED:
        return replica.getNumBytes() != length || isFileMissing(replica);
      case RBW:
        return false;
      default:
        return true;
    }
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
