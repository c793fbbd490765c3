/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.spi.store.StoreFullException;
import io.hdrf.spi.store.StoreNotOpenException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when to leave the metadata store alone: for a second after it failed; for changes, also
 * after it had no room for one, while it may answer as ever; and, for look-ups, while it answers
 * slowly, so that these take no more than a fifth of the time. Thread-safe.
 */
final class StoreBackoff {

  private static final Logger LOG = LoggerFactory.getLogger(StoreBackoff.class);

  static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * A batch has at most {@link IndexLookup#MAX_COUNT} chunks. A disk writes a few megabytes in that
   * time.
   */
  static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The rest after a slow look-up, in multiples of the time that it took. */
  static final int REST = 4;

  private final Path index;
  private final IndexCounters counters;
  private final LongSupplier nanoTime;

  private volatile boolean failed;

  /** Counts only if it has failed. */
  private volatile long retryAt;

  private volatile boolean told;
  private volatile boolean full;

  /** Counts only if it is full. */
  private volatile long fullUntil;

  private volatile boolean toldFull;
  private volatile boolean slow;

  /** Counts only if it is slow. */
  private volatile long restsUntil;

  /**
   * @param index names the index in messages
   * @param nanoTime as {@link System#nanoTime}
   */
  StoreBackoff(Path index, IndexCounters counters, LongSupplier nanoTime) {
    this.index = index;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  /** Returns whether the store failed just now. */
  boolean isDown() {
    return failed && nanoTime.getAsLong() - retryAt < 0;
  }

  /** Returns whether it had no room for a change just now. */
  boolean isFull() {
    return full && nanoTime.getAsLong() - fullUntil < 0;
  }

  /** Returns whether it is to be asked for no chunks now. */
  boolean isResting() {
    return isDown() || (slow && nanoTime.getAsLong() - restsUntil < 0);
  }

  /** The store failed just now. */
  void failed(IOException cause) {
    counters.failures.increment();
    // Nothing is wrong before the first store is open, as at each start.
    if (!told && !(cause instanceof StoreNotOpenException)) {
      told = true;
      LOG.warn(
          "The fingerprint index in {} can't be used: {}. New chunks are stored without looking for"
              + " them until it can",
          index,
          cause.toString());
    }
    retryAt = nanoTime.getAsLong() + RETRY_NANOS;
    failed = true;
  }

  /** A change of the store failed just now. One that has no room for it may still be read. */
  void failedToChange(IOException cause) {
    if (!(cause instanceof StoreFullException)) {
      failed(cause);
      return;
    }
    counters.failures.increment();
    if (!toldFull) {
      toldFull = true;
      LOG.warn(
          "The fingerprint index in {} takes no new chunks: {}. Until it does, those that it has are"
              + " found, and of the new ones only the latest",
          index,
          cause.toString());
    }
    fullUntil = nanoTime.getAsLong() + RETRY_NANOS;
    full = true;
  }

  /** The store has done all that it was asked for. */
  void recovered() {
    failed = false;
    told = false;
    full = false;
    toldFull = false;
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
