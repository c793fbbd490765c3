/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * One test class on stock HDFS and under HDRF.
 *
 * @param stock how it ended on stock HDFS
 * @param hdrf how it ended under HDRF
 * @param counters what HDRF counted while it ran
 * @param secondRun whether {@code hdrf} is the outcome of a second run, after a first that was
 *     worse
 */
record Comparison(Outcome stock, Outcome hdrf, Map<String, Long> counters, boolean secondRun) {
  /** What a class shows. */
  enum Verdict {
    /** As many tests pass as on stock HDFS, none fails that does not fail there. */
    SAME("same"),
    /** A test fails, or is not run, that passes on stock HDFS. */
    WORSE("WORSE"),
    /** As {@link #SAME}, but HDRF reduced no block, so it shows little. */
    NOT_EXERCISED("not exercised");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  Verdict verdict() {
    if (!newlyFailed().isEmpty() || hdrf.passed() < stock.passed()) {
      return Verdict.WORSE;
    }
    return count("blocksReduced") == 0 ? Verdict.NOT_EXERCISED : Verdict.SAME;
  }

  /** Methods that fail under HDRF and not on stock HDFS. */
  SortedSet<String> newlyFailed() {
    SortedSet<String> names = new TreeSet<>(hdrf.failed());
    names.removeAll(stock.failed());
    return names;
  }

  /** How many frames DataNodes sent each other. */
  long framesSent() {
    return count("mirrorFramesEncoded")
        + count("mirrorFramesForwarded")
        + count("mirrorFramesSentAsStored");
  }

  long count(String counter) {
    return counters.getOrDefault(counter, 0L);
  }
}
