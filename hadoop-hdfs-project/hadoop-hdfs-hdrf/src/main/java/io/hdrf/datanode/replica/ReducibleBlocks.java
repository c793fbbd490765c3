/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import io.hdrf.conf.HdrfConf;
import io.hdrf.datanode.volume.BlocksBeingWritten;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.reduce.BlockOwner;
import io.hdrf.reduce.BlockSkippedException;
import io.hdrf.reduce.EncodedBlock;
import io.hdrf.reduce.PlainBlock;
import io.hdrf.reduce.ReductionRules;
import io.hdrf.reduce.RulesDigest;
import io.hdrf.reduce.SkipReason;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.wire.SpooledBlocks;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/** Opens the finalized replicas of a DataNode for the Reducer. Thread-safe. */
public final class ReducibleBlocks implements BlockOwner, PlainBlockScan.Candidates {

  private final boolean duringUpgrade;
  private final boolean scanReducesExisting;
  private final ReductionRules rules;
  private final RulesDigest digest;
  private final Replicas replicas;
  private final DatasetAccess dataset;
  private final PoolSlices slices;
  private final BlocksBeingWritten written;
  private final SpooledBlocks spooled;
  private final Savings savings;
  private final DelayedTasks later;
  private final RecordedBlocks recorded;

  /**
   * @param spooled the frames that came with blocks from other DataNodes
   */
  public ReducibleBlocks(
      HdrfConf conf,
      Replicas replicas,
      PoolSlices slices,
      BlocksBeingWritten written,
      SpooledBlocks spooled,
      Savings savings,
      DelayedTasks later) {
    this.duringUpgrade = conf.duringUpgrade();
    this.scanReducesExisting = conf.scanReducesExisting();
    this.rules = new ReductionRules(conf);
    this.digest = new RulesDigest(conf.configuration());
    this.replicas = replicas;
    this.dataset = replicas.dataset();
    this.slices = slices;
    this.written = written;
    this.spooled = spooled;
    this.savings = savings;
    this.later = later;
    this.recorded = new RecordedBlocks(replicas, slices);
  }

  @Override
  public void settleKnown(String poolId, BooleanSupplier stopping) throws InterruptedException {
    recorded.settle(poolId, this::staysPlain, stopping);
  }

  /**
   * Returns whether a plain replica stays so as long as nobody writes to it.
   *
   * @param record tells why it did up to now
   */
  private boolean staysPlain(PoolSlice slice, BlockRecord record) {
    SkipReason reason = SkipReason.ofCode(record.reason());
    if (reason == null) {
      return false;
    }
    if (slice.codec() == null) {
      return reason == SkipReason.DECLINED;
    }
    SchemeChain chain = slice.codec().chain();
    return reason == SkipReason.SMALL
        ? rules.isSmall(chain, record.logicalLength())
        : record.rules() != BlockRecord.NO_RULES && record.rules() == digest.of(chain, reason);
  }

  /** Before an upgrade ends no block is reduced, so that none needs to be looked at. */
  @Override
  public boolean isAtRest(String poolId, FsVolumeSpi volume) {
    return isUpgradeOpen(volume, poolId);
  }

  @Override
  public boolean isWanted(String poolId, ReplicaInfo replica) {
    PoolSlice slice = slices.find(replica.getVolume().getStorageID(), poolId);
    // The time of the checksums: inflation gives a block a new file, and leaves these alone.
    return slice == null
        || slice.isReducedWhenFound(
            scanReducesExisting, ((LocalReplica) replica).getMetaFile()::lastModified);
  }

  /** Returns whether no upgrade keeps a pool's blocks on a volume as they are, now or perhaps. */
  public boolean mayReduce(String storageId, String poolId) {
    return dataset.volumes().stream()
        .noneMatch(
            volume -> volume.getStorageID().equals(storageId) && isUpgradeOpen(volume, poolId));
  }

  private boolean isUpgradeOpen(FsVolumeSpi volume, String poolId) {
    return !duringUpgrade && dataset.isUpgradeOpen(volume, poolId);
  }

  @Override
  public void skipped(BlockRef block, SkipReason reason) {
    if (reason.isLasting()) {
      // Where the chain was taken away, reduced blocks are declined before their files are read.
      boolean mayBeReduced = reason == SkipReason.ALREADY_REDUCED || reason == SkipReason.DECLINED;
      replicas.settled().settle(block, mayBeReduced ? savings.bytes(block) : 0);
      if (reason != SkipReason.ALREADY_REDUCED) {
        replicas.records().changed(block, BlockRecord.reason(reason.code(), rules(block, reason)));
      }
    }
  }

  /** Returns the rules by which a block stays plain for good, if these decided. */
  private int rules(BlockRef block, SkipReason reason) {
    ReplicaInfo replica = reason.isByContent() ? dataset.replica(block) : null;
    PoolSlice slice =
        replica == null ? null : slices.find(replica.getVolume().getStorageID(), block.poolId());
    return slice == null || slice.codec() == null
        ? BlockRecord.NO_RULES
        : digest.of(slice.codec().chain(), reason);
  }

  @Override
  public PlainBlock open(BlockRef block) throws IOException {
    EncodedBlock encoded = spooled.take(block);
    PlainBlock opened = null;
    try {
      opened = open(block, encoded);
      return opened;
    } finally {
      if (opened == null && encoded != null) {
        encoded.close();
      }
    }
  }

  private PlainBlock open(BlockRef block, EncodedBlock encoded) throws IOException {
    if (replicas.isHeld(block)) {
      throw new BlockSkippedException(SkipReason.HELD_PLAIN, "it is held plain");
    }
    ReplicaSnapshot snapshot = ReplicaSnapshot.current(dataset, block);
    if (snapshot == null || snapshot.replica().getState() != ReplicaState.FINALIZED) {
      throw new BlockSkippedException(SkipReason.CHANGED, "it is not finalized");
    }
    FsVolumeSpi volume = snapshot.volume();
    PoolSlice slice = use(volume, block.poolId());
    FsVolumeReference reference = null;
    boolean opened = false;
    try {
      if (slice.isKeptPlain()) {
        throw new BlockSkippedException(
            SkipReason.KEPT_PLAIN, "all blocks of " + volume + " are kept plain");
      }
      if (slice.codec() == null) {
        throw new BlockSkippedException(SkipReason.DECLINED, "its storage type has no chain");
      }
      if (isUpgradeOpen(volume, block.poolId())) {
        throw new BlockSkippedException(SkipReason.UPGRADE, "an upgrade is or may be open");
      }
      reference = volume.obtainReference();
      if (volume.getAvailable() < snapshot.length()) {
        throw new BlockSkippedException(SkipReason.NO_SPACE, volume + " is full");
      }
      PlainBlock plain =
          new FinalizedPlainBlock(snapshot, encoded, slice, reference, replicas, later);
      // From here on it gives back what it took over.
      volume.reserveSpaceForReplica(snapshot.length());
      opened = true;
      return plain;
    } catch (ClosedChannelException e) {
      throw new BlockSkippedException(SkipReason.STOPPING, volume + " leaves");
    } finally {
      if (!opened) {
        slice.endUse();
        if (reference != null) {
          reference.close();
        }
      }
    }
  }

  private PoolSlice use(FsVolumeSpi volume, String poolId) throws BlockSkippedException {
    try {
      return slices.use(volume, poolId);
    } catch (UnavailableException e) {
      throw new BlockSkippedException(SkipReason.STOPPING, e.getMessage());
    }
  }

  @Override
  public SchemeChain chainOf(BlockRef block) {
    return written.chainOf(block);
  }

  @Override
  public void onIoError(BlockRef block, IOException error) {
    ReplicaInfo replica = dataset.replica(block);
    if (replica != null && replica.getVolume() != null) {
      dataset.checkDisk(replica.getVolume());
    }
  }
}
