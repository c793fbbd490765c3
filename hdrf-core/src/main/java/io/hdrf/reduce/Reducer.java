/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.block.BlockRef;
import io.hdrf.conf.HdrfConf;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.thread.RepeatingThread;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reduces finalized blocks in the background: a bounded queue, and a bounded pool of threads that
 * give way to the DataNode's own (by their nice value). The thread that offers a block never waits.
 * A block that does not fit into the queue stays plain, and a scan offers it again. Thread-safe.
 */
public final class Reducer implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(Reducer.class);

  /** The time that {@link #close} waits for blocks in work; they stop within a few megabytes. */
  private static final long STOP_SECONDS = 30;

  /** The interval at which a waiting thread checks whether to end. */
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final BlockOwner owner;
  private final ReducerCounters counters;
  private final BlockReduction reduction;
  private final ConcurrencyLimits limits;
  private final ParkedBlocks parked;
  private final BlockingQueue<BlockRef> queue;

  /** The times at which waiting blocks were offered. */
  private final Map<BlockRef, Long> waiting = new ConcurrentHashMap<>();

  private final AtomicInteger inWork = new AtomicInteger();
  private final AtomicBoolean overflowed = new AtomicBoolean();
  private final List<RepeatingThread> threads = new ArrayList<>();
  private final long delayNanos;
  private final int roomMark;
  private final Runnable onRoom;
  private volatile boolean stopping;

  /**
   * Starts the threads.
   *
   * @param name part of the threads' names
   * @param onRoom is run, on a Reducer thread, when the queue has room again after it was full
   */
  public Reducer(
      String name,
      HdrfConf conf,
      BlockOwner owner,
      DurableFiles files,
      ReducerCounters counters,
      Runnable onRoom) {
    this.owner = owner;
    this.counters = counters;
    this.limits = new ConcurrencyLimits(conf::maxBlocks);
    this.parked = new ParkedBlocks(limits, conf.queueLength());
    this.reduction = new BlockReduction(files, counters, new ReductionRules(conf), () -> stopping);
    this.queue = new ArrayBlockingQueue<>(conf.queueLength());
    this.delayNanos = TimeUnit.MILLISECONDS.toNanos(conf.delayMillis());
    this.roomMark = conf.queueLength() / 2;
    this.onRoom = onRoom;
    for (int i = 0; i < conf.reduceThreads(); i++) {
      RepeatingThread thread =
          new RepeatingThread("hdrf-reducer-" + name + "-" + i, conf.nice(), this::work);
      threads.add(thread);
      thread.start();
    }
  }

  /**
   * Queues a block unless it waits already.
   *
   * @return false if the queue is full; the block is then to be offered again later
   */
  public boolean offer(BlockRef block) {
    if (stopping || waiting.putIfAbsent(block, System.nanoTime()) != null) {
      return !stopping;
    }
    if (queue.offer(block)) {
      if (stopping) {
        // It came after the queue was emptied for good.
        queue.remove(block);
        waiting.remove(block);
      }
      return !stopping;
    }
    waiting.remove(block);
    overflowed.set(true);
    counters.skipped(SkipReason.QUEUE_FULL);
    return false;
  }

  /**
   * Reduces a block on the calling thread, as soon as the schemes take it. Never throws: what fails
   * stays plain and is counted.
   *
   * @return why the block stays plain, or null if it is reduced now
   */
  public SkipReason reduceNow(BlockRef block) {
    SchemeChain chain = chainOf(block);
    if (chain == null) {
      return SkipReason.FAILED;
    }
    try {
      limits.acquire(chain);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return skipped(block, SkipReason.STOPPING, "interrupted");
    }
    return reduce(block, chain);
  }

  /** Returns null, and counts that, if the owner fails. */
  private SchemeChain chainOf(BlockRef block) {
    try {
      return owner.chainOf(block);
    } catch (RuntimeException e) {
      failed(block, e);
      return null;
    }
  }

  /**
   * Reduces a block, and gives back its chain.
   *
   * @param chain was acquired
   * @return why the block stays plain, or null if it is reduced now
   */
  private SkipReason reduce(BlockRef block, SchemeChain chain) {
    try (PlainBlock plain = owner.open(block)) {
      if (!plain.codec().chain().equals(chain)) {
        throw new BlockSkippedException(SkipReason.CHANGED, "it was moved to other storage");
      }
      reduce(plain);
      return null;
    } catch (BlockSkippedException e) {
      return skipped(block, e.reason(), e.getMessage());
    } catch (IOException e) {
      failed(block, e);
      owner.onIoError(block, e);
      return SkipReason.FAILED;
    } catch (RuntimeException | LinkageError | AssertionError | VirtualMachineError e) {
      // A fault of a scheme says nothing of other blocks.
      failed(block, e);
      return SkipReason.FAILED;
    } finally {
      limits.release(chain);
    }
  }

  private void reduce(PlainBlock plain) throws IOException {
    try {
      reduction.reduce(plain);
    } catch (BlockSkippedException e) {
      if (e.reason().isByContent() && !plain.isUnchanged()) {
        // That was another content, and this one would be plain for good.
        throw new BlockSkippedException(SkipReason.CHANGED, "it changed; " + e.getMessage());
      }
      throw e;
    }
  }

  /** Forgets the blocks that wait; they stay plain until they are offered again. */
  public void dropWaiting() {
    List<BlockRef> dropped = new ArrayList<>();
    queue.drainTo(dropped);
    dropped.addAll(parked.drain());
    dropped.forEach(waiting::remove);
  }

  /** The number of waiting blocks. */
  public int queueLength() {
    return queue.size() + parked.size();
  }

  /** The number of blocks that each used scheme works on now, by its name. */
  public SortedMap<String, Integer> inProcess() {
    return limits.inProcess();
  }

  /**
   * The number of blocks that wait because a scheme is at its limit, by the name of each scheme of
   * their chain.
   */
  public SortedMap<String, Integer> waitingForScheme() {
    return limits.waiting();
  }

  /** The number of blocks waiting or in work. */
  public int pending() {
    return waiting.size() + inWork.get();
  }

  /** The number of blocks that the queue still takes. */
  public int room() {
    return Math.max(0, queue.remainingCapacity() - parked.size());
  }

  private void work() throws InterruptedException {
    ParkedBlocks.Parked ready = parked.takeReady();
    BlockRef block = ready != null ? ready.block() : queue.poll(POLL_NANOS, TimeUnit.NANOSECONDS);
    if (block != null) {
      if (ready == null) {
        awaitDelay(block);
      }
      inWork.incrementAndGet();
      waiting.remove(block);
      try {
        if (ready != null) {
          reduce(block, ready.chain());
        } else {
          reduceOrPark(block);
        }
      } finally {
        inWork.decrementAndGet();
      }
    }
    if (queueLength() <= roomMark && overflowed.compareAndSet(true, false)) {
      onRoom.run();
    }
  }

  /**
   * Waits until a block from the queue has been there long enough. Those behind it were offered
   * later, so that this keeps none of them waiting.
   */
  private void awaitDelay(BlockRef block) throws InterruptedException {
    Long offered = waiting.get(block);
    while (offered != null && !stopping) {
      long left = offered + delayNanos - System.nanoTime();
      if (left <= 0) {
        return;
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(left, POLL_NANOS));
    }
  }

  private void reduceOrPark(BlockRef block) {
    SchemeChain chain = chainOf(block);
    if (chain == null) {
      return;
    }
    if (limits.tryAcquire(chain)) {
      reduce(block, chain);
      return;
    }
    // A block that was offered again meanwhile has its place in the queue.
    if (waiting.putIfAbsent(block, System.nanoTime()) == null && !parked.park(block, chain)) {
      waiting.remove(block);
      reduceNow(block);
    }
  }

  private SkipReason skipped(BlockRef block, SkipReason reason, String detail) {
    counters.skipped(reason);
    if (reason == SkipReason.MISMATCH || reason == SkipReason.VERIFICATION_FAILED) {
      LOG.error("{} stays plain: {}", block, detail);
    } else {
      LOG.debug("{} stays plain ({}): {}", block, reason, detail);
    }
    owner.skipped(block, reason);
    return reason;
  }

  private void failed(BlockRef block, Throwable cause) {
    counters.skipped(SkipReason.FAILED);
    LOG.warn("{} stays plain, reducing it failed; it will be tried again", block, cause);
    owner.skipped(block, SkipReason.FAILED);
  }

  /** Stops the threads; blocks in work are given up and stay plain. */
  @Override
  public void close() {
    stopping = true;
    threads.forEach(RepeatingThread::stop);
    queue.clear();
    parked.drain();
    waiting.clear();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS);
    for (RepeatingThread thread : threads) {
      if (!thread.join(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()))) {
        thread.interrupt();
      }
    }
  }
}
