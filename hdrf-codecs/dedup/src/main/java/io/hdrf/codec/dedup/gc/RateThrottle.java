/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.Throttle;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** So many bytes a second, and an end when the DataNode stops. For one thread. */
final class RateThrottle implements Throttle {

  private static final long MAX_SLEEP_MILLIS = 200;

  private final long bytesPerSecond;
  private final BooleanSupplier stopping;

  /** When the bytes so far are paid for, by {@link System#nanoTime}. */
  private long paid = System.nanoTime();

  /**
   * @param bytesPerSecond 0: no limit
   */
  RateThrottle(long bytesPerSecond, BooleanSupplier stopping) {
    this.bytesPerSecond = bytesPerSecond;
    this.stopping = stopping;
  }

  @Override
  public void acquire(long bytes) throws IOException {
    long now = System.nanoTime();
    while (bytesPerSecond > 0 && paid - now > 0 && !stopping.getAsBoolean()) {
      try {
        Thread.sleep(Math.min(MAX_SLEEP_MILLIS, TimeUnit.NANOSECONDS.toMillis(paid - now) + 1));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      }
      now = System.nanoTime();
    }
    if (stopping.getAsBoolean()) {
      throw new InterruptedIOException("the store is being closed");
    }
    if (bytesPerSecond > 0) {
      paid = Math.max(paid, now) + TimeUnit.SECONDS.toNanos(1) * bytes / bytesPerSecond;
    }
  }
}
