/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a store left alone that answers, but slowly, so that looking chunks up takes no more than a
 * fifth of the time. Thread-safe.
 */
final class SlowStore {

  private static final Logger LOG = LoggerFactory.getLogger(SlowStore.class);

  /**
   * A batch is at most {@link IndexLookup#MAX_COUNT} chunks, in which a disk writes a few
   * megabytes.
   */
  static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How often the time that a look-up took is to pass before the next one. */
  static final int REST = 4;

  private final Path index;
  private final IndexCounters counters;
  private final LongSupplier nanoTime;
  private volatile boolean slow;

  /** Counts only if it is slow. */
  private volatile long restsUntil;

  /**
   * @param index names the index in messages
   * @param nanoTime as {@link System#nanoTime}
   */
  SlowStore(Path index, IndexCounters counters, LongSupplier nanoTime) {
    this.index = index;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  /** Whether the store is to be left alone now. */
  boolean isResting() {
    return slow && nanoTime.getAsLong() - restsUntil < 0;
  }

  /**
   * The store has answered.
   *
   * @param nanos how long it took for a batch
   */
  void answered(long nanos) {
    if (nanos < SLOW_NANOS) {
      slow = false;
      return;
    }
    counters.slow.increment();
    if (!slow) {
      LOG.warn(
          "The fingerprint index in {} took {} ms for one batch. Most new chunks are stored without"
              + " looking for them until it is faster; see to the metadata store",
          index,
          TimeUnit.NANOSECONDS.toMillis(nanos));
    }
    restsUntil = nanoTime.getAsLong() + REST * nanos;
    slow = true;
  }
}
