/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.reduce.BlockRef;
import io.hdrf.reduce.Reducer;
import io.hdrf.spi.thread.RepeatingThread;
import java.io.Closeable;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds finalized blocks that are still plain: written before HDRF, while the queue was full, or
 * finalized on one of the many ways that don't pass {@code finalizeBlock}. The replica map is the
 * truth; everything else is a hint. One thread, which sleeps between rounds and while the Reducer's
 * queue is more than half full.
 */
public final class PlainBlockScan implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(PlainBlockScan.class);

  private final DatasetAccess dataset;
  private final Reducer reducer;
  private final long intervalMillis;
  private final int queueLength;
  private final BiPredicate<String, ReplicaInfo> wanted;
  private final Set<String> pools = ConcurrentHashMap.newKeySet();

  /** Blocks that need no second look until they are written to, by pool. */
  private final Map<String, SettledBlocks> settled = new ConcurrentHashMap<>();

  private final RepeatingThread thread;
  private boolean roundWanted;

  /**
   * @param seconds between two rounds
   * @param queue how many blocks may wait for the Reducer
   * @param wanted whether a replica of a pool is to be reduced if it is plain
   */
  public PlainBlockScan(
      String name,
      DatasetAccess dataset,
      Reducer reducer,
      int seconds,
      int queue,
      BiPredicate<String, ReplicaInfo> wanted) {
    this.wanted = wanted;
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
    settled.remove(poolId);
  }

  /** Has a round begin soon. */
  public synchronized void wake() {
    roundWanted = true;
    notifyAll();
  }

  /**
   * Takes note that a block needs no second look.
   *
   * @param saved by how many bytes its file is smaller than its length
   */
  public void settle(BlockRef block, long saved) {
    settled
        .computeIfAbsent(block.poolId(), pool -> new SettledBlocks())
        .put(block.blockId(), saved);
  }

  /** A block was written to or deleted, or is to be looked at again for another reason. */
  public void unsettle(BlockRef block) {
    SettledBlocks blocks = settled.get(block.poolId());
    if (blocks != null) {
      blocks.remove(block.blockId());
    }
  }

  /** What a settled block saves in bytes; {@code unknown} where it is not settled. */
  public long saved(BlockRef block, long unknown) {
    SettledBlocks blocks = settled.get(block.poolId());
    return blocks == null ? unknown : blocks.saved(block.blockId(), unknown);
  }

  private void round() throws InterruptedException {
    awaitRound();
    for (String pool : pools) {
      scan(pool);
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

  private void scan(String pool) throws InterruptedException {
    SettledBlocks known = settled.computeIfAbsent(pool, id -> new SettledBlocks());
    int offered = 0;
    for (ReplicaInfo replica : dataset.finalizedReplicas(pool)) {
      if (thread.isStopping()) {
        return;
      }
      if (known.contains(replica.getBlockId())
          || !ReplicaSnapshot.isEligible(replica)
          || !wanted.test(pool, replica)) {
        continue;
      }
      while (reducer.room() < queueLength / 2 && !thread.isStopping()) {
        Thread.sleep(100);
      }
      reducer.offer(new BlockRef(pool, replica.getBlockId()));
      offered++;
    }
    LOG.debug("Offered {} blocks of pool {} to the Reducer", offered, pool);
  }

  @Override
  public void close() {
    thread.stop();
    thread.interrupt();
    thread.join(TimeUnit.SECONDS.toMillis(10));
  }
}
