/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Keeps the bytes that several threads take in hand below a rate, on the average: whoever took some
 * makes the next one wait for as long as they take at that rate. Idle time is not made up for.
 * Thread-safe.
 */
public final class RateThrottle {

  /** A clock that can be slept by. */
  public interface Clock {

    /** Nanoseconds from some moment on. */
    long nanoTime();

    void sleep(long nanos) throws InterruptedException;
  }

  /** The system's. */
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

  /** After which time a sleeper looks whether the rate has changed, or it is to stop. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final double LONGEST_NANOS = 365 * 24 * 3600 * 1e9;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Clock clock;
  private long rate;
  private long free;

  /** Without a limit, until a rate is set. */
  public RateThrottle(Clock clock) {
    this.clock = clock;
    this.free = clock.nanoTime();
  }

  /**
   * Sets the rate; what was taken before is forgotten.
   *
   * @param bytesPerSecond 0 for any number
   */
  public synchronized void setRate(long bytesPerSecond) {
    rate = bytesPerSecond;
    free = clock.nanoTime();
  }

  /** In bytes a second; 0 for any number. */
  public synchronized long rate() {
    return rate;
  }

  /**
   * Waits until more bytes may be taken, and takes them.
   *
   * @param stopped ends the waiting
   * @return false if it was stopped, or interrupted: then nothing was taken
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

  /** How long to wait; nothing was taken where that is more than 0. */
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
