/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The blocks that wait for groups of another DataNode, and those that are being reduced: no block
 * is both. Thread-safe.
 */
final class AwaitedBlocks {

  /** The longest time that a block holds up others. */
  private static final long HOLD_UP_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Since when each waits. */
  private final Map<BlockRef, Long> awaited = new HashMap<>();

  private final Set<BlockRef> inWork = new HashSet<>();

  /** Blocks that are being handed on. */
  private int released;

  private final int maxAwaited;
  private final LongSupplier nanoTime;

  /**
   * @param maxAwaited the number of blocks that may wait; each has a thread that waits for the
   *     other DataNode
   */
  AwaitedBlocks(int maxAwaited, LongSupplier nanoTime) {
    this.maxAwaited = maxAwaited;
    this.nanoTime = nanoTime;
  }

  /** Returns whether the block waits from now on; not if it does so already, or is in work. */
  synchronized boolean await(BlockRef block) {
    return !inWork.contains(block)
        && awaited.size() < maxAwaited
        && awaited.putIfAbsent(block, nanoTime.getAsLong()) == null;
  }

  /**
   * Ends {@link #await}.
   *
   * @param next hands the block on; it counts as waiting until this has been done
   */
  void release(BlockRef block, Runnable next) {
    synchronized (this) {
      awaited.remove(block);
      released++;
    }
    try {
      next.run();
    } finally {
      synchronized (this) {
        released--;
      }
    }
  }

  /** The number of blocks that wait. */
  synchronized int size() {
    return awaited.size() + released;
  }

  synchronized boolean isAwaited(BlockRef block) {
    return awaited.containsKey(block);
  }

  /**
   * Returns whether a block that was allocated before this one waits. Since DataNodes wait for
   * older blocks only, no two of them wait for each other.
   */
  synchronized boolean hasOlder(BlockRef block) {
    long now = nanoTime.getAsLong();
    for (Map.Entry<BlockRef, Long> entry : awaited.entrySet()) {
      BlockRef other = entry.getKey();
      if (other.blockId() < block.blockId()
          && other.poolId().equals(block.poolId())
          && now - entry.getValue() < HOLD_UP_NANOS) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the block may be reduced now; then {@link #endWork} follows. */
  synchronized boolean beginWork(BlockRef block) {
    if (awaited.containsKey(block)) {
      return false;
    }
    inWork.add(block);
    return true;
  }

  synchronized void endWork(BlockRef block) {
    inWork.remove(block);
  }
}
