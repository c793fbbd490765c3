/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Kills all processes of some clusters when it is closed, and when the JVM must end (Ctrl-C).
 * Opened by the thread that starts the processes: that thread is interrupted first, so that it
 * starts no process that the guard misses.
 */
public final class ProcessGuard implements Closeable {
  private static final long PATIENCE_SECONDS = 15;

  private final List<Path> clusters;
  private final Thread owner = Thread.currentThread();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook = new Thread(this::onShutdown, "hdrf-shutdown");

  /**
   * @param clusters the clusters' directories, which need not exist yet
   */
  public ProcessGuard(List<Path> clusters) {
    this.clusters = List.copyOf(clusters);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Kills the processes that an earlier run left. */
  public void killLeftovers() throws IOException {
    for (Path cluster : clusters) {
      LocalCluster.killLeftovers(cluster);
    }
  }

  private void onShutdown() {
    owner.interrupt();
    try {
      closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
      killLeftovers();
    } catch (IOException e) {
      System.err.println("hdrf: can't end all processes: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    // An interrupted thread could not wait for the processes to go.
    boolean interrupted = Thread.interrupted();
    try {
      killLeftovers();
    } finally {
      closed.countDown();
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The shutdown hook caused the interrupt.
        interrupted = true;
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
