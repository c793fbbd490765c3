/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Something that an administrator wants done with all records of a volume, by the thread that
 * writes them. Safe for use by many threads.
 */
public final class RecordTask {

  /** What is wanted. */
  public enum Kind {
    /** All records are compared with the blocks. */
    CHECK,
    /** What differs is mended as well. */
    REPAIR,
    /** The store is emptied, and all records are made from the blocks. */
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

  /** How many blocks were compared so far. */
  public long blocks() {
    return blocks;
  }

  /** Has it end soon, with null for a result; what was mended stays so. */
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
   * @throws IOException why it failed
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
