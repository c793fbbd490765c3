/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode;

import java.io.IOException;
import java.lang.reflect.Field;

/**
 * Knows the last answer of an active NameNode to a heartbeat. That a {@code BPOfferService} has an
 * active NameNode does not tell of an answer: it believes the first handshake. Thread-safe.
 */
public final class HeartbeatAnswers {

  /** The last transaction that an active NameNode named in an answer, -1 before the first one. */
  private static final String LAST_CLAIM = "lastActiveClaimTxId";

  /** An active NameNode's answer to a heartbeat. Immutable. */
  public static final class Answer {
    private final String poolId;
    private final long transaction;

    private Answer(String poolId, long transaction) {
      this.poolId = poolId;
      this.transaction = transaction;
    }

    public String poolId() {
      return poolId;
    }

    /** The last transaction that the NameNode had written, 0 or more. */
    public long transaction() {
      return transaction;
    }
  }

  private final DataNode datanode;
  private final Field lastClaim;

  /**
   * @throws IOException if this Hadoop does not tell
   */
  public HeartbeatAnswers(DataNode datanode) throws IOException {
    this.datanode = datanode;
    try {
      lastClaim = BPOfferService.class.getDeclaredField(LAST_CLAIM);
      lastClaim.setAccessible(true);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IOException(
          "This Hadoop's BPOfferService lacks the field "
              + LAST_CLAIM
              + ", which tells HDRF that a NameNode has answered",
          e);
    }
  }

  /**
   * Returns the last answer of the active NameNode that the current thread sends heartbeats to,
   * once stock code has handled it; null before the first one, and in any other thread. While stock
   * code handles an answer, it is this one, of which only part has been done.
   */
  public Answer handled() {
    for (BPOfferService pool : datanode.getAllBpOs()) {
      for (BPServiceActor actor : pool.getBPServiceActors()) {
        if (actor.bpThread == Thread.currentThread()) {
          // Only this thread makes its NameNode the active one. If that still is so after the look
          // at the transaction, no other NameNode named it.
          long transaction = lastClaim(pool);
          boolean active = actor.bpNamenode != null && actor.bpNamenode == pool.getActiveNN();
          return active && hasAnswered(transaction)
              ? new Answer(pool.getBlockPoolId(), transaction)
              : null;
        }
      }
    }
    return null;
  }

  private static boolean hasAnswered(long transaction) {
    return transaction >= 0;
  }

  /**
   * Returns the last transaction that an active NameNode of the pool named, that of the answer
   * which the current thread handles included; -1 if none has.
   */
  public long lastTransaction(String poolId) {
    for (BPOfferService pool : datanode.getAllBpOs()) {
      if (poolId.equals(pool.getBlockPoolId())) {
        return lastClaim(pool);
      }
    }
    return -1;
  }

  private long lastClaim(BPOfferService pool) {
    try {
      return lastClaim.getLong(pool);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
