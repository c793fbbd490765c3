/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.spi.store.StoreNotOpenException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has a store that failed left alone for a second. Thread-safe. */
final class Outage {

  private static final Logger LOG = LoggerFactory.getLogger(Outage.class);

  static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Path index;
  private final IndexCounters counters;
  private final LongSupplier nanoTime;

  /** Counts only if there is an outage. */
  private volatile long retryAt;

  private volatile boolean begun;
  private volatile boolean told;

  /**
   * @param index names the index in messages
   * @param nanoTime as {@link System#nanoTime}
   */
  Outage(Path index, IndexCounters counters, LongSupplier nanoTime) {
    this.index = index;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  /** Whether the store is to be left alone now. */
  boolean isOn() {
    return begun && nanoTime.getAsLong() - retryAt < 0;
  }

  /** The store failed just now. */
  void begin(IOException cause) {
    counters.failures.increment();
    // Before the first store is open, as at each start, nothing is wrong.
    if (!told && !(cause instanceof StoreNotOpenException)) {
      told = true;
      LOG.warn(
          "The fingerprint index in {} can't be used: {}. New chunks are stored without looking for"
              + " them until it can",
          index,
          cause.toString());
    }
    retryAt = nanoTime.getAsLong() + RETRY_NANOS;
    begun = true;
  }

  /** The store has done all that it was asked for. */
  void end() {
    begun = false;
    told = false;
  }
}
