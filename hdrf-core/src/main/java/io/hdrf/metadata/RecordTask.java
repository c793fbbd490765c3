/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.TaskProgress;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * An administrator's task for all records of a volume, run by the thread that writes them. Safe for
 * use by many threads.
 */
public final class RecordTask {

  /** The kind of task. */
  public enum Kind {
    /** Compares all records with the blocks. */
    CHECK,
    /** Also corrects differences. */
    REPAIR,
    /** Empties the store and makes all records from the blocks. */
    REBUILD
  }

  private final Kind kind;
  private final CompletableFuture<CheckResult> end = new CompletableFuture<>();
  private volatile TaskProgress progress = new TaskProgress("", 0, 0, TaskProgress.Unit.COUNT);

  RecordTask(Kind kind) {
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }

  void progress(long compared, long total) {
    progress = new TaskProgress("", compared, total, TaskProgress.Unit.COUNT);
  }

  void end(CheckResult result) {
    end.complete(result);
  }

  void fail(Throwable why) {
    end.completeExceptionally(why);
  }

  /** Returns how many blocks are compared. */
  public TaskProgress progress() {
    return progress;
  }

  /**
   * Waits for the end.
   *
   * @return null if the records are being closed
   * @throws IOException if it failed
   */
  public CheckResult await() throws IOException {
    try {
      return end.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException) {
        throw (IOException) e.getCause();
      }
      throw new IOException(e.getCause());
    }
  }
}
