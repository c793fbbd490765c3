/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import java.util.Objects;

/** Names a block of a DataNode: block ids are unique only within their pool. Immutable. */
public final class BlockRef {
  private final String poolId;
  private final long blockId;

  public BlockRef(String poolId, long blockId) {
    this.poolId = Objects.requireNonNull(poolId);
    this.blockId = blockId;
  }

  public String poolId() {
    return poolId;
  }

  public long blockId() {
    return blockId;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockRef
        && ((BlockRef) other).blockId == blockId
        && ((BlockRef) other).poolId.equals(poolId);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(blockId) * 31 + poolId.hashCode();
  }

  @Override
  public String toString() {
    return poolId + ":blk_" + blockId;
  }
}
