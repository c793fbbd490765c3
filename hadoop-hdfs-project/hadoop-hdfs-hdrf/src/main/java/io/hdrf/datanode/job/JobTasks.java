/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.admin.JobKind;
import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.PlainReplicas;
import io.hdrf.datanode.replica.Replicas;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.reduce.Reducer;
import java.security.SecureRandom;
import java.util.concurrent.Semaphore;

/** The tasks of a DataNode's jobs. Thread-safe. */
public final class JobTasks implements VolumeJobs.Tasks {

  private final Replicas replicas;
  private final BlockOpener opener;
  private final PlainReplicas plain;
  private final Reducer reducer;
  private final Semaphore threads;
  private final SecureRandom random = new SecureRandom();

  /**
   * @param reduceThreads the number of blocks that all jobs together reduce at the same time
   */
  public JobTasks(
      Replicas replicas,
      BlockOpener opener,
      PlainReplicas plain,
      Reducer reducer,
      int reduceThreads) {
    this.replicas = replicas;
    this.opener = opener;
    this.plain = plain;
    this.reducer = reducer;
    this.threads = new Semaphore(reduceThreads);
  }

  @Override
  public BlockTask task(JobKind kind, PoolSlice slice, double fraction) {
    String storageId = slice.storageId();
    String pool = slice.poolId();
    switch (kind) {
      case CONVERT:
        return new ConvertTask(replicas, opener, storageId, pool, reducer, threads);
      case INFLATE:
        return new InflateTask(replicas, opener, storageId, pool, plain);
      default:
        return new VerifyTask(replicas, opener, storageId, pool, fraction, random.nextLong());
    }
  }
}
