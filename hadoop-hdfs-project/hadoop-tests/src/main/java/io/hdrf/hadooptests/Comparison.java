/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * One test class on stock HDFS and under HDRF.
 *
 * @param stock the outcome on stock HDFS
 * @param hdrf the outcome under HDRF
 * @param counters HDRF's counters during the run
 * @param secondRun whether {@code hdrf} is the outcome of a second run, after a first that was
 *     worse
 */
record Comparison(Outcome stock, Outcome hdrf, Map<String, Long> counters, boolean secondRun) {
  /** The result of a comparison. */
  enum Verdict {
    /** As many tests pass as on stock HDFS, and none fails that passes there. */
    SAME("same"),
    /** A test that passes on stock HDFS fails, or is not run. */
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

  /** Returns whether HDRF was in a DataNode of the class. */
  boolean hadHdrf() {
    return count("datasets") > 0;
  }

  /** Returns the methods that fail under HDRF and not on stock HDFS. */
  SortedSet<String> newlyFailed() {
    SortedSet<String> names = new TreeSet<>(hdrf.failed());
    names.removeAll(stock.failed());
    return names;
  }

  /** Returns the number of frames that DataNodes sent each other. */
  long framesSent() {
    return count("mirrorFramesEncoded")
        + count("mirrorFramesForwarded")
        + count("mirrorFramesSentAsStored");
  }

  long count(String counter) {
    return counters.getOrDefault(counter, 0L);
  }
}
