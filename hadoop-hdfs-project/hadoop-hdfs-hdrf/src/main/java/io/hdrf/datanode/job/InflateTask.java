/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.Hold;
import io.hdrf.datanode.replica.PlainReplicas;
import io.hdrf.datanode.replica.ReplicaSnapshot;
import io.hdrf.datanode.replica.Replicas;
import java.io.IOException;

/** Makes reduced replicas plain. */
final class InflateTask extends ReplicaTask {

  private final PlainReplicas plain;

  InflateTask(
      Replicas replicas, BlockOpener opener, String storageId, String poolId, PlainReplicas plain) {
    super(replicas, opener, storageId, poolId);
    this.plain = plain;
  }

  /** Under the lock: a swap that was allowed before the inflation began has ended then. */
  @Override
  public JobOutcome look(long blockId) throws IOException {
    try (Hold lock = replicas.locks().lock(block(blockId))) {
      return form(blockId) == Form.REDUCED ? null : JobOutcome.NOTHING_TO_DO;
    }
  }

  @Override
  public JobOutcome run(long blockId) throws IOException {
    try (Hold lock = replicas.locks().lock(block(blockId))) {
      ReplicaSnapshot snapshot = snapshot(blockId);
      if (snapshot == null) {
        return JobOutcome.NOTHING_TO_DO;
      }
      try {
        plain.inflate(snapshot);
      } catch (IOException e) {
        checkDisk(snapshot, e);
        throw e;
      }
      return JobOutcome.done(0);
    }
  }
}
