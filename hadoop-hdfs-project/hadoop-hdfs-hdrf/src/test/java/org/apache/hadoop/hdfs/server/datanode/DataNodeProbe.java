/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.hdfs.ExtendedBlockId;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** Gives tests access to package-private members of the DataNode. */
public final class DataNodeProbe {

  private DataNodeProbe() {}

  /** Makes the block scanner check a block now. */
  public static void scan(DataNode datanode, ExtendedBlock block) {
    String storage = datanode.getFSDataset().getVolume(block).getStorageID();
    datanode.getBlockScanner().markSuspectBlock(storage, block);
  }

  /**
   * Makes a short-circuit reader's request, as if there were libhadoop and a UNIX domain socket.
   */
  public static FileInputStream[] shortCircuit(DataNode datanode, ExtendedBlock block)
      throws IOException, ReflectiveOperationException {
    Field disabled = DataNode.class.getDeclaredField("fileDescriptorPassingDisabledReason");
    disabled.setAccessible(true);
    disabled.set(datanode, null);
    return datanode.requestShortCircuitFdsForRead(block, null, Integer.MAX_VALUE);
  }

  /** How many segments of shared memory short-circuit readers hold of a DataNode. */
  public static int segments(DataNode datanode) {
    int[] count = new int[1];
    datanode.shortCircuitRegistry.visit(
        (segments, slots) -> {
          count[0] = segments.size();
          return true;
        });
    return count[0];
  }

  /** Blocks whose descriptors are revoked from now on. */
  public static List<ExtendedBlockId> recordRevocations(DataNode datanode) throws IOException {
    List<ExtendedBlockId> revoked = new CopyOnWriteArrayList<>();
    datanode.shortCircuitRegistry.shutdown();
    datanode.shortCircuitRegistry =
        new ShortCircuitRegistry(datanode.getConf()) {
          @Override
          public synchronized void processBlockInvalidation(ExtendedBlockId block) {
            revoked.add(block);
            super.processBlockInvalidation(block);
          }
        };
    return revoked;
  }
}
