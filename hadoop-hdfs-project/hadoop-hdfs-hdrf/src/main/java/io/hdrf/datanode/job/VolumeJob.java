/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.spi.io.RateThrottle;
import io.hdrf.spi.thread.HdrfThreads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes through the blocks of a pool on a volume, one after the other, at a limited rate, on a own
 * thread. Blocks that could not be done are tried again after all others.
 */
final class VolumeJob {

  private static final Logger LOG = LoggerFactory.getLogger(VolumeJob.class);

  /** The time that a job may take for its present block; the longest blocks take some seconds. */
  private static final long STOP_MILLIS = TimeUnit.SECONDS.toMillis(60);

  /** The number of times that blocks which could not be done are tried again. */
  private static final int RETRIES = 2;

  private final JobKind kind;
  private final String name;
  private final BlockTask task;
  private final RateThrottle throttle;
  private final JobCounters counters;
  private final Consumer<VolumeJob> onEnd;
  private final JobProgress progress = new JobProgress();
  private final Thread thread;
  private BlockList blocks;
  private volatile boolean stopping;

  /** An upgrade was met. Of the job's own thread. */
  private boolean upgrade;

  /** A block that is to be tried again, and why. */
  private static final class Waiting {
    private final long blockId;
    private final long length;
    private final JobOutcome why;

    Waiting(long blockId, long length, JobOutcome why) {
      this.blockId = blockId;
      this.length = length;
      this.why = why;
    }
  }

  /**
   * @param name of the volume, for people
   * @param nice the thread's nice value
   * @param onEnd called on the job's thread, as its last step
   */
  VolumeJob(
      JobKind kind,
      String name,
      BlockTask task,
      RateThrottle throttle,
      JobCounters counters,
      int nice,
      Consumer<VolumeJob> onEnd) {
    this.kind = kind;
    this.name = name;
    this.task = task;
    this.throttle = throttle;
    this.counters = counters;
    this.onEnd = onEnd;
    this.thread = HdrfThreads.create("hdrf-" + kind.command() + "-" + name, nice, this::run);
  }

  /** Finds out which blocks there are, and begins. */
  void start() {
    blocks = task.blocks();
    progress.add(blocks);
    counters.begun();
    thread.start();
  }

  JobKind kind() {
    return kind;
  }

  JobProgress progress() {
    return progress;
  }

  boolean isRunning() {
    return progress.state() == JobInfo.State.RUNNING;
  }

  /** Returns whether nothing more comes of it, not even at its end. */
  boolean hasEnded() {
    return !thread.isAlive();
  }

  /** Returns whether {@link #stop} was called. */
  boolean isStopping() {
    return stopping;
  }

  /** Has it end after the block that is in hand. */
  void stop() {
    stopping = true;
  }

  /** Waits for the end after {@link #stop}, but not for a block on a disk that hangs. */
  void join() {
    try {
      thread.join(STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    JobInfo.State end = JobInfo.State.FAILED;
    try {
      runAll();
      end = end();
    } finally {
      counters.ended();
      progress.end(end);
      LOG.info("{} of {}: {}", kind.command(), name, end);
      onEnd.accept(this);
    }
  }

  private JobInfo.State end() {
    if (stopping) {
      return JobInfo.State.STOPPED;
    }
    return upgrade ? JobInfo.State.WAITING : JobInfo.State.DONE;
  }

  private boolean goesOn() {
    return !stopping && !upgrade;
  }

  private void runAll() {
    List<Waiting> waiting = first(blocks);
    for (int i = 0; i < RETRIES && !waiting.isEmpty() && goesOn(); i++) {
      waiting = again(waiting);
    }
    if (goesOn()) {
      // What was being written or recovered meanwhile.
      BlockList late = task.blocks().without(blocks);
      progress.add(late);
      waiting.addAll(first(late));
    }
    for (Waiting block : waiting) {
      progress.waitsNoLonger();
      progress.leave(block.blockId, block.why);
    }
  }

  private List<Waiting> first(BlockList blocks) {
    List<Waiting> waiting = new ArrayList<>();
    for (int i = 0; i < blocks.size() && goesOn(); i++) {
      long id = blocks.id(i);
      long length = blocks.length(id);
      if (handle(id, length, waiting)) {
        progress.looked(length);
      }
    }
    return waiting;
  }

  private List<Waiting> again(List<Waiting> before) {
    List<Waiting> waiting = new ArrayList<>();
    for (Waiting block : before) {
      if (!goesOn()) {
        waiting.add(block);
      } else {
        progress.waitsNoLonger();
        if (!handle(block.blockId, block.length, waiting)) {
          progress.outcome(block.blockId, block.length, block.why);
          waiting.add(block);
        }
      }
    }
    return waiting;
  }

  /** Returns false if the job ends before the block's turn. */
  private boolean handle(long blockId, long length, List<Waiting> waiting) {
    JobOutcome outcome;
    try {
      outcome = task.look(blockId);
      if (outcome == null) {
        if (!throttle.take(length, () -> stopping)) {
          return false;
        }
        outcome = task.run(blockId);
      }
    } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
      // A fault of a scheme must not end the job.
      outcome = JobOutcome.of(e);
      LOG.warn("{} of block {} on {} failed: {}", kind.command(), blockId, name, outcome.detail());
      LOG.debug("Block {}", blockId, e);
    }
    if (outcome.kind() == JobOutcome.Kind.UPGRADE) {
      upgrade = true;
      return false;
    }
    progress.outcome(blockId, length, outcome);
    counters.outcome(kind, length, outcome);
    if (outcome.kind() == JobOutcome.Kind.LATER) {
      waiting.add(new Waiting(blockId, length, outcome));
    }
    return true;
  }
}
