/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;

/** What HDRF calls of the DataNode that can't be reached from outside of its package. */
public final class HdrfDataNodeBridge {

  private HdrfDataNodeBridge() {}

  /**
   * Has a damaged replica examined by the block scanner and reported by it, or, where there is no
   * scanner, reported at once.
   */
  public static void handleDamaged(DataNode datanode, ExtendedBlock block, String damage) {
    datanode.handleBadBlock(block, new DiskFileCorruptException(damage), false);
  }

  /**
   * Tells the NameNodes of a volume that was taken out of service, and stops the DataNode where
   * fewer volumes are left than {@code dfs.datanode.failed.volumes.tolerated} allows: what stock
   * code does after its own disk check found one.
   */
  public static void reportFailedVolume(DataNode datanode, String why) {
    boolean enough = datanode.getFSDataset().hasEnoughResource();
    int error = enough ? DatanodeProtocol.DISK_ERROR : DatanodeProtocol.FATAL_DISK_ERROR;
    for (BPOfferService pool : datanode.getAllBpOs()) {
      pool.trySendErrorReport(error, why);
    }
    if (enough) {
      datanode.scheduleAllBlockReport(0);
    } else {
      DataNode.LOG.warn("The DataNode stops, because too few volumes are left: {}", why);
      datanode.shouldRun = false;
    }
  }
}
