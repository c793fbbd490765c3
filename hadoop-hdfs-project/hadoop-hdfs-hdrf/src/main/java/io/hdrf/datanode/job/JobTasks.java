/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.admin.JobKind;
import io.hdrf.datanode.replica.BlockLocks;
import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.SettledReplicas;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.reduce.Reducer;
import java.security.SecureRandom;
import java.util.concurrent.Semaphore;

/** The tasks of a DataNode's jobs. Thread-safe. */
public final class JobTasks implements VolumeJobs.Tasks {

  private final DatasetAccess dataset;
  private final BlockOpener opener;
  private final BlockLocks locks;
  private final InflateTask.Inflation inflation;
  private final Reducer reducer;
  private final SettledReplicas settled;
  private final Semaphore threads;
  private final SecureRandom random = new SecureRandom();

  /**
   * @param reduceThreads how many blocks are reduced at the same time by all jobs
   */
  public JobTasks(
      DatasetAccess dataset,
      BlockOpener opener,
      BlockLocks locks,
      InflateTask.Inflation inflation,
      Reducer reducer,
      SettledReplicas settled,
      int reduceThreads) {
    this.dataset = dataset;
    this.opener = opener;
    this.locks = locks;
    this.inflation = inflation;
    this.reducer = reducer;
    this.settled = settled;
    this.threads = new Semaphore(reduceThreads);
  }

  @Override
  public BlockTask task(JobKind kind, String storageId, PoolSlice slice, double fraction) {
    String pool = slice.poolId();
    switch (kind) {
      case CONVERT:
        return new ConvertTask(dataset, opener, storageId, pool, reducer, settled, threads);
      case INFLATE:
        return new InflateTask(dataset, opener, storageId, pool, locks, inflation);
      default:
        return new VerifyTask(dataset, opener, storageId, pool, fraction, random.nextLong());
    }
  }
}
