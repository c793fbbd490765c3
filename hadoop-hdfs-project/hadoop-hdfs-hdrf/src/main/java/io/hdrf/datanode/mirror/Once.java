/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.util.concurrent.atomic.AtomicBoolean;

/** Runs a task when it is asked to for the first time. Thread-safe. */
final class Once implements Runnable {

  private final AtomicBoolean done = new AtomicBoolean();
  private final Runnable task;

  Once(Runnable task) {
    this.task = task;
  }

  /** Whether it was asked to. */
  boolean isDone() {
    return done.get();
  }

  @Override
  public void run() {
    if (done.compareAndSet(false, true)) {
      task.run();
    }
  }
}
