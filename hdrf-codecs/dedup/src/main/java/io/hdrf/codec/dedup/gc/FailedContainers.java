/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Containers that could not be read or compacted, each to be tried again after 1, 2, 4 and so on up
 * to 16 cycles. For one thread at a time.
 */
final class FailedContainers {

  private static final Logger LOG = LoggerFactory.getLogger(FailedContainers.class);

  private static final int MAX_REST = 16;

  /** The number of failures of one cycle that are logged. */
  private static final int MAX_LOGGED = 10;

  private static final class Failed {
    private int rest;
    private long nextTry;
  }

  private final Map<Long, Failed> failed = new HashMap<>();
  private long cycle;
  private int failuresOfCycle;

  void beginCycle() {
    cycle++;
    failuresOfCycle = 0;
  }

  void endCycle() {
    // A container that was not put off and did not fail again is sound, or gone.
    failed.values().removeIf(container -> container.nextTry <= cycle);
    if (failuresOfCycle > MAX_LOGGED) {
      LOG.warn("{} more containers can't be collected", failuresOfCycle - MAX_LOGGED);
    }
  }

  /** Returns whether a container is not to be tried in this cycle. */
  boolean isPutOff(long container) {
    Failed known = failed.get(container);
    return known != null && cycle < known.nextTry;
  }

  void add(long container, Path file, Throwable why) {
    Failed known = failed.computeIfAbsent(container, id -> new Failed());
    known.rest = Math.min(MAX_REST, Math.max(1, 2 * known.rest));
    known.nextTry = cycle + known.rest;
    failuresOfCycle++;
    if (failuresOfCycle <= MAX_LOGGED) {
      LOG.warn(
          "{} can't be collected: what is dead in it stays, and it is tried again in {}. If its disk"
              + " is not full, have the disk checked",
          file,
          known.rest == 1 ? "the next cycle" : known.rest + " cycles",
          why);
    }
  }

  /** Lets the next cycle try all again. */
  void clear() {
    failed.clear();
  }
}
