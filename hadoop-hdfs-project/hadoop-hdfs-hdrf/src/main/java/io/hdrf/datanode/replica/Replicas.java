/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Replaces the files of finalized replicas by another form of the same data, and knows what orders
 * and forbids that: block locks and holds. A hold keeps a block plain for the length of a stock
 * operation that works on the raw file. A swap looks for holds under the block lock, and holds are
 * taken under it, so that none slips between. Thread-safe.
 */
public final class Replicas {

  private final DatasetAccess dataset;
  private final DurableFiles files;
  private final BlockRecords records;
  private final BlockLocks locks = new BlockLocks();
  private final SettledReplicas settled = new SettledReplicas();
  private final ConcurrentMap<BlockRef, Integer> holds = new ConcurrentHashMap<>();

  public Replicas(DatasetAccess dataset, DurableFiles files, BlockRecords records) {
    this.dataset = dataset;
    this.files = files;
    this.records = records;
  }

  /** The replica was changed, moved or deleted since the snapshot was taken. */
  public static final class ReplicaChangedException extends IOException {
    private static final long serialVersionUID = 1L;

    ReplicaChangedException(BlockRef block) {
      super(block + " was changed, moved or deleted meanwhile");
    }
  }

  /** The DataNode's dataset. */
  public DatasetAccess dataset() {
    return dataset;
  }

  /** The files of the volumes. */
  DurableFiles files() {
    return files;
  }

  /** The block records. */
  BlockRecords records() {
    return records;
  }

  /** The lock of each block. */
  public BlockLocks locks() {
    return locks;
  }

  /** The blocks that need no second look. */
  public SettledReplicas settled() {
    return settled;
  }

  /** Takes a hold; the caller has the block lock. */
  void hold(BlockRef block) {
    holds.merge(block, 1, Integer::sum);
  }

  /** Ends one {@link #hold}. */
  void release(BlockRef block) {
    holds.computeIfPresent(block, (key, count) -> count == 1 ? null : count - 1);
  }

  /** Returns whether a block must stay plain: it is held, or in the DataNode's cache. */
  boolean isHeld(BlockRef block) {
    return holds.containsKey(block) || dataset.isCached(block.poolId(), block.blockId());
  }

  /** Returns whether the map still has the snapshot's replica, with the same file. */
  public boolean isUnchanged(ReplicaSnapshot snapshot) {
    BlockRef block = snapshot.block();
    try (Hold lock = dataset.lock(snapshot.volume(), block.poolId())) {
      return snapshot.isStill(dataset.replica(block));
    }
  }

  /**
   * Replaces the replica's file by {@code replacement}. One rename(2): the block has a file at any
   * moment. The caller holds the block lock, and has made the replacement durable.
   *
   * @param usedDelta by how much the volume's use changes
   * @throws ReplicaChangedException if the replica is not what it was; nothing was done
   */
  void replace(ReplicaSnapshot snapshot, Path replacement, long usedDelta) throws IOException {
    BlockRef block = snapshot.block();
    files.copyMode(snapshot.file(), replacement);
    try (Hold lock = dataset.lock(snapshot.volume(), block.poolId())) {
      if (!snapshot.isStill(dataset.replica(block))) {
        throw new ReplicaChangedException(block);
      }
      files.rename(replacement, snapshot.file());
      dataset.adjustUsed(snapshot.volume(), block.poolId(), usedDelta);
    }
    dataset.revokeDescriptors(block.poolId(), block.blockId());
  }

  /** Forgets all about a block that is gone, was written to, or is plain again. */
  public void forget(BlockRef block) {
    settled.unsettle(block);
    records.changed(block, BlockRecord.NO_REASON);
  }
}
