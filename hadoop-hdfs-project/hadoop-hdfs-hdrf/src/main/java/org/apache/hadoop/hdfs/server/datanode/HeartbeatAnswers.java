/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode;

import java.io.IOException;
import java.lang.reflect.Field;

/**
 * Knows whether an active NameNode has answered a heartbeat. That a {@code BPOfferService} has an
 * active NameNode does not tell: it believes the first handshake. Thread-safe.
 */
public final class HeartbeatAnswers {

  /** The last transaction that an active NameNode named in an answer, -1 before the first one. */
  private static final String LAST_CLAIM = "lastActiveClaimTxId";

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
   * Returns the id of the block pool whose active NameNode the current thread sends heartbeats to,
   * once it has answered one and stock code has handled that; null otherwise, and in any other
   * thread. While stock code handles an answer, only part of what it says has been done.
   */
  public String answeredPool() {
    for (BPOfferService pool : datanode.getAllBpOs()) {
      for (BPServiceActor actor : pool.getBPServiceActors()) {
        if (actor.bpThread == Thread.currentThread()) {
          // Only this thread makes its NameNode the active one. If that still is so after the look
          // at the claim, it is no other NameNode's.
          boolean answered = hasAnswered(pool);
          boolean active = actor.bpNamenode != null && actor.bpNamenode == pool.getActiveNN();
          return answered && active ? pool.getBlockPoolId() : null;
        }
      }
    }
    return null;
  }

  private boolean hasAnswered(BPOfferService pool) {
    try {
      return lastClaim.getLong(pool) >= 0;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
