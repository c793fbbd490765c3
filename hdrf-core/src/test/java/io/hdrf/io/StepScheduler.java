/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import java.lang.Thread.State;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs one of many threads at a time, from one step to the next; a seed decides which one. A thread
 * that waits for a lock or a wake-up is left alone until that happens; then it runs up to its next
 * step beside the thread whose turn it is. It takes part again after the next break; breaks come at
 * regular numbers of turns and give all such threads the time to arrive.
 *
 * <p>So a schedule is repeatable, except for three things: the order in which threads that wait for
 * one lock get it; the work of woken threads until their next step; and threads that wait by the
 * clock, or arrive later than a break lasts.
 */
public final class StepScheduler {

  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long BREAK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int TURNS_BETWEEN_BREAKS = 64;
  private static final int LONGEST_REST = 12;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final class Task {
    final Thread thread;

    /** Whether the others may end before it. */
    final boolean background;

    volatile boolean waits;

    /** Whether it may be chosen while it waits: not if it arrived during another's turn. */
    volatile boolean eligible;

    volatile boolean granted;
    volatile boolean done;

    /** The number of steps it may run without asking. */
    int credit;

    /** The turn from which on it may be chosen again, if there are others. */
    volatile int restsUntil;

    /** Whether its next rest is to be decided on. */
    volatile boolean tired;

    Task(Thread thread, boolean background) {
      this.thread = thread;
      this.background = background;
    }
  }

  private final Random random;
  private final int longestTurn;
  private final String backgroundPrefix;
  private final Map<Thread, Task> byThread = new ConcurrentHashMap<>();
  private final List<Task> tasks = new CopyOnWriteArrayList<>();
  private volatile Thread dispatcher;
  private volatile Task current;
  private volatile boolean running = true;

  /**
   * @param longestTurn how many steps a thread makes at most until another may run
   * @param backgroundPrefix the prefix of the names of threads that their first step adds
   */
  public StepScheduler(Random random, int longestTurn, String backgroundPrefix) {
    this.random = random;
    this.longestTurn = longestTurn;
    this.backgroundPrefix = backgroundPrefix;
  }

  /** Adds a thread, which runs when its turn comes; by the caller of {@link #run}, or by a task. */
  public Thread add(String name, Runnable work) {
    Task[] task = new Task[1];
    Thread thread =
        new Thread(
            () -> {
              await(task[0]);
              try {
                work.run();
              } finally {
                task[0].done = true;
                LockSupport.unpark(dispatcher);
              }
            },
            name);
    thread.setDaemon(true);
    task[0] = new Task(thread, false);
    task[0].eligible = true;
    task[0].waits = true;
    byThread.put(thread, task[0]);
    tasks.add(task[0]);
    thread.start();
    return thread;
  }

  /** Adds a running thread; after all others have ended, it runs freely. */
  public void addBackground(Thread thread) {
    byThread.computeIfAbsent(
        thread,
        added -> {
          Task task = new Task(added, true);
          tasks.add(task);
          return task;
        });
  }

  /** Must be called by each thread before an action that others may notice. */
  public void step() {
    if (!running) {
      return;
    }
    Thread thread = Thread.currentThread();
    Task task = byThread.get(thread);
    if (task == null) {
      if (!thread.getName().startsWith(backgroundPrefix)) {
        return;
      }
      addBackground(thread);
      task = byThread.get(thread);
    }
    if (task.credit > 0 && isCurrent(task)) {
      task.credit--;
      return;
    }
    task.eligible = isCurrent(task);
    task.waits = true;
    LockSupport.unpark(dispatcher);
    await(task);
  }

  /** As {@link #step}, before what takes long: others may have several turns meanwhile. */
  public void slowStep() {
    Task task = byThread.get(Thread.currentThread());
    if (task != null) {
      task.credit = 0;
      task.tired = true;
    }
    step();
  }

  @SuppressWarnings("ReferenceEquality")
  private boolean isCurrent(Task task) {
    return task == current;
  }

  private void await(Task task) {
    while (!task.granted && (running || !task.background)) {
      LockSupport.park(this);
    }
    task.granted = false;
    task.waits = false;
  }

  /**
   * Runs all threads until those that were added by {@link #add} have ended.
   *
   * @throws AssertionError if all of them wait for something for a minute
   */
  public void run() {
    dispatcher = Thread.currentThread();
    try {
      long idleSince = System.nanoTime();
      int turns = 0;
      while (tasks.stream().anyMatch(task -> !task.background && !task.done)) {
        List<Task> ready = new ArrayList<>();
        if (isSettled()) {
          if (turns % TURNS_BETWEEN_BREAKS == 0 || !addReady(ready, turns)) {
            takeBreak();
            addReady(ready, turns);
          }
        }
        if (ready.isEmpty()) {
          checkNotStuck(idleSince);
          LockSupport.parkNanos(LOOK_NANOS);
          continue;
        }
        idleSince = System.nanoTime();
        turns++;
        Task next = ready.get(random.nextInt(ready.size()));
        next.credit = random.nextInt(longestTurn);
        current = next;
        next.waits = false;
        next.granted = true;
        LockSupport.unpark(next.thread);
      }
    } finally {
      running = false;
      tasks.forEach(task -> LockSupport.unpark(task.thread));
    }
  }

  /** Adds those that may be chosen; returns whether there are any. */
  private boolean addReady(List<Task> ready, int turn) {
    ready.clear();
    List<Task> resting = new ArrayList<>();
    for (Task task : tasks) {
      if (task.waits && task.eligible) {
        if (task.tired) {
          task.tired = false;
          task.restsUntil = turn + random.nextInt(LONGEST_REST);
        }
        (task.restsUntil > turn ? resting : ready).add(task);
      }
    }
    if (ready.isEmpty()) {
      ready.addAll(resting);
    }
    return !ready.isEmpty();
  }

  /** Waits for woken threads to arrive. */
  private void takeBreak() {
    long begin = System.nanoTime();
    long settledSince = begin;
    while (System.nanoTime() - settledSince < BREAK_NANOS) {
      LockSupport.parkNanos(BREAK_NANOS / 4);
      if (!isSettled()) {
        settledSince = System.nanoTime();
        checkNotStuck(begin);
      }
    }
    for (Task task : tasks) {
      task.eligible |= task.waits;
    }
  }

  private void checkNotStuck(long since) {
    if (System.nanoTime() - since > STUCK_NANOS) {
      throw new AssertionError("nothing goes on:" + stacks());
    }
  }

  /** Whether each thread waits: here, or for another. */
  private boolean isSettled() {
    for (Task task : tasks) {
      if (!task.waits && !task.done && (task.granted || !isHeldUp(task.thread))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isHeldUp(Thread thread) {
    State state = thread.getState();
    if (state == State.BLOCKED) {
      // The state remains for a moment after the lock was released.
      ThreadInfo info = THREADS.getThreadInfo(thread.getId());
      return info != null && info.getLockOwnerId() >= 0;
    }
    return state == State.WAITING || state == State.TIMED_WAITING || state == State.TERMINATED;
  }

  private String stacks() {
    StringBuilder text = new StringBuilder();
    for (Task task : tasks) {
      if (!task.done) {
        text.append("\n").append(task.thread.getName()).append(": ");
        text.append(task.thread.getState());
        for (StackTraceElement element : task.thread.getStackTrace()) {
          text.append("\n    ").append(element);
        }
      }
    }
    return text.toString();
  }
}
