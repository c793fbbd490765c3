/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import io.hdrf.reduce.Reducer;
import io.hdrf.spi.thread.RepeatingThread;
import java.io.Closeable;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds finalized blocks that are still plain: written before HDRF, while the queue was full, or
 * finalized on one of the many ways that don't pass {@code finalizeBlock}. Only the replica map is
 * authoritative. One thread, which sleeps between rounds and while the Reducer's queue is more than
 * half full.
 */
public final class PlainBlockScan implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(PlainBlockScan.class);

  /** Decides which replicas a scan offers. All calls come on the scan's thread. */
  public interface Candidates {

    /** Settles the replicas of a pool of which enough is known without their files' content. */
    default void settleKnown(String poolId, BooleanSupplier stopping) throws InterruptedException {}

    /** Returns whether no replica of a pool on a volume can be reduced now. */
    default boolean isAtRest(String poolId, FsVolumeSpi volume) {
      return false;
    }

    /** Returns whether a replica of a pool is to be reduced if it is plain. */
    boolean isWanted(String poolId, ReplicaInfo replica);
  }

  private final DatasetAccess dataset;
  private final Reducer reducer;
  private final long intervalMillis;
  private final int queueLength;
  private final Candidates candidates;
  private final Set<String> pools = ConcurrentHashMap.newKeySet();

  private final SettledReplicas settled;
  private final RepeatingThread thread;
  private final AtomicLong fullRounds = new AtomicLong();
  private boolean roundWanted;

  /**
   * @param seconds between two rounds
   * @param queue the length of the Reducer's queue
   * @param settled the blocks that the scan leaves out
   */
  public PlainBlockScan(
      String name,
      DatasetAccess dataset,
      Reducer reducer,
      int seconds,
      int queue,
      SettledReplicas settled,
      Candidates candidates) {
    this.settled = settled;
    this.candidates = candidates;
    this.dataset = dataset;
    this.reducer = reducer;
    this.intervalMillis = TimeUnit.SECONDS.toMillis(seconds);
    this.queueLength = queue;
    this.thread = new RepeatingThread("hdrf-plain-block-scan-" + name, this::round);
  }

  /** Starts the rounds, unless they were started or the scan was closed. */
  public void start() {
    thread.start();
  }

  public void addPool(String poolId) {
    pools.add(poolId);
    wake();
  }

  public void removePool(String poolId) {
    pools.remove(poolId);
    settled.removePool(poolId);
  }

  /** Schedules a round soon. */
  public synchronized void wake() {
    roundWanted = true;
    notifyAll();
  }

  /** Returns the number of rounds that are done and passed over no volume at rest. */
  public long fullRounds() {
    return fullRounds.get();
  }

  private void round() throws InterruptedException {
    awaitRound();
    boolean full = true;
    for (String pool : pools) {
      full &= scan(pool);
    }
    if (full) {
      fullRounds.incrementAndGet();
    }
  }

  private synchronized void awaitRound() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(intervalMillis);
    while (!roundWanted && !thread.isStopping()) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        break;
      }
      wait(left);
    }
    roundWanted = false;
  }

  /** Returns whether no volume with replicas to look at was at rest. */
  private boolean scan(String pool) throws InterruptedException {
    candidates.settleKnown(pool, thread::isStopping);
    SettledBlocks known = settled.of(pool);
    Map<FsVolumeSpi, Boolean> atRest = new HashMap<>();
    int offered = 0;
    for (ReplicaInfo replica : dataset.finalizedReplicas(pool)) {
      if (thread.isStopping()) {
        return false;
      }
      if (known.contains(replica.getBlockId())
          || !ReplicaSnapshot.isEligible(replica)
          || atRest.computeIfAbsent(
              replica.getVolume(), volume -> candidates.isAtRest(pool, volume))
          || !candidates.isWanted(pool, replica)) {
        continue;
      }
      while (reducer.room() < queueLength / 2 && !thread.isStopping()) {
        Thread.sleep(100);
      }
      reducer.offer(new BlockRef(pool, replica.getBlockId()));
      offered++;
    }
    LOG.debug("Offered {} blocks of pool {} to the Reducer", offered, pool);
    return !atRest.containsValue(true);
  }

  @Override
  public void close() {
    thread.stop();
    thread.interrupt();
    thread.join(TimeUnit.SECONDS.toMillis(10));
  }
}
