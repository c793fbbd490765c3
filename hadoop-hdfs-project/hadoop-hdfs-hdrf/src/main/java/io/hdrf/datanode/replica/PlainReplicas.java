/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import io.hdrf.datanode.volume.PlainProof;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongPredicate;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.ReplicaUnderRecovery;

/** Makes replicas plain where stock operations work on the raw file. Thread-safe. */
public final class PlainReplicas {

  private final Replicas replicas;
  private final PoolSlices slices;
  private final BlockOpener opener;
  private final Inflater inflater;

  public PlainReplicas(
      Replicas replicas, PoolSlices slices, BlockOpener opener, ReducerCounters counters) {
    this.replicas = replicas;
    this.slices = slices;
    this.opener = opener;
    this.inflater = new Inflater(replicas, opener, counters);
  }

  /** See {@link PlainProof#require}; a replica that is finalized already is not looked at. */
  public void require(String poolId, ReplicaInfo replica) throws IOException {
    ReplicaInfo original =
        replica instanceof ReplicaUnderRecovery
            ? ((ReplicaUnderRecovery) replica).getOriginalReplica()
            : replica;
    // In memory nothing is reduced, and stock code may have kept no checksums.
    if (original instanceof LocalReplica
        && original.getState() != ReplicaState.FINALIZED
        && !original.getVolume().isTransientStorage()) {
      PoolSlice slice = slices.find(original.getStorageUuid(), poolId);
      PlainProof.require(
          (LocalReplica) original,
          new BlockRef(poolId, original.getBlockId()),
          slice == null ? null : slice.key(),
          slice != null && slice.reducedMayLackChecksums());
    }
  }

  /**
   * Makes a block plain and keeps it so until the hold is closed, for a stock operation that works
   * on the raw file. Nothing is inflated where the replica is not finalized, but even then it is
   * not reduced before the hold is closed: it may become finalized meanwhile.
   *
   * @param inflated which lengths of the replica are worth inflating it: where the operation is
   *     going to refuse the replica it is not
   * @throws IOException if the block can't be inflated; it is as it was
   */
  public Hold hold(BlockRef block, LongPredicate inflated) throws IOException {
    // Made before it is counted: without memory for it the hold could never be released.
    Hold hold = () -> replicas.release(block);
    try (Hold lock = replicas.locks().lock(block)) {
      replicas.hold(block);
      boolean plain = false;
      try {
        ReplicaSnapshot snapshot = ReplicaSnapshot.current(replicas.dataset(), block);
        if (snapshot != null && inflated.test(snapshot.length())) {
          inflate(snapshot);
        }
        plain = true;
      } finally {
        if (!plain) {
          hold.close();
        }
      }
    }
    return hold;
  }

  /** Makes a replica plain; the caller holds the block lock. */
  public void inflate(ReplicaSnapshot snapshot) throws IOException {
    try {
      inflater.inflate(snapshot);
    } catch (DiskFileCorruptException | CorruptFileException | CorruptFrameException e) {
      replicas
          .dataset()
          .handleDamaged(
              snapshot.block().poolId(), snapshot.replica(), String.valueOf(e.getMessage()));
      throw e;
    } finally {
      // A failed sync comes after the rename: the block may be plain in spite of the exception.
      replicas.forget(snapshot.block());
    }
  }

  /**
   * Writes a replica's data to a new file on another volume, decoded and verified.
   *
   * @return false if the replica is plain; nothing was written then
   * @throws IOException if it could not be done; the target may be incomplete
   */
  public boolean copyDecoded(String poolId, ReplicaInfo replica, Path target) throws IOException {
    BlockRef block = new BlockRef(poolId, replica.getBlockId());
    if (!replica.blockDataExists() || !replica.metadataExists()) {
      // Stock code copies both, and says which is missing.
      return false;
    }
    ReplicaSnapshot snapshot = ReplicaSnapshot.of(block, replica);
    if (snapshot == null) {
      return false;
    }
    try (BlockOpener.Opened opened = opener.open(snapshot)) {
      if (!opened.isReduced()) {
        return false;
      }
      inflater.writePlain(snapshot, opened, target);
      replicas.files().copyMode(snapshot.file(), target);
      return true;
    }
  }
}
