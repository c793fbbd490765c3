/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockRef;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports block files that a collection can't read. Thread-safe. */
public final class UnreadableReplicas implements PoolSlices.UnreadableBlocks {

  private static final Logger LOG = LoggerFactory.getLogger(UnreadableReplicas.class);

  private final DatasetAccess dataset;

  public UnreadableReplicas(DatasetAccess dataset) {
    this.dataset = dataset;
  }

  /**
   * While a block file can't be read, nothing is collected on its volume. HDFS replaces a replica
   * in service, so that the file goes; an administrator must see to other files.
   */
  @Override
  public void found(FsVolumeSpi volume, BlockRef block, Path file, IOException why) {
    ReplicaInfo replica = dataset.replica(block);
    if (!isFileOf(replica, file)) {
      LOG.warn(
          "Nothing is collected on {} while {} can't be read: {}. HDFS keeps it for a rollback:"
              + " finalize the upgrade, or, if there will be no rollback to it, delete the file",
          volume,
          file,
          why.getMessage());
      return;
    }
    LOG.warn(
        "Nothing is collected on {} while {} can't be read: {}. Its replica is reported and goes"
            + " when HDFS has replaced it; if there is no other one, delete the file that it"
            + " belongs to (hdfs fsck -blockId)",
        volume,
        file,
        why.getMessage());
    boolean damaged = why instanceof CorruptFileException || why instanceof CorruptFrameException;
    if (damaged || DiskErrors.isReadError(why)) {
      dataset.handleDamaged(block.poolId(), replica, String.valueOf(why.getMessage()));
    } else if (!(why instanceof UnknownFormatVersionException)) {
      dataset.checkDisk(volume);
    }
  }

  @Override
  public void damaged(FsVolumeSpi volume, BlockRef block, IOException why) {
    ReplicaInfo replica = dataset.replica(block);
    // Its recipe may have been of a file that lies aside for a rollback, or from before an append.
    if (replica != null
        && ReplicaInventory.isOn(replica, volume.getStorageID())
        && mayBeReduced((LocalReplica) replica)) {
      dataset.handleDamaged(block.poolId(), replica, String.valueOf(why.getMessage()));
    }
  }

  private static boolean isFileOf(ReplicaInfo replica, Path file) {
    try {
      return replica instanceof LocalReplica
          && Files.isSameFile(((LocalReplica) replica).getBlockFile().toPath(), file);
    } catch (IOException e) {
      return false;
    }
  }

  /** False where a replica is plain, so that it needs no chunk, or gone. */
  private static boolean mayBeReduced(LocalReplica replica) {
    Path file = replica.getBlockFile().toPath();
    ByteBuffer start = ByteBuffer.allocate(Integer.BYTES);
    try (ChannelFile channel = ChannelFile.open(file)) {
      channel.read(start, 0);
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      LOG.debug("{} can't be read", file, e);
      return true;
    }
    start.flip();
    return BlockHeader.hasMagic(start);
  }
}
