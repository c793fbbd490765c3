/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.Closeable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports of blocks that were found damaged just after they were finalized. Made at once, they
 * might overtake the DataNode's own report that it has the block, and the NameNode, which then
 * knows of a damaged replica only, would never let the writer close its file. Thread-safe.
 */
final class LateReports implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(LateReports.class);
  private static final long DELAY_SECONDS = 5;

  private final ScheduledThreadPoolExecutor executor;

  LateReports() {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "hdrf-late-reports");
              thread.setDaemon(true);
              return thread;
            });
    executor.setKeepAliveTime(DELAY_SECONDS, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Makes a report some seconds from now; not at all where the DataNode stops before. */
  @SuppressWarnings("FutureReturnValueIgnored") // run() lets no exception out
  void add(Runnable report) {
    try {
      executor.schedule(() -> run(report), DELAY_SECONDS, TimeUnit.SECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("The DataNode stops", e);
    }
  }

  private static void run(Runnable report) {
    try {
      report.run();
    } catch (RuntimeException e) {
      LOG.warn("A damaged block can't be reported", e);
    }
  }

  @Override
  public void close() {
    executor.shutdown();
  }
}
