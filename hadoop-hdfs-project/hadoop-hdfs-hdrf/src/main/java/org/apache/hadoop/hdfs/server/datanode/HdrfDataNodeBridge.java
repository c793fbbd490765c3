/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

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
}
