/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.spi.thread.HdrfThreads;
import java.io.Closeable;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads that decode frames ahead of readers, shared by all of a DataNode's readers. When all are
 * busy a reader decodes by itself. The threads are never interrupted while they read: that would
 * close a reader's channel.
 */
public final class DecodeAhead implements Closeable {

  private static final int QUEUED_PER_THREAD = 16;

  private final ThreadPoolExecutor executor;

  /**
   * @param threads 0 turns decoding ahead off
   */
  public DecodeAhead(int threads) {
    if (threads == 0) {
      executor = null;
      return;
    }
    executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUED_PER_THREAD * threads),
            HdrfThreads.factory("hdrf-decode-ahead"));
    executor.allowCoreThreadTimeOut(true);
  }

  boolean isEnabled() {
    return executor != null;
  }

  /** Has the slot's frame decoded soon; if nobody has time, its reader will do it. */
  void submit(FrameSlot slot) {
    try {
      executor.execute(slot);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // No thread has time, or none could be made: the reader decodes the frame when it gets there.
    }
  }

  @Override
  public void close() {
    if (executor != null) {
      executor.shutdown();
    }
  }
}
