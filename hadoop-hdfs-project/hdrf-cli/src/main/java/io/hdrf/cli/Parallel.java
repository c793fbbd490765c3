/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;

/** Work on many things with a bounded number of threads. */
final class Parallel {
  private Parallel() {}

  /** The work on one thing. */
  interface Work<I, O> {
    O of(I item) throws IOException;
  }

  /** Returns a pool whose threads don't keep the process alive. */
  static ExecutorService pool(int threads) {
    return Executors.newFixedThreadPool(
        threads,
        work -> {
          Thread thread = new Thread(work, "hdrf-report");
          thread.setDaemon(true);
          return thread;
        });
  }

  /**
   * Does the work for all things; a failure stops no other.
   *
   * @param failed receives the failures, on the calling thread, in the order of the things
   * @return the results of those that did not fail, in the order of the things
   */
  static <I, O> List<O> run(
      List<I> items, int threads, Work<I, O> work, BiConsumer<I, String> failed)
      throws InterruptedIOException {
    ExecutorService pool = pool(Math.max(1, Math.min(threads, items.size())));
    try {
      List<Future<O>> begun = new ArrayList<>();
      for (I item : items) {
        begun.add(pool.submit(() -> work.of(item)));
      }
      List<O> results = new ArrayList<>();
      for (int i = 0; i < items.size(); i++) {
        try {
          results.add(begun.get(i).get());
        } catch (ExecutionException e) {
          failed.accept(items.get(i), Main.message(e.getCause()));
        }
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } finally {
      pool.shutdownNow();
    }
  }
}
