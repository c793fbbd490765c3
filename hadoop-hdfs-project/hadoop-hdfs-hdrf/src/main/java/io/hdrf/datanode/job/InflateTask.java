/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.datanode.replica.BlockLocks;
import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.Hold;
import io.hdrf.datanode.replica.ReplicaSnapshot;
import java.io.IOException;

/** Makes reduced replicas plain. */
final class InflateTask extends ReplicaTask {

  /** Inflates a replica under its block lock. */
  public interface Inflation {
    void inflate(ReplicaSnapshot snapshot) throws IOException;
  }

  private final BlockLocks locks;
  private final Inflation inflation;

  InflateTask(
      DatasetAccess dataset,
      BlockOpener opener,
      String storageId,
      String poolId,
      BlockLocks locks,
      Inflation inflation) {
    super(dataset, opener, storageId, poolId);
    this.locks = locks;
    this.inflation = inflation;
  }

  /** Under the lock: a swap that was allowed before the inflation began has ended then. */
  @Override
  public JobOutcome look(long blockId) throws IOException {
    try (Hold lock = locks.lock(block(blockId))) {
      return form(blockId) == Form.REDUCED ? null : JobOutcome.NOTHING_TO_DO;
    }
  }

  @Override
  public JobOutcome run(long blockId) throws IOException {
    try (Hold lock = locks.lock(block(blockId))) {
      ReplicaSnapshot snapshot = snapshot(blockId);
      if (snapshot == null) {
        return JobOutcome.NOTHING_TO_DO;
      }
      try {
        inflation.inflate(snapshot);
      } catch (IOException e) {
        checkDisk(snapshot, e);
        throw e;
      }
      return JobOutcome.done(0);
    }
  }
}
