/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;

/**
 * A replica as the NameNode knows it: of a replicated block, or an internal block, data or parity,
 * of an erasure-coded group, which DataNodes store as a block of its own.
 *
 * @param length in bytes
 */
record LocatedReplica(
    DatanodeInfo node,
    String storageId,
    StorageType storageType,
    String poolId,
    long blockId,
    long length) {

  /** By reflection: Hadoop 3.3 has another return type, and this runs with 3.1 and later ones. */
  private static final Method LOCATIONS = getLocations();

  private static Method getLocations() {
    try {
      return LocatedBlock.class.getMethod("getLocations");
    } catch (NoSuchMethodException e) {
      throw new LinkageError("this Hadoop does not tell where blocks are", e);
    }
  }

  /**
   * Returns a file's blocks; the last one, too, if it is being written, which a listing has apart.
   */
  static List<LocatedBlock> blocks(LocatedBlocks located) {
    List<LocatedBlock> all = new ArrayList<>(located.getLocatedBlocks());
    LocatedBlock last = located.getLastLocatedBlock();
    if (last != null
        && !located.isLastBlockComplete()
        && all.stream().noneMatch(block -> block.getBlock().equals(last.getBlock()))) {
      all.add(last);
    }
    return all;
  }

  /**
   * Returns a block's replicas.
   *
   * @param policy null for replicated blocks
   */
  static List<LocatedReplica> of(LocatedBlock block, ErasureCodingPolicy policy)
      throws IOException {
    DatanodeInfo[] nodes = locations(block);
    String[] storageIds = block.getStorageIDs();
    StorageType[] types = block.getStorageTypes();
    byte[] indices =
        block instanceof LocatedStripedBlock
            ? ((LocatedStripedBlock) block).getBlockIndices()
            : null;
    List<LocatedReplica> replicas = new ArrayList<>();
    for (int i = 0; i < nodes.length; i++) {
      long id = block.getBlock().getBlockId();
      long length = block.getBlockSize();
      if (indices != null) {
        id += indices[i];
        length = StripedBlockUtil.getInternalBlockLength(length, policy, indices[i]);
      }
      replicas.add(
          new LocatedReplica(
              nodes[i], storageIds[i], types[i], block.getBlock().getBlockPoolId(), id, length));
    }
    return replicas;
  }

  private static DatanodeInfo[] locations(LocatedBlock block) throws IOException {
    try {
      return (DatanodeInfo[]) LOCATIONS.invoke(block);
    } catch (ReflectiveOperationException e) {
      throw new IOException("this Hadoop does not tell where blocks are", e);
    }
  }
}
