/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import io.hdrf.spi.io.RateThrottle;

/** A clock whose time passes only while callers sleep. Thread-safe. */
public final class SleptClock implements RateThrottle.Clock {

  private static final long BEGIN = Long.MAX_VALUE - 1_000_000_000L; // runs over soon

  private long now = BEGIN;
  private Runnable afterSleep = () -> {};

  @Override
  public synchronized long nanoTime() {
    return now;
  }

  @Override
  public void sleep(long nanos) {
    Runnable action;
    synchronized (this) {
      now += nanos;
      action = afterSleep;
      afterSleep = () -> {};
    }
    action.run();
  }

  /** Runs an action once after a sleep. */
  public synchronized void whenSlept(Runnable action) {
    afterSleep = action;
  }

  /** How much time has passed. */
  public synchronized double seconds() {
    return (now - BEGIN) / 1e9;
  }
}
