/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/**
 * Names a block of a DataNode: its id is unique in its pool only. The generation stamp is no part
 * of the name: HDFS changes it in place. Immutable.
 */
public final class BlockRef {

  private final String poolId;
  private final long blockId;

  public BlockRef(String poolId, long blockId) {
    this.poolId = Objects.requireNonNull(poolId, "poolId");
    this.blockId = blockId;
  }

  public String poolId() {
    return poolId;
  }

  public long blockId() {
    return blockId;
  }

  /** The first 8 bytes of the SHA-256 of the pool id in UTF-8, read as a little-endian number. */
  public long poolHash() {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(poolId.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockRef
        && blockId == ((BlockRef) other).blockId
        && poolId.equals(((BlockRef) other).poolId);
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
