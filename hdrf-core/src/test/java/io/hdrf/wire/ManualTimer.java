/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.util.ArrayList;
import java.util.List;

/** A timer whose time passes when the test says so. For one thread. */
public final class ManualTimer implements Timer {

  private record Task(long time, Runnable what) {}

  private final List<Task> tasks = new ArrayList<>();
  private long now;

  @Override
  public void after(long nanos, Runnable task) {
    tasks.add(new Task(now + nanos, task));
  }

  /** Lets time pass; runs what is to be run by then. */
  public void pass(long nanos) {
    now += nanos;
    List<Task> due = tasks.stream().filter(task -> task.time() <= now).toList();
    tasks.removeAll(due);
    due.forEach(task -> task.what().run());
  }
}
