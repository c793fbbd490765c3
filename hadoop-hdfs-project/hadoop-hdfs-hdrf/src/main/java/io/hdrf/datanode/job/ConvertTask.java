/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.Replicas;
import io.hdrf.reduce.Reducer;
import io.hdrf.reduce.SkipReason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Semaphore;

/** Reduces plain replicas. */
final class ConvertTask extends ReplicaTask {

  private static final long UNKNOWN = -1;

  private final Reducer reducer;
  private final Semaphore threads;

  /**
   * @param threads a permit for each block that all tasks together may reduce at the same time
   */
  ConvertTask(
      Replicas replicas,
      BlockOpener opener,
      String storageId,
      String poolId,
      Reducer reducer,
      Semaphore threads) {
    super(replicas, opener, storageId, poolId);
    this.reducer = reducer;
    this.threads = threads;
  }

  @Override
  public JobOutcome look(long blockId) throws IOException {
    if (form(blockId) != Form.PLAIN) {
      return JobOutcome.NOTHING_TO_DO;
    }
    return replicas.settled().saved(block(blockId), UNKNOWN) == UNKNOWN
        ? null
        : JobOutcome.left("LookedAtBefore");
  }

  @Override
  public JobOutcome run(long blockId) throws IOException {
    SkipReason reason;
    try {
      threads.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
    try {
      reason = reducer.reduceNow(block(blockId));
    } finally {
      threads.release();
    }
    if (reason == null) {
      return JobOutcome.done(replicas.settled().saved(block(blockId), 0));
    }
    if (reason == SkipReason.ALREADY_REDUCED) {
      return JobOutcome.NOTHING_TO_DO;
    }
    if (reason == SkipReason.UPGRADE) {
      return JobOutcome.UPGRADE;
    }
    return reason.isLasting()
        ? JobOutcome.left(reason.metricName())
        : JobOutcome.later(reason.metricName(), "");
  }
}
