/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of the heap is alive at most, above what was at the start of a phase. During a phase the
 * JVM collects all garbage each second, which takes time, and what lives shorter is not seen.
 */
final class HeapPeak {

  private static final long PERIOD_MILLIS = 1000;

  private final AtomicLong highest = new AtomicLong();
  private long before;
  private Thread sampler;

  private static long used() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Begins a phase. */
  void begin() {
    before = used();
    highest.set(before);
    sampler = new Thread(this::sample, "heap peak");
    sampler.setDaemon(true);
    sampler.start();
  }

  private void sample() {
    try {
      while (true) {
        Thread.sleep(PERIOD_MILLIS);
        highest.accumulateAndGet(used(), Math::max);
      }
    } catch (InterruptedException e) {
      // The phase has ended.
    }
  }

  /** Ends a phase; returns bytes. */
  long end() throws InterruptedException {
    long now = used();
    sampler.interrupt();
    sampler.join();
    return Math.max(now, highest.get()) - before;
  }
}
