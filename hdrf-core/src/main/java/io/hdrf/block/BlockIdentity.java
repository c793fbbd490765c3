/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/** Which block a file holds. The generation stamp is no part of it: HDFS changes it in place. */
public final class BlockIdentity {

  private final String poolId;
  private final long blockId;
  private final long poolHash;

  /**
   * @param poolId the block pool's id
   * @param blockId the block's id, unique in its pool
   */
  public BlockIdentity(String poolId, long blockId) {
    this.poolId = Objects.requireNonNull(poolId, "poolId");
    this.blockId = blockId;
    this.poolHash = hash(poolId);
  }

  private static long hash(String poolId) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(poolId.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The block pool's id. */
  public String poolId() {
    return poolId;
  }

  /** The block's id. */
  public long blockId() {
    return blockId;
  }

  /** The first 8 bytes of the SHA-256 of the pool id in UTF-8, read as a little-endian number. */
  public long poolHash() {
    return poolHash;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockIdentity
        && blockId == ((BlockIdentity) other).blockId
        && poolId.equals(((BlockIdentity) other).poolId);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(blockId) ^ Long.hashCode(poolHash);
  }

  @Override
  public String toString() {
    return poolId + ":" + blockId;
  }
}
