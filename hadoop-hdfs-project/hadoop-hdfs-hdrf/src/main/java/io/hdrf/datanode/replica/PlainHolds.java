/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;

/**
 * Blocks that must stay plain for now: for the length of a stock operation that works on the raw
 * file, or for as long as the DataNode has a block in its cache. A swap looks here under the block
 * lock, and holds are taken under it, so that none slips between. Thread-safe.
 */
public final class PlainHolds {

  private final ConcurrentMap<BlockRef, Integer> holds = new ConcurrentHashMap<>();
  private final Predicate<BlockRef> cached;

  /**
   * @param cached whether a block is in the DataNode's cache; asked under the block lock
   */
  public PlainHolds(Predicate<BlockRef> cached) {
    this.cached = cached;
  }

  public void hold(BlockRef block) {
    holds.merge(block, 1, Integer::sum);
  }

  public void release(BlockRef block) {
    holds.computeIfPresent(block, (key, count) -> count == 1 ? null : count - 1);
  }

  public boolean isHeld(BlockRef block) {
    return holds.containsKey(block) || cached.test(block);
  }
}
