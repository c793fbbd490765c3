/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockVerifier;
import io.hdrf.block.VerifyResult;
import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.ReplicaSnapshot;
import io.hdrf.datanode.replica.Replicas;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import java.io.IOException;

/** Reads reduced replicas and compares them with all their checksums. */
final class VerifyTask extends ReplicaTask {

  /** Spreads the ids of blocks evenly over all numbers. */
  private static final long MIX_1 = 0xBF58476D1CE4E5B9L;

  private static final long MIX_2 = 0x94D049BB133111EBL;

  private final double fraction;
  private final long seed;

  /**
   * @param fraction the share of the blocks that is verified, at most 1
   * @param seed selects them
   */
  VerifyTask(
      Replicas replicas,
      BlockOpener opener,
      String storageId,
      String poolId,
      double fraction,
      long seed) {
    super(replicas, opener, storageId, poolId);
    this.fraction = fraction;
    this.seed = seed;
  }

  @Override
  boolean concerns(long blockId) {
    return isChosen(blockId, seed, fraction);
  }

  /** Returns whether a block belongs to the share; the same blocks for the same seed. */
  static boolean isChosen(long blockId, long seed, double fraction) {
    long mixed = blockId + seed;
    mixed = (mixed ^ (mixed >>> 30)) * MIX_1;
    mixed = (mixed ^ (mixed >>> 27)) * MIX_2;
    mixed ^= mixed >>> 31;
    return (mixed >>> 11) * 0x1.0p-53 < fraction;
  }

  @Override
  public JobOutcome look(long blockId) throws IOException {
    return form(blockId) == Form.REDUCED ? null : JobOutcome.NOTHING_TO_DO;
  }

  @Override
  public JobOutcome run(long blockId) throws IOException {
    ReplicaSnapshot snapshot = snapshot(blockId);
    if (snapshot == null) {
      return JobOutcome.NOTHING_TO_DO;
    }
    try {
      return verify(snapshot) ? JobOutcome.done(0) : JobOutcome.NOTHING_TO_DO;
    } catch (IOException e) {
      if (!JobOutcome.isDamage(e)) {
        checkDisk(snapshot, e);
        throw e;
      }
      if (!replicas.isUnchanged(snapshot)) {
        return JobOutcome.later("Changed", "");
      }
      String damage = String.valueOf(e.getMessage());
      replicas.dataset().reportDamaged(snapshot.block().poolId(), snapshot.replica(), damage);
      return JobOutcome.damaged(damage);
    }
  }

  /** Returns false if the replica is plain. */
  private boolean verify(ReplicaSnapshot snapshot) throws IOException {
    try (BlockOpener.Opened opened = opener.open(snapshot)) {
      if (!opened.isReduced()) {
        return false;
      }
      ChainCodec codec = opened.codec();
      try (ChannelFile meta = ChannelFile.open(snapshot.metaFile());
          BlockChecksums checksums = BlockChecksums.open(snapshot.metaFile(), meta)) {
        VerifyResult result = BlockVerifier.verify(opened.reduced(), codec, checksums, null);
        switch (result.outcome()) {
          case OK:
            return true;
          case NO_CHECKSUMS:
            BlockVerifier.decode(opened.reduced(), codec);
            return true;
          default:
            throw new CorruptFileException(
                snapshot.file(),
                "its decoded data do not match " + snapshot.metaFile() + ": " + result);
        }
      }
    }
  }
}
