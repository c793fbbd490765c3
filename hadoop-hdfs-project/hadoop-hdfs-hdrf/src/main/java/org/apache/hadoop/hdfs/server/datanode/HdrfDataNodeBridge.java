/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode;

import io.hdrf.admin.AdminEndpoint;
import io.hdrf.datanode.AdminService;
import io.hdrf.datanode.UsageCheck;
import io.hdrf.datanode.page.PageServlet;
import io.hdrf.datanode.page.Status;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Collections;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HDFSPolicyProvider;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;
import org.apache.hadoop.http.HttpServer2;

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

  /**
   * Adds HDRF's page to the DataNode's web server, behind the filters that all of its pages have. A
   * DataNode works without it.
   */
  public static void show(DataNode datanode, Supplier<Status> status) {
    try {
      Object server = field(DataNode.class, "httpServer", datanode);
      if (server == null) {
        return;
      }
      HttpServer2 pages = (HttpServer2) field(server.getClass(), "infoServer", server);
      pages.setAttribute(PageServlet.STATUS, status);
      pages.addServlet("hdrf", PageServlet.PATH, PageServlet.class);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      DataNode.LOG.warn("The web server of this DataNode has no page {}", PageServlet.PATH, e);
    }
  }

  /** Stock code gives no access to the server that it has behind its own. */
  private static Object field(Class<?> type, String name, Object of)
      throws ReflectiveOperationException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(of);
  }

  /**
   * Checks what a reconfiguration is about to measure use with.
   *
   * @throws IllegalArgumentException fails the reconfiguration, with a message for people
   */
  public static void checkNewUsage(DataNode datanode) {
    UsageCheck.checkChange(datanode.getConf(), datanode.getNewConf());
  }

  /**
   * Has a damaged replica examined by the block scanner and reported by it, or, where there is no
   * scanner, reported at once.
   */
  public static void handleDamaged(DataNode datanode, ExtendedBlock block, String damage) {
    datanode.handleBadBlock(block, new DiskFileCorruptException(damage), false);
  }

  /** Reports a replica that was found damaged, as the block scanner does. */
  public static void reportDamaged(DataNode datanode, ExtendedBlock block, String damage) {
    DataNode.LOG.warn("Reporting {}: {}", block, damage);
    datanode.handleBadBlock(block, new DiskFileCorruptException(damage), true);
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
