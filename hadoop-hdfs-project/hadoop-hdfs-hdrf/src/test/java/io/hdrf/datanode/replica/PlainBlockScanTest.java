/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.conf.HdrfConf;
import io.hdrf.reduce.BlockOwner;
import io.hdrf.reduce.BlockSkippedException;
import io.hdrf.reduce.PlainBlock;
import io.hdrf.reduce.Reducer;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.reduce.SkipReason;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaBeingWritten;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.extdataset.ExternalVolumeImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PlainBlockScanTest {

  private static final String POOL = "BP-1";
  private static final long UNWANTED = 99;

  private final ReducerCounters counters = new ReducerCounters();
  private final Pool pool = new Pool();
  private final SettledReplicas settled = new SettledReplicas();

  /** Copying the map of a large pool is where memory runs out first. */
  @Test
  void roundsGoOnAfterAnError() throws Exception {
    CountDownLatch rounds = new CountDownLatch(4);
    AtomicInteger next = new AtomicInteger();
    DatasetAccess dataset = dataset(rounds, next);
    Configuration conf = new Configuration(false);
    conf.setInt("hdrf.reduce.threads", 1);
    try (Reducer reducer =
            new Reducer(
                "test", new HdrfConf(conf), null, LocalDurableFiles.INSTANCE, counters, () -> {});
        PlainBlockScan scan =
            new PlainBlockScan("test", dataset, reducer, 1, 10, settled, (pool, replica) -> true)) {
      scan.addPool("BP-1");
      scan.start();
      while (rounds.getCount() > 0) {
        scan.wake();
        Thread.sleep(5);
      }
      assertThat(next.get()).isGreaterThanOrEqualTo(4);
    }
  }

  /** A pool's replicas as in a dataset, and the outcome of offered ones. */
  private static final class Pool implements BlockOwner {
    private final List<ReplicaInfo> replicas = new CopyOnWriteArrayList<>();
    private final BlockingQueue<BlockRef> opened = new LinkedBlockingQueue<>();
    private final Semaphore rounds = new Semaphore(0);
    private final Semaphore work = new Semaphore(1_000_000);

    DatasetAccess dataset() {
      return PlainBlockScanTest.dataset(
          pool -> {
            rounds.release();
            return pool.equals(POOL) ? replicas : List.of();
          });
    }

    @Override
    public PlainBlock open(BlockRef block) throws IOException {
      work.acquireUninterruptibly();
      opened.add(block);
      throw new BlockSkippedException(SkipReason.CHANGED, "for a test");
    }

    @Override
    public SchemeChain chainOf(BlockRef block) {
      try {
        return SchemeChain.parse("chain", "none", SchemeRegistry.of(List.of()));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void onIoError(BlockRef block, IOException error) {
      throw new AssertionError(error);
    }

    void add(long... ids) {
      for (long id : ids) {
        replicas.add(new FinalizedReplica(id, 1, 1001, new ExternalVolumeImpl(), new File("/")));
      }
    }

    /** Returns the blocks opened until the last one was. */
    Set<Long> openedUntil(long last) throws InterruptedException {
      Set<Long> ids = new TreeSet<>();
      long id;
      do {
        BlockRef block = opened.take();
        assertThat(block.poolId()).isEqualTo(POOL);
        id = block.blockId();
        ids.add(id);
      } while (id != last);
      return ids;
    }
  }

  private Reducer reducer(int queue) throws IOException {
    Configuration conf = new Configuration(false);
    conf.setInt("hdrf.reduce.threads", 1);
    conf.setInt("hdrf.reduce.delay", 0);
    conf.setInt("hdrf.reduce.queue.length", queue);
    return new Reducer(
        "test", new HdrfConf(conf), pool, LocalDurableFiles.INSTANCE, counters, () -> {});
  }

  private PlainBlockScan scan(Reducer reducer, int seconds, int queue) {
    return new PlainBlockScan(
        "test",
        pool.dataset(),
        reducer,
        seconds,
        queue,
        settled,
        (id, replica) -> replica.getBlockId() != UNWANTED);
  }

  @Test
  void finalizedBlocksThatMayBePlainAndAreWantedAreOffered() throws Exception {
    pool.add(1, UNWANTED, 2, 3);
    pool.replicas.add(new ReplicaBeingWritten(4, 1001, new ExternalVolumeImpl(), null, 0));
    pool.add(5);
    try (Reducer reducer = reducer(100);
        PlainBlockScan scan = scan(reducer, 3600, 100)) {
      settled.settle(new BlockRef(POOL, 2), 7);
      scan.addPool(POOL);
      scan.start();
      assertThat(pool.openedUntil(5)).containsExactly(1L, 3L, 5L);

      settled.unsettle(new BlockRef(POOL, 2));
      settled.settle(new BlockRef(POOL, 3), 0);
      scan.wake();
      assertThat(pool.openedUntil(5)).containsExactly(1L, 2L, 5L);
    }
  }

  /** What a deletion gives back. */
  @Test
  void whatSettledBlocksSaveIsKnown() throws Exception {
    try (Reducer reducer = reducer(100);
        PlainBlockScan scan = scan(reducer, 3600, 100)) {
      BlockRef block = new BlockRef(POOL, 1);
      assertThat(settled.saved(block, -1)).isEqualTo(-1);
      settled.unsettle(block);
      settled.settle(block, 100);
      assertThat(settled.saved(block, -1)).isEqualTo(100);
      assertThat(settled.saved(new BlockRef(POOL, 2), -1)).isEqualTo(-1);
      assertThat(settled.saved(new BlockRef("BP-2", 1), -1)).isEqualTo(-1);
      settled.unsettle(block);
      assertThat(settled.saved(block, -1)).isEqualTo(-1);
      settled.settle(block, 100);
      scan.removePool(POOL);
      assertThat(settled.saved(block, -1)).isEqualTo(-1);
    }
  }

  @Test
  void aNewPoolIsLookedAtAtOnceAndOneThatLeftNoMore() throws Exception {
    pool.add(1);
    try (Reducer reducer = reducer(100);
        PlainBlockScan scan = scan(reducer, 3600, 100)) {
      scan.start();
      scan.addPool(POOL);
      assertThat(pool.openedUntil(1)).containsExactly(1L);
      scan.removePool(POOL);
      scan.addPool("BP-2");
      pool.rounds.acquire(2);
      assertThat(pool.opened).isEmpty();
    }
  }

  @Test
  void roundsFollowEachOtherByThemselves() throws Exception {
    try (Reducer reducer = reducer(100);
        PlainBlockScan scan = scan(reducer, 0, 100)) {
      scan.addPool(POOL);
      scan.start();
      pool.rounds.acquire(3);
    }
  }

  /** Blocks that were written just now are to find room. */
  @Test
  void halfOfTheQueueIsLeftToOthers() throws Exception {
    int blocks = 30;
    int queue = 10;
    for (long id = 1; id <= blocks; id++) {
      pool.add(id);
    }
    pool.work.drainPermits();
    try (Reducer reducer = reducer(queue);
        PlainBlockScan scan = scan(reducer, 3600, queue)) {
      scan.addPool(POOL);
      scan.start();
      while (reducer.room() >= queue / 2) {
        Thread.onSpinWait();
      }
      assertThat(reducer.room()).isGreaterThanOrEqualTo(queue / 2 - 1);
      pool.work.release(blocks);
      assertThat(pool.openedUntil(blocks)).hasSize(blocks);
    }
    assertThat(counters.skippedFor(SkipReason.QUEUE_FULL)).isZero();
  }

  /** In the middle of a round, or between two. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itEndsWhenItIsClosed(boolean waitingForRoom) throws Exception {
    int queue = 4;
    pool.add(1, 2, 3, 4, 5, 6, 7, 8);
    if (waitingForRoom) {
      pool.work.drainPermits();
    }
    Reducer reducer = reducer(queue);
    try {
      PlainBlockScan scan = scan(reducer, 3600, queue);
      scan.addPool(POOL);
      scan.start();
      Thread thread = threadOf("hdrf-plain-block-scan-test");
      while (thread.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      scan.close();
      assertThat(thread.isAlive()).isFalse();
      int offered = reducer.pending();
      scan.wake();
      scan.start();
      assertThat(reducer.pending()).isLessThanOrEqualTo(offered);
    } finally {
      pool.work.release(100);
      reducer.close();
    }
  }

  private static Thread threadOf(String name) {
    while (true) {
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread.getName().equals(name)) {
          return thread;
        }
      }
    }
  }

  private static DatasetAccess dataset(CountDownLatch rounds, AtomicInteger next) {
    Error[] faults = {
      new OutOfMemoryError("for a test"),
      new StackOverflowError("for a test"),
      new NoClassDefFoundError("for a test")
    };
    return dataset(
        pool -> {
          rounds.countDown();
          int round = next.getAndIncrement();
          if (round < faults.length) {
            throw faults[round];
          }
          return List.of();
        });
  }

  private static DatasetAccess dataset(Function<String, List<ReplicaInfo>> finalized) {
    return (DatasetAccess)
        Proxy.newProxyInstance(
            PlainBlockScanTest.class.getClassLoader(),
            new Class<?>[] {DatasetAccess.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("finalizedReplicas");
              return finalized.apply((String) arguments[0]);
            });
  }
}
