/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.admin.JobKind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the work of a DataNode's jobs since it started. Thread-safe. */
public final class JobCounters {

  private final Map<String, LongAdder> values = new ConcurrentHashMap<>();
  private final LongAdder running = new LongAdder();

  JobCounters() {
    for (JobKind kind : JobKind.values()) {
      values.put(blocks(kind), new LongAdder());
      values.put(bytes(kind), new LongAdder());
      values.put(damaged(kind), new LongAdder());
    }
  }

  private static String blocks(JobKind kind) {
    return kind.command() + "Blocks";
  }

  private static String bytes(JobKind kind) {
    return kind.command() + "Bytes";
  }

  private static String damaged(JobKind kind) {
    return kind.command() + "BlocksDamaged";
  }

  void begun() {
    running.increment();
  }

  void ended() {
    running.decrement();
  }

  /** The number of running jobs, each on one volume. */
  public long running() {
    return running.sum();
  }

  /** Counts the outcome of a block. */
  void outcome(JobKind kind, long length, JobOutcome outcome) {
    if (outcome.kind() == JobOutcome.Kind.DONE) {
      values.get(blocks(kind)).increment();
      values.get(bytes(kind)).add(length);
    } else if (outcome.kind() == JobOutcome.Kind.DAMAGED) {
      values.get(damaged(kind)).increment();
    }
  }

  /** By the names under which they are published. */
  public Map<String, Long> values() {
    Map<String, Long> sums = new LinkedHashMap<>();
    for (JobKind kind : JobKind.values()) {
      for (String name : new String[] {blocks(kind), bytes(kind), damaged(kind)}) {
        sums.put(name, values.get(name).sum());
      }
    }
    return sums;
  }
}
