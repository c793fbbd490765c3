/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;

/** Polls, a few times a second. */
public final class Waiting {
  private static final long POLL_MILLIS = 100;

  /** A condition that may fail to be evaluated. */
  public interface Condition {
    /** Evaluates it. */
    boolean holds() throws IOException;
  }

  private Waiting() {}

  /**
   * Returns once {@code condition} holds.
   *
   * @throws ClusterException with {@code complaint} after {@code limit}, or if interrupted
   */
  public static void until(Duration limit, Condition condition, Supplier<String> complaint)
      throws IOException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() - deadline > 0) {
        throw new ClusterException(complaint.get());
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ClusterException("Interrupted", e);
      }
    }
  }
}
