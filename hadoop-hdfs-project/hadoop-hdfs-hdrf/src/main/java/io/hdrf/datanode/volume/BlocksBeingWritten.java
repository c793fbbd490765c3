/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.block.BlockRef;
import io.hdrf.datanode.mirror.Mirroring;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.wire.SpoolFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers mirroring about blocks that are being written. Thread-safe. */
public final class BlocksBeingWritten implements Mirroring.Storage {

  private static final Logger LOG = LoggerFactory.getLogger(BlocksBeingWritten.class);
  private static final byte[] NOTHING = {};

  private final PoolSlices slices;
  private final Map<StorageType, SchemeChain> chains;
  private final DurableFiles files;
  private final Function<BlockRef, ReplicaInfo> replicas;

  /**
   * @param replicas gives the present replica of a block, or null
   */
  public BlocksBeingWritten(
      PoolSlices slices,
      Map<StorageType, SchemeChain> chains,
      DurableFiles files,
      Function<BlockRef, ReplicaInfo> replicas) {
    this.slices = slices;
    this.chains = chains;
    this.files = files;
    this.replicas = replicas;
  }

  @Override
  public SchemeChain chainOf(BlockRef block) {
    ReplicaInfo replica = replicas.apply(block);
    StorageType type =
        replica == null || replica.getVolume() == null
            ? StorageType.DEFAULT
            : replica.getVolume().getStorageType();
    return chains.get(type);
  }

  @Override
  public ChunkLookup chunks(String poolId, String scheme) {
    // The other DataNode's questioner compares what it gets.
    return new PoolChunks(slices, poolId, scheme, null, false);
  }

  @Override
  public byte[] beginning(BlockRef block, int length) {
    ReplicaInfo replica = replicas.apply(block);
    // The file of a finalized one may be reduced.
    if (!(replica instanceof LocalReplica) || replica.getState() == ReplicaState.FINALIZED) {
      return NOTHING;
    }
    try (ChannelFile file = ChannelFile.open(((LocalReplica) replica).getBlockFile().toPath())) {
      ByteBuffer bytes = ByteBuffer.allocate(length);
      file.read(bytes, 0);
      return Arrays.copyOf(bytes.array(), bytes.position());
    } catch (IOException e) {
      LOG.debug("The beginning of {} can't be read", block, e);
      return NOTHING;
    }
  }

  @Override
  public Mirroring.Written written(BlockRef block) {
    ReplicaInfo replica = replicas.apply(block);
    FsVolumeSpi volume = replica == null ? null : replica.getVolume();
    return volume != null && isWrittenByThisThread(replica) && hasRoom(volume, replica)
        ? new Mirroring.Written(
            replica.getGenerationStamp(),
            chains.get(volume.getStorageType()),
            () -> spoolFile(volume, block))
        : null;
  }

  /** HDFS notes the writing thread in the replica after it has checked its right to write. */
  private static boolean isWrittenByThisThread(ReplicaInfo replica) {
    Thread thread = Thread.currentThread();
    return replica instanceof ReplicaInPipeline
        && (replica.getState() == ReplicaState.RBW || replica.getState() == ReplicaState.TEMPORARY)
        && ((ReplicaInPipeline) replica).attemptToSetWriter(thread, thread);
  }

  /** Returns whether there is room for frames beside what HDFS has reserved for blocks. */
  private static boolean hasRoom(FsVolumeSpi volume, ReplicaInfo replica) {
    try {
      return volume.getAvailable() >= replica.getOriginalBytesReserved();
    } catch (IOException e) {
      LOG.debug("The room on {} can't be told", volume, e);
      return false;
    }
  }

  private SpoolFile spoolFile(FsVolumeSpi volume, BlockRef block) throws IOException {
    PoolSlice slice = slices.use(volume, block.poolId());
    try {
      if (!slice.mayHoldReducedBlocks()) {
        throw new IOException(volume + " holds no reduced blocks");
      }
      return SpoolFile.create(files, slice.temporaryFile(block.blockId()));
    } finally {
      slice.endUse();
    }
  }
}
