/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Changed blocks that could not be read, so that their records may be wrong, and when they are
 * tried again. For one thread, but for {@link #size}.
 */
final class UnreadableBlocks {

  private static final long FIRST_RETRY_MILLIS = 500;

  /** The longest time between two attempts. */
  private static final long MAX_RETRY_MILLIS = TimeUnit.MINUTES.toMillis(10);

  private final int most;

  /** Why each is plain if it is, as for {@link BlockRecord#plain}. */
  private final Map<Long, Integer> reasons = new HashMap<>();

  private volatile int size;
  private String example = "";
  private long retryAt;
  private long retryMillis = FIRST_RETRY_MILLIS;

  /**
   * @param most how many are remembered
   */
  UnreadableBlocks(int most) {
    this.most = most;
  }

  /**
   * Adds a block, or replaces its reason.
   *
   * @param what names the block, and says why it can't be read if that is known
   * @return false if there are too many to remember it
   */
  boolean add(long blockId, int reason, String what) {
    if (reasons.isEmpty()) {
      example = what;
    }
    if (reasons.size() >= most && !reasons.containsKey(blockId)) {
      return false;
    }
    reasons.put(blockId, reason);
    size = reasons.size();
    return true;
  }

  void remove(long blockId) {
    reasons.remove(blockId);
    size = reasons.size();
  }

  boolean isEmpty() {
    return reasons.isEmpty();
  }

  /** Returns how many there are; for any thread. */
  int size() {
    return size;
  }

  /** Names the first one that was added since there were none. */
  String example() {
    return example;
  }

  void forEach(BiConsumer<Long, Integer> visitor) {
    reasons.forEach(visitor);
  }

  /** Returns whether it is time for another attempt. */
  boolean isDue() {
    return System.nanoTime() - retryAt >= 0;
  }

  /** Returns how long it is until the next attempt, from a {@link System#nanoTime} on. */
  long millisUntilDue(long from) {
    return TimeUnit.NANOSECONDS.toMillis(retryAt - from);
  }

  /**
   * Sets the time of the next attempt if the last one was made; from attempt to attempt it is twice
   * as long.
   *
   * @param needed whether there is anything to try again
   */
  void schedule(boolean needed) {
    if (!needed) {
      retryMillis = FIRST_RETRY_MILLIS;
    } else if (retryMillis == FIRST_RETRY_MILLIS || isDue()) {
      retryAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(retryMillis);
      retryMillis = Math.min(2 * retryMillis, MAX_RETRY_MILLIS);
    }
  }
}
