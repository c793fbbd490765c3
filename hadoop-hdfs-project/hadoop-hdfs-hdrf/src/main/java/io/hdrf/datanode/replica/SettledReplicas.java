/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The blocks that need no second look until they are written to, by pool. Thread-safe. */
public final class SettledReplicas {

  private final Map<String, SettledBlocks> pools = new ConcurrentHashMap<>();

  /** Those of a pool; for one that leaves meanwhile, its last ones. */
  SettledBlocks of(String poolId) {
    return pools.computeIfAbsent(poolId, id -> new SettledBlocks());
  }

  public void removePool(String poolId) {
    pools.remove(poolId);
  }

  /**
   * Takes note that a block needs no second look.
   *
   * @param saved by how many bytes its file is smaller than its length
   */
  public void settle(BlockRef block, long saved) {
    of(block.poolId()).put(block.blockId(), saved);
  }

  /** A block was written to or deleted, or is to be looked at again for another reason. */
  public void unsettle(BlockRef block) {
    SettledBlocks blocks = pools.get(block.poolId());
    if (blocks != null) {
      blocks.remove(block.blockId());
    }
  }

  /** What a settled block saves in bytes; {@code unknown} where it is not settled. */
  public long saved(BlockRef block, long unknown) {
    SettledBlocks blocks = pools.get(block.poolId());
    return blocks == null ? unknown : blocks.saved(block.blockId(), unknown);
  }
}
