/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import io.hdrf.block.StoredBlocks;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports replicas of a pool on a volume that a collection can't read, or that need damaged chunks.
 * Thread-safe.
 */
public final class UnreadableReplicas implements StoredBlocks.UnreadableListener {

  private static final Logger LOG = LoggerFactory.getLogger(UnreadableReplicas.class);

  private final Replicas replicas;
  private final DatasetAccess dataset;
  private final FsVolumeSpi volume;
  private final String poolId;

  public UnreadableReplicas(Replicas replicas, FsVolumeSpi volume, String poolId) {
    this.replicas = replicas;
    this.dataset = replicas.dataset();
    this.volume = volume;
    this.poolId = poolId;
  }

  /**
   * While a block file can't be read, nothing is collected on its volume. HDFS replaces a replica
   * in service, so that the file goes; an administrator must see to other files.
   */
  @Override
  public void unreadable(Path file, long blockId, IOException why) {
    ReplicaInfo replica = dataset.replica(new BlockRef(poolId, blockId));
    if (!isFileOf(replica, file)) {
      if (file.startsWith(PoolSlices.poolDirectory(volume, poolId).resolve("current"))) {
        // Its volume or pool may be coming or leaving: no reason to have somebody delete it.
        LOG.warn(
            "Nothing is collected on {} while {} can't be read: {}. HDFS does not know it as a"
                + " replica now",
            volume,
            file,
            why.getMessage());
        return;
      }
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
      dataset.handleDamaged(poolId, replica, String.valueOf(why.getMessage()));
    } else if (!(why instanceof UnknownFormatVersionException)) {
      dataset.checkDisk(volume);
    }
  }

  @Override
  public void damaged(long blockId, StoredBlocks.FileCheck check, IOException why) {
    BlockRef block = new BlockRef(poolId, blockId);
    try {
      ReplicaSnapshot snapshot = ReplicaSnapshot.current(dataset, block);
      // Its recipe may have been of a file that lies aside for a rollback, or was replaced since.
      if (snapshot != null
          && ReplicaSnapshot.isEligible(snapshot.replica(), volume.getStorageID())
          && check.isDamaged(snapshot.file())
          && replicas.isUnchanged(snapshot)) {
        dataset.reportDamaged(poolId, snapshot.replica(), String.valueOf(why.getMessage()));
      }
    } catch (NoSuchFileException e) {
      LOG.debug("{} was deleted", block, e);
    } catch (IOException e) {
      LOG.warn("It can't be told now whether {} is damaged: {}", block, e.getMessage(), e);
    }
  }

  /** By names: what lies aside for a rollback may be the same inode. */
  private static boolean isFileOf(ReplicaInfo replica, Path file) {
    if (!(replica instanceof LocalReplica)) {
      return false;
    }
    Path own = ((LocalReplica) replica).getBlockFile().toPath();
    try {
      return own.equals(file) || own.toRealPath().equals(file.toRealPath());
    } catch (IOException e) {
      return false;
    }
  }
}
