/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.spi.thread.HdrfThreads;
import io.hdrf.wire.Timer;
import java.io.Closeable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs short tasks after a delay, one after the other on one thread, which exists only while there
 * are tasks. Thread-safe.
 */
public final class DelayedTasks implements Timer, Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(DelayedTasks.class);
  private static final long IDLE_SECONDS = 5;

  private final ScheduledThreadPoolExecutor executor;

  public DelayedTasks() {
    executor = new ScheduledThreadPoolExecutor(1, HdrfThreads.factory("hdrf-delayed-tasks"));
    executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Runs a task after that time; not at all if the DataNode stops before. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // run() lets no exception out
  public void after(long nanos, Runnable task) {
    try {
      executor.schedule(() -> run(task), nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("The DataNode stops", e);
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("A delayed task failed", e);
    }
  }

  @Override
  public void close() {
    executor.shutdown();
  }
}
