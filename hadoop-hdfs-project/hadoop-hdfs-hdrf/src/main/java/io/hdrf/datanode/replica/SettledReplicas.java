/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The blocks that need no second look until they are written to, by pool. Thread-safe. */
public final class SettledReplicas {

  private final Map<String, SettledBlocks> pools = new ConcurrentHashMap<>();

  /** The settled blocks of a pool; also of one that leaves meanwhile. */
  SettledBlocks of(String poolId) {
    return pools.computeIfAbsent(poolId, id -> new SettledBlocks());
  }

  public void removePool(String poolId) {
    pools.remove(poolId);
  }

  /**
   * Notes that a block needs no second look.
   *
   * @param saved the bytes by which its file is smaller than its length
   */
  public void settle(BlockRef block, long saved) {
    of(block.poolId()).put(block.blockId(), saved);
  }

  /**
   * Forgets a block that was written to or deleted, or must be looked at again for another reason.
   */
  public void unsettle(BlockRef block) {
    SettledBlocks blocks = pools.get(block.poolId());
    if (blocks != null) {
      blocks.remove(block.blockId());
    }
  }

  /** The saving of a settled block in bytes; {@code unknown} where it is not settled. */
  public long saved(BlockRef block, long unknown) {
    SettledBlocks blocks = pools.get(block.poolId());
    return blocks == null ? unknown : blocks.saved(block.blockId(), unknown);
  }
}
