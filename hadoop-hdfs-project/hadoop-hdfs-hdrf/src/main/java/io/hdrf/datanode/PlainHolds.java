/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.reduce.BlockRef;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Blocks that must stay plain for now: for the length of a stock operation that works on the raw
 * file, or for as long as a block is cached. A swap looks here under the block lock, and holds are
 * taken under it, so that none slips between. Thread-safe.
 */
final class PlainHolds {

  private final ConcurrentMap<BlockRef, Integer> holds = new ConcurrentHashMap<>();
  private final Set<BlockRef> cached = ConcurrentHashMap.newKeySet();

  void hold(BlockRef block) {
    holds.merge(block, 1, Integer::sum);
  }

  void release(BlockRef block) {
    holds.computeIfPresent(block, (key, count) -> count == 1 ? null : count - 1);
  }

  void setCached(BlockRef block) {
    cached.add(block);
  }

  /** Ends the hold of a cached block; nothing happens where it isn't cached. */
  void clearCached(BlockRef block) {
    cached.remove(block);
  }

  boolean isHeld(BlockRef block) {
    return holds.containsKey(block) || cached.contains(block);
  }
}
