/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.block.BlockRef;
import io.hdrf.conf.HdrfConf;
import io.hdrf.datanode.read.DecodedBlockInputStream;
import io.hdrf.datanode.read.ReducedReads;
import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.ReplicaSnapshot;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.wire.StoredReplicaRequest;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import org.apache.hadoop.hdfs.server.datanode.DescriptorRequests;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;

/** Opens replicas for the DataNode's own readers. Thread-safe. */
public final class ReplicaReads implements Closeable {

  private final HdrfConf conf;
  private final DatasetAccess dataset;
  private final BlockOpener opener;
  private final ReducedReads reads;
  private final boolean dropBehindReads;

  /**
   * @param reads closed with this
   * @param dropBehindReads whether all reads leave the page cache
   */
  ReplicaReads(
      HdrfConf conf,
      DatasetAccess dataset,
      BlockOpener opener,
      ReducedReads reads,
      boolean dropBehindReads) {
    this.conf = conf;
    this.dataset = dataset;
    this.opener = opener;
    this.reads = reads;
    this.dropBehindReads = dropBehindReads;
  }

  /**
   * Opens a replica for reading.
   *
   * @param scan whether the block scanner reads: the disk, and the page cache is left as it was
   * @return a {@link DecodedBlockInputStream} where the replica is reduced, or the file's own; null
   *     if HDRF has nothing to do with the replica, and stock code must open it
   */
  FileInputStream open(String poolId, ReplicaInfo replica, long position, boolean scan)
      throws IOException {
    if (!ReplicaSnapshot.isEligible(replica)) {
      return null;
    }
    BlockOpener.Opened opened = openForRead(new BlockRef(poolId, replica.getBlockId()), replica);
    boolean handedOver = false;
    try {
      FileInputStream stream;
      if (opened.isReduced()) {
        stream =
            reads.open(
                opened.reduced(),
                opened.codec(),
                opened,
                opened.stream().getFD(),
                position,
                scan,
                scan || dropBehindReads);
      } else {
        stream = opened.stream();
        stream.skip(position);
      }
      handedOver = true;
      return stream;
    } finally {
      if (!handedOver) {
        opened.close();
      }
    }
  }

  /**
   * Opens a reduced replica as it is stored, for a client that decodes it. What others own is never
   * in such a file: no scheme of its chain has a store.
   *
   * @return at {@link StoredReplicaRequest#POSITION}; null if the replica is plain, or to be
   *     declined for itself alone
   * @throws IOException of {@link DescriptorRequests#readByTcp} if it is declined otherwise
   */
  FileInputStream openStored(String poolId, ReplicaInfo replica) throws IOException {
    if (!ReplicaSnapshot.isEligible(replica)) {
      return null;
    }
    try (BlockOpener.Opened opened =
        openForRead(new BlockRef(poolId, replica.getBlockId()), replica)) {
      if (!opened.isReduced()) {
        return null;
      }
      if (!conf.passesDescriptors() || !opened.codec().chain().isOfFrames()) {
        if (conf.declinesBlocksAlone()) {
          return null;
        }
        throw DescriptorRequests.readByTcp();
      }
      opened.stream().getChannel().position(StoredReplicaRequest.POSITION);
      return opened.detachStream();
    }
  }

  private BlockOpener.Opened openForRead(BlockRef block, ReplicaInfo replica) throws IOException {
    try {
      return opener.open(block, (LocalReplica) replica);
    } catch (DiskFileCorruptException | UnavailableException e) {
      throw e;
    } catch (IOException e) {
      dataset.checkDisk(replica.getVolume());
      throw e;
    }
  }

  @Override
  public void close() {
    reads.close();
  }
}
