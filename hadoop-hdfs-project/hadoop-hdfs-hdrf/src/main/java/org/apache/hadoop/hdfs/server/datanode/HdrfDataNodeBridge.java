/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode;

import io.hdrf.admin.AdminEndpoint;
import io.hdrf.datanode.AdminService;
import java.io.IOException;
import java.util.Collections;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HDFSPolicyProvider;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;

/** What HDRF calls of the DataNode that can't be reached from outside of its package. */
public final class HdrfDataNodeBridge {

  private HdrfDataNodeBridge() {}

  /** Adds HDRF's protocol for administrators to those of the DataNode's IPC server. */
  public static void serve(DataNode datanode, AdminService service, Configuration conf)
      throws IOException {
    if (datanode.ipcServer != null) {
      AdminEndpoint.addTo(datanode.ipcServer, service, conf, new HDFSPolicyProvider());
    }
  }

  /** Whether a NameNode of the pool has said that it is the active one. */
  public static boolean hasActiveNameNode(DataNode datanode, String poolId) {
    for (BPOfferService pool : datanode.getAllBpOs()) {
      if (pool.getActiveNN() != null && poolId.equals(pool.getBlockPoolId())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Has a damaged replica examined by the block scanner and reported by it, or, where there is no
   * scanner, reported at once.
   */
  public static void handleDamaged(DataNode datanode, ExtendedBlock block, String damage) {
    datanode.handleBadBlock(block, new DiskFileCorruptException(damage), false);
  }

  /**
   * Gives up a volume that the dataset has taken out of service, tells the NameNodes, and stops the
   * DataNode where fewer volumes are left than {@code dfs.datanode.failed.volumes.tolerated}
   * allows: what stock code does after its own disk check found one.
   */
  public static void reportFailedVolume(DataNode datanode, StorageLocation location, String why) {
    try {
      datanode.getStorage().removeVolumes(Collections.singleton(location));
    } catch (IOException e) {
      DataNode.LOG.warn("{} can't be unlocked", location, e);
    }
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
