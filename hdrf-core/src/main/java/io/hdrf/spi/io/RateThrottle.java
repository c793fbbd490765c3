/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Keeps the bytes that several threads process below a rate, on average: the next thread waits for
 * as long as the previous bytes take at that rate. Idle time is not made up for. Thread-safe.
 */
public final class RateThrottle {

  /** A clock that a thread can sleep by. */
  public interface Clock {

    /** Returns nanoseconds since some fixed moment. */
    long nanoTime();

    void sleep(long nanos) throws InterruptedException;
  }

  /** The system's clock. */
  public static final Clock SYSTEM =
      new Clock() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void sleep(long nanos) throws InterruptedException {
          TimeUnit.NANOSECONDS.sleep(nanos);
        }
      };

  /** The longest sleep before a thread checks whether the rate has changed, or it has to stop. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final double LONGEST_NANOS = 365 * 24 * 3600 * 1e9;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Clock clock;
  private long rate;
  private long free;

  /** Makes a throttle without a limit, until a rate is set. */
  public RateThrottle(Clock clock) {
    this.clock = clock;
    this.free = clock.nanoTime();
  }

  /**
   * Sets the rate; forgets bytes taken before.
   *
   * @param bytesPerSecond 0 for no limit
   */
  public synchronized void setRate(long bytesPerSecond) {
    rate = bytesPerSecond;
    free = clock.nanoTime();
  }

  /** Returns the rate in bytes a second; 0 for no limit. */
  public synchronized long rate() {
    return rate;
  }

  /**
   * Waits until more bytes may be taken, and takes them.
   *
   * @param stopped ends the waiting
   * @return false if stopped or interrupted: then no bytes were taken
   */
  public boolean take(long bytes, BooleanSupplier stopped) {
    while (!stopped.getAsBoolean()) {
      long wait = tryTake(bytes);
      if (wait <= 0) {
        return true;
      }
      try {
        clock.sleep(Math.min(wait, LOOK_NANOS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return false;
  }

  /** Returns the time to wait; if more than 0, no bytes were taken. */
  private synchronized long tryTake(long bytes) {
    if (rate == 0) {
      return 0;
    }
    long now = clock.nanoTime();
    if (free - now > 0) {
      return free - now;
    }
    free = now + (long) Math.min(LONGEST_NANOS, (double) bytes * NANOS_PER_SECOND / (double) rate);
    return 0;
  }
}
