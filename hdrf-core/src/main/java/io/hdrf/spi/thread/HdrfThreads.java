/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.thread;

import io.hdrf.jni.NativeThreads;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes all threads of HDRF in a DataNode; no other code does. They are daemons of one thread
 * group, whichever thread makes them: a thread that inherited the group of a DataXceiver would be
 * counted as a transfer by the DataNode, which refuses transfers by that count and reports it to
 * the NameNode as its load. Errors that end a thread are logged. Thread-safe.
 */
public final class HdrfThreads {

  private static final Logger LOG = LoggerFactory.getLogger(HdrfThreads.class);

  /** The name of the group of all threads made here. */
  public static final String GROUP_NAME = "hdrf";

  private static final ThreadGroup GROUP = new ThreadGroup(rootGroup(), GROUP_NAME);

  private HdrfThreads() {}

  private static ThreadGroup rootGroup() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    return group;
  }

  /** Returns a thread for a task, not started. */
  public static Thread create(String name, Runnable task) {
    return create(name, 0, task);
  }

  /**
   * Returns a thread for a task, not started.
   *
   * @param nice its nice value, 0 to 19; 0 keeps that of the process
   */
  public static Thread create(String name, int nice, Runnable task) {
    Thread thread = new Thread(GROUP, nice == 0 ? task : () -> runNice(nice, task), name);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler(HdrfThreads::died);
    return thread;
  }

  private static void runNice(int nice, Runnable task) {
    NativeThreads.setNice(nice);
    task.run();
  }

  private static void died(Thread thread, Throwable cause) {
    LOG.error("Thread {} ended", thread.getName(), cause);
  }

  /** Returns a factory for executors; the threads' names are the prefix and a number from 1 on. */
  public static ThreadFactory factory(String prefix) {
    AtomicLong number = new AtomicLong();
    return task -> create(prefix + "-" + number.incrementAndGet(), task);
  }
}
