/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockRef;
import io.hdrf.datanode.volume.PoolSlices;
import java.io.IOException;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bytes by which the files of replicas are smaller than their lengths. Thread-safe. */
public final class Savings {

  private static final Logger LOG = LoggerFactory.getLogger(Savings.class);

  /** The result of {@link #known} where the file would have to be read. */
  public static final long UNKNOWN = -1;

  private final DatasetAccess dataset;
  private final PoolSlices slices;
  private final BlockOpener opener;
  private final SettledReplicas settled;

  public Savings(Replicas replicas, PoolSlices slices, BlockOpener opener) {
    this.dataset = replicas.dataset();
    this.slices = slices;
    this.opener = opener;
    this.settled = replicas.settled();
  }

  /**
   * Returns the bytes by which a replica's file is smaller than its length; 0 if it is plain,
   * unreadable or not there. Reads the file's header; not to be called under the dataset lock.
   */
  public long bytes(String poolId, ReplicaInfo replica) {
    if (!slices.anyMayHoldReducedBlocks() || !ReplicaSnapshot.isEligible(replica)) {
      return 0;
    }
    BlockRef block = new BlockRef(poolId, replica.getBlockId());
    try {
      BlockHeader header = opener.header(block, (LocalReplica) replica);
      return header == null ? 0 : header.logicalLength() - header.physicalLength();
    } catch (IOException e) {
      LOG.debug("What {} saves is not known; du will tell", block, e);
      return 0;
    }
  }

  long bytes(BlockRef block) {
    ReplicaInfo replica = dataset.replica(block);
    return replica == null ? 0 : bytes(block.poolId(), replica);
  }

  /**
   * Returns the same as {@link #bytes} without I/O; {@link #UNKNOWN} where the file was not read
   * yet.
   */
  public long known(BlockRef block) {
    return slices.anyMayHoldReducedBlocks() ? settled.saved(block, UNKNOWN) : 0;
  }
}
