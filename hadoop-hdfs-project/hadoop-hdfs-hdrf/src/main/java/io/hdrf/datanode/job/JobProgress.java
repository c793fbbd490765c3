/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.admin.JobInfo;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The progress of a job. Thread-safe. */
final class JobProgress {

  private static final int MAX_EXAMPLES = 20;

  private final Map<JobInfo.Figure, Long> figures = new EnumMap<>(JobInfo.Figure.class);
  private final Map<String, Long> left = new TreeMap<>();
  private final List<String> examples = new ArrayList<>();
  private final long began = System.nanoTime();
  private JobInfo.State state = JobInfo.State.RUNNING;
  private long nanos;

  synchronized void add(BlockList blocks) {
    add(JobInfo.Figure.BLOCKS, blocks.size());
    add(JobInfo.Figure.BYTES, blocks.bytes());
  }

  /** A block was looked at for the first time. */
  synchronized void looked(long length) {
    add(JobInfo.Figure.BLOCKS_LOOKED, 1);
    add(JobInfo.Figure.BYTES_LOOKED, length);
  }

  /** Counts the outcome of a block. */
  synchronized void outcome(long blockId, long length, JobOutcome outcome) {
    switch (outcome.kind()) {
      case DONE:
        add(JobInfo.Figure.BLOCKS_DONE, 1);
        add(JobInfo.Figure.BYTES_DONE, length);
        add(JobInfo.Figure.BYTES_SAVED, outcome.saved());
        break;
      case LATER:
        add(JobInfo.Figure.BLOCKS_WAITING, 1);
        break;
      case DAMAGED:
        add(JobInfo.Figure.BLOCKS_DAMAGED, 1);
        leave(blockId, outcome);
        break;
      case LEFT:
        leave(blockId, outcome);
        break;
      default:
        break;
    }
  }

  /** A block that waited is tried again, or given up. */
  synchronized void waitsNoLonger() {
    add(JobInfo.Figure.BLOCKS_WAITING, -1);
  }

  /** A block stays as it is. */
  synchronized void leave(long blockId, JobOutcome outcome) {
    left.merge(outcome.reason(), 1L, Long::sum);
    if (!outcome.detail().isEmpty() && examples.size() < MAX_EXAMPLES) {
      examples.add("blk_" + blockId + " " + outcome.reason() + ": " + outcome.detail());
    }
  }

  private void add(JobInfo.Figure figure, long count) {
    figures.merge(figure, count, Long::sum);
  }

  synchronized void end(JobInfo.State how) {
    state = how;
    nanos = System.nanoTime() - began;
  }

  synchronized JobInfo.State state() {
    return state;
  }

  /** For how long the job has run. */
  private long nanos() {
    return state == JobInfo.State.RUNNING ? System.nanoTime() - began : nanos;
  }

  /**
   * As administrators see it.
   *
   * @param directory where HDRF's part of the pool lies on the volume
   * @param mode what becomes of blocks there, for people
   * @param rate in bytes a second; 0 for any number
   */
  synchronized JobInfo info(
      String storageId, String poolId, String directory, String mode, long rate) {
    Map<JobInfo.Figure, Long> all = new EnumMap<>(JobInfo.Figure.class);
    all.putAll(figures);
    all.put(JobInfo.Figure.RATE, rate);
    all.put(JobInfo.Figure.MILLIS, TimeUnit.NANOSECONDS.toMillis(nanos()));
    return new JobInfo(storageId, poolId, directory, mode, state, all, left, examples);
  }
}
