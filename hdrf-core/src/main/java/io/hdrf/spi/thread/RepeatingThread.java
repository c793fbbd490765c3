/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.thread;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that takes one step after the other until it is stopped. Whatever a step throws, even
 * for lack of memory, the next step follows. After a failure the thread waits a little, longer each
 * time, so that a lasting failure does not keep a processor busy. Thread-safe.
 */
public final class RepeatingThread {

  private static final Logger LOG = LoggerFactory.getLogger(RepeatingThread.class);

  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long MAX_PAUSE_MILLIS = 10_000;

  /** The thread's work. */
  public interface Task {

    /**
     * Does a part of the work, or waits for work, but not for long once {@link
     * RepeatingThread#isStopping}.
     *
     * @throws InterruptedException which does not count as a failure
     */
    void step() throws Exception;

    /** Runs as the last thing, when no more steps follow. */
    default void end() throws Exception {}
  }

  private final Task task;
  private final Thread thread;
  private volatile boolean stopping;

  /** Makes the thread; it does not run yet. */
  public RepeatingThread(String name, Task task) {
    this(name, 0, task);
  }

  /**
   * Makes the thread; it does not run yet.
   *
   * @param nice its nice value, 0 to 19; 0 keeps that of the process
   */
  public RepeatingThread(String name, int nice, Task task) {
    this.task = task;
    this.thread = HdrfThreads.create(name, nice, this::run);
  }

  /** Starts the thread; does nothing if it was started or stopped before. */
  public synchronized void start() {
    if (!stopping && thread.getState() == Thread.State.NEW) {
      thread.start();
    }
  }

  private void run() {
    long pause = FIRST_PAUSE_MILLIS;
    while (!stopping) {
      try {
        task.step();
        pause = FIRST_PAUSE_MILLIS;
      } catch (InterruptedException e) {
        // 'stopping' ends the loop; an interruption only ends a wait.
        continue;
      } catch (Throwable e) {
        failed(e);
        pause(pause);
        pause = Math.min(2 * pause, MAX_PAUSE_MILLIS);
      }
    }
    try {
      task.end();
    } catch (Throwable e) {
      failed(e);
    }
  }

  private void failed(Throwable cause) {
    try {
      LOG.error("{} failed and goes on", thread.getName(), cause);
    } catch (Throwable e) {
      // There is no memory even to log; there may be for the next step.
    }
  }

  private void pause(long millis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    synchronized (this) {
      while (!stopping) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          return;
        }
        try {
          wait(left);
        } catch (InterruptedException e) {
          return;
        }
      }
    }
  }

  /** Returns whether {@link #stop} was called. */
  public boolean isStopping() {
    return stopping;
  }

  /** Prevents further steps. Returns at once, and interrupts nothing. */
  public synchronized void stop() {
    stopping = true;
    notifyAll();
  }

  /** Interrupts the thread. */
  public void interrupt() {
    thread.interrupt();
  }

  /**
   * Waits for the thread's end after {@link #stop}. An interruption ends the wait, and stays set.
   *
   * @param millis the longest wait
   * @return whether the thread has ended, or never began
   */
  public boolean join(long millis) {
    try {
      thread.join(Math.max(1, millis));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  /**
   * Waits for the thread's end after {@link #stop}, however long it takes. Interruptions don't end
   * the wait, and stay set.
   */
  public void join() {
    joinUninterruptibly(Long.MAX_VALUE);
  }

  /** As {@link #join(long)}, but interruptions don't end the wait, and stay set. */
  public boolean joinUninterruptibly(long millis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    long left = millis;
    boolean interrupted = false;
    while (thread.isAlive() && left > 0) {
      try {
        thread.join(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
