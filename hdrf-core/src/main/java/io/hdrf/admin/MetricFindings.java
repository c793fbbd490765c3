/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a DataNode's metrics say that an operator has to look at, in words. */
public final class MetricFindings {

  /** A metric that should be low. */
  private static final class Rule {
    private final String metric;
    private final long from;
    private final String words;

    /**
     * @param from the least value to look at
     * @param words what it means and what to do, with a place for the value
     */
    Rule(String metric, long from, String words) {
      this.metric = metric;
      this.from = from;
      this.words = words;
    }
  }

  /** The gravest first. */
  private static final List<Rule> RULES =
      Collections.unmodifiableList(
          Arrays.asList(
              new Rule(
                  "CorruptBlocks",
                  1,
                  "%d times a damaged block was found; HDFS replaces such blocks: check the disks"),
              new Rule(
                  "SkippedMismatch",
                  1,
                  "%d plain blocks did not match their checksums; HDFS replaces them: check the"
                      + " disks"),
              new Rule(
                  "VerifyBlocksDamaged",
                  1,
                  "hdrf verify found %d damaged blocks; HDFS replaces them"),
              new Rule(
                  "ConvertBlocksDamaged",
                  1,
                  "hdrf convert found %d damaged blocks; HDFS replaces them"),
              new Rule(
                  "InflateBlocksDamaged",
                  1,
                  "hdrf inflate found %d damaged blocks; HDFS replaces them"),
              new Rule(
                  "DedupDamagedReads",
                  1,
                  "%d frames could not be read, since chunks are damaged or missing: check the"
                      + " disks"),
              new Rule(
                  "DedupScrubContainersDamaged",
                  1,
                  "%d containers were found damaged; the log names them: check the disks"),
              new Rule(
                  "MirrorChunksWrong",
                  1,
                  "%d chunks are not what their fingerprints say: have the machine's memory"
                      + " tested"),
              new Rule(
                  "SkippedVerificationFailed",
                  1,
                  "a scheme did not decode %d blocks to what they were, and they stayed plain: take"
                      + " it out of hdrf.schemes and tell its author"),
              new Rule(
                  "DedupGcBlocksUnreadable",
                  1,
                  "%d unreadable block files keep chunks from being collected; the log names them"),
              new Rule(
                  "DedupGcAbortedInARow",
                  2,
                  "the last %d collections of chunks ended early; the log says why"),
              new Rule(
                  "DedupGcContainersFailed",
                  1,
                  "%d containers could not be collected; the log names them"),
              new Rule(
                  "DedupScrubOverdue",
                  1,
                  "of %d stores no scrub came to its end for 90 days: raise hdrf.dedup.scrub.rate"),
              new Rule(
                  "SkippedNoSpace",
                  1,
                  "%d times there was too little space for a block's reduced copy"),
              new Rule("SkippedFailed", 1, "%d reductions failed; the log says how"),
              new Rule(
                  "DedupDbaRetired",
                  1,
                  "%d filters were given up for want of memory, so that known chunks are stored"
                      + " again: raise hdrf.dedup.dba.memory, or hdrf.memory"),
              new Rule(
                  "MirrorFallbackNoReceiveMemory",
                  1,
                  "%d connections ended for want of memory: raise hdrf.mirror.receive.memory")));

  private MetricFindings() {}

  /** Returns the metrics with a rule, the gravest first. */
  public static List<String> metrics() {
    List<String> names = new ArrayList<>();
    RULES.forEach(rule -> names.add(rule.metric));
    return names;
  }

  /**
   * Returns what is to be said about one metric.
   *
   * @param metrics the DataNode's, by name
   * @return null if there is nothing
   */
  public static String of(String metric, Map<String, Long> metrics) {
    for (Rule rule : RULES) {
      long value = metrics.getOrDefault(metric, 0L);
      if (rule.metric.equals(metric) && value >= rule.from) {
        return String.format(Locale.ROOT, rule.words, value) + " (" + metric + ")";
      }
    }
    return null;
  }
}
