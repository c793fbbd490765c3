/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

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
  private volatile long blocks;
  private volatile boolean stopping;

  RecordTask(Kind kind) {
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }

  void progress(long compared) {
    blocks = compared;
  }

  void end(CheckResult result) {
    end.complete(result);
  }

  void fail(Throwable why) {
    end.completeExceptionally(why);
  }

  /** Returns the number of blocks compared so far. */
  public long blocks() {
    return blocks;
  }

  /** Ends the task soon, with null as its result; corrections made so far stay. */
  public void stop() {
    stopping = true;
  }

  boolean isStopping() {
    return stopping;
  }

  public boolean isDone() {
    return end.isDone();
  }

  /**
   * Waits for the end.
   *
   * @return null if it was stopped, or the records are being closed
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
