/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import io.hdrf.spi.store.StoreUnreachableException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Makes calls fail immediately for a while after a failure, so that they don't pile up before a
 * server that does not answer. The pause doubles with each failure; after it, one call may try, and
 * the others fail until that call has ended. Safe for use by many threads.
 */
final class Backoff {

  static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LongSupplier clock;
  private String failure;
  private long pause;
  private long failedAt;
  private boolean trying;

  /**
   * @param clock the time in nanoseconds, as {@link System#nanoTime}
   */
  Backoff(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * Must be called before an attempt, and one of the other methods after it.
   *
   * @return the time of entry, to be passed to {@link #failed}
   * @throws StoreUnreachableException if no attempt may be made now
   */
  synchronized long enter() throws StoreUnreachableException {
    if (failure != null) {
      check();
      trying = true;
    }
    return clock.getAsLong();
  }

  /**
   * For an attempt that entered before others failed.
   *
   * @throws StoreUnreachableException if one failed since
   */
  synchronized void recheck(long entered) throws StoreUnreachableException {
    if (failure != null && failedAt - entered > 0) {
      throw refusal();
    }
  }

  private void check() throws StoreUnreachableException {
    if (trying || clock.getAsLong() - failedAt < pause) {
      throw refusal();
    }
  }

  private StoreUnreachableException refusal() {
    return new StoreUnreachableException(
        failure
            + " (this was "
            + TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - failedAt)
            + " ms ago; the next attempt is made "
            + TimeUnit.NANOSECONDS.toMillis(pause)
            + " ms after it)");
  }

  synchronized void succeeded() {
    failure = null;
    pause = 0;
    trying = false;
  }

  /** Records a failure; several attempts that ran at the same time count as one. */
  synchronized void failed(long entered, String message) {
    if (failure == null || entered - failedAt >= 0) {
      pause = Math.min(LONGEST_NANOS, Math.max(FIRST_NANOS, pause * 2));
    }
    failure = message;
    failedAt = clock.getAsLong();
    trying = false;
  }

  /** For an attempt that showed nothing about the server. */
  synchronized void abandoned(long entered) {
    if (failure != null && entered - failedAt >= 0) {
      trying = false;
    }
  }
}
