/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.admin.VolumeUse;
import io.hdrf.spi.thread.HdrfThreads;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The adding up of one pool on one volume, in a thread of its own: a hung disk never answers, and
 * may keep no other volume waiting. Thread-safe.
 */
final class VolumeSum {
  private static final long LOOK_MILLIS = 50;

  private final AtomicLong steps = new AtomicLong();
  private final FutureTask<VolumeUse> task;

  /** How far it was when somebody gave up waiting. */
  private long stalledAt = -1;

  /**
   * Begins.
   *
   * @param work receives a counter, which it increases with each block and each file
   */
  VolumeSum(String name, Function<AtomicLong, VolumeUse> work) {
    this.task = new FutureTask<>(() -> work.apply(steps));
    HdrfThreads.create(name, task).start();
  }

  /** How many blocks and files it has looked at. Never waits. */
  long steps() {
    return steps.get();
  }

  boolean hasEnded() {
    return task.isDone();
  }

  /**
   * Waits for the result as long as it advances.
   *
   * @param stallMillis how long it may stand still; one that still stands where it was when the
   *     wait ended before gets no more time
   * @param goOn whether to wait any longer
   * @return null if it stands still, or if no longer wait is wanted; it goes on
   */
  synchronized VolumeUse await(long stallMillis, BooleanSupplier goOn)
      throws ExecutionException, InterruptedException {
    long seen = steps.get();
    long since = System.nanoTime();
    while (goOn.getAsBoolean()) {
      try {
        return task.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        long now = steps.get();
        if (now != seen) {
          seen = now;
          since = System.nanoTime();
        } else if (now == stalledAt
            || System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(stallMillis)) {
          stalledAt = now;
          return null;
        }
      }
    }
    return null;
  }
}
