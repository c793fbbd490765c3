/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The containers that are not as they should be, and when to try next to mend each: after {@value
 * #FIRST_SECONDS} seconds, and after each failure twice as late, up to {@value #LAST_SECONDS}
 * seconds. They are read meanwhile. Safe for use by many threads, of which one mends.
 */
final class RepairQueue {

  private static final Logger LOG = LoggerFactory.getLogger(RepairQueue.class);

  static final int FIRST_SECONDS = 10;
  static final int LAST_SECONDS = 3600;

  /** Mends a container, or finds that it need not be. */
  interface Work {
    /**
     * Tries it.
     *
     * @return whether the container is as it should be, or gone
     * @throws IOException if it could not be mended
     */
    boolean mend(long container) throws IOException;
  }

  private static final class Attempt {
    long notBefore;
    long delayNanos = TimeUnit.SECONDS.toNanos(FIRST_SECONDS);

    Attempt(long now) {
      notBefore = now + delayNanos;
    }

    void failed(long now) {
      delayNanos = Math.min(2 * delayNanos, TimeUnit.SECONDS.toNanos(LAST_SECONDS));
      notBefore = now + delayNanos;
    }
  }

  private static final Attempt UNSEEN = new Attempt(0);

  /** A container that was never tried has {@link #UNSEEN}. */
  private final Map<Long, Attempt> attempts = new ConcurrentHashMap<>();

  /** A container needs mending. */
  void want(long container) {
    attempts.putIfAbsent(container, UNSEEN);
  }

  /** Returns the number of containers that need repair. For tests. */
  int size() {
    return attempts.size();
  }

  /**
   * Repairs the containers that are due.
   *
   * @param now of {@link System#nanoTime}
   */
  void run(long now, Work work) {
    for (long container : new ArrayList<>(attempts.keySet())) {
      Attempt attempt = attempts.get(container);
      if (attempt == UNSEEN) {
        attempts.put(container, new Attempt(now));
        continue;
      }
      if (now - attempt.notBefore < 0) {
        continue;
      }
      try {
        if (work.mend(container)) {
          attempts.remove(container);
        } else {
          attempt.failed(now);
        }
      } catch (IOException | RuntimeException | Error e) {
        // Whatever it is: one container must not keep the others from being mended.
        attempt.failed(now);
        LOG.warn(
            "Container {} is not as it should be; tried again in {} s",
            ContainerNames.hex(container),
            TimeUnit.NANOSECONDS.toSeconds(attempt.delayNanos),
            e);
      }
    }
  }
}
