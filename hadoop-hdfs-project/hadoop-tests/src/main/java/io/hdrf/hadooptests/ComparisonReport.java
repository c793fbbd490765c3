/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Comparisons as a table: aligned columns, which are also Markdown. */
final class ComparisonReport {
  private static final List<String> HEADING =
      Arrays.asList(
          "class",
          "stock: tests/failed",
          "HDRF: tests/failed",
          "blocks reduced",
          "too short",
          "reads",
          "inflated",
          "frames sent",
          "by reference",
          "verdict",
          "note");

  private static final String EXPLANATION =
      """
      # Hadoop's own tests on stock HDFS and under HDRF

      Test classes that Hadoop publishes with its release, unchanged, run by
      `hadoop-hdfs-project/hadoop-tests/run` (or `bin/hdrf test --hadoop`). Under HDRF every DataNode
      uses HDRF's dataset with a test-only scheme that reduces each block as it is finalized, whatever
      its size and content. The outcomes on stock HDFS are those in `stock-baseline-VERSION.tsv`; the
      class path of those runs has no jar of HDRF's.

      Of a class, *blocks reduced*, *reads* (reduced blocks opened to be read) and *inflated* (reduced
      blocks turned back to be appended to, truncated or cached) were counted in the JVM that ran it.
      *Too short*: finalized blocks with less room than a reduced block's header and frame table
      take; they stay plain. *Frames sent*: how many frames DataNodes sent each other in the place of
      packets' data; *by reference*: how many chunks went as references. A class without a reduced block
      is *not exercised*. A class that is worse in its first run is run a second time.

      """;

  private ComparisonReport() {}

  static String markdown(List<Comparison> comparisons) {
    return EXPLANATION + summary(comparisons) + ".\n\n" + table(comparisons);
  }

  static String table(List<Comparison> comparisons) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADING);
    comparisons.forEach(comparison -> rows.add(row(comparison)));
    int[] width =
        IntStream.range(0, HEADING.size())
            .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0))
            .toArray();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < rows.size(); i++) {
      appendRow(text, rows.get(i), width);
      if (i == 0) {
        for (int columnWidth : width) {
          text.append("|-").append("-".repeat(columnWidth)).append('-');
        }
        text.append("|\n");
      }
    }
    return text.toString();
  }

  /** Returns one line with the number of classes of each verdict. */
  static String summary(List<Comparison> comparisons) {
    String verdicts =
        Arrays.stream(Comparison.Verdict.values())
            .map(verdict -> verdict + ": " + count(comparisons, verdict))
            .collect(Collectors.joining(", "));
    return comparisons.size()
        + " classes; "
        + verdicts
        + "; blocks reduced: "
        + comparisons.stream().mapToLong(c -> c.count("blocksReduced")).sum();
  }

  private static long count(List<Comparison> comparisons, Comparison.Verdict verdict) {
    return comparisons.stream().filter(c -> c.verdict() == verdict).count();
  }

  private static void appendRow(StringBuilder text, List<String> row, int[] width) {
    for (int column = 0; column < width.length; column++) {
      String cell = row.get(column);
      text.append("| ").append(cell).append(" ".repeat(width[column] - cell.length())).append(' ');
    }
    text.append("|\n");
  }

  private static List<String> row(Comparison comparison) {
    return Arrays.asList(
        simpleName(comparison.stock().testClass()),
        tests(comparison.stock()),
        tests(comparison.hdrf()),
        Long.toString(comparison.count("blocksReduced")),
        Long.toString(comparison.count("skippedSmall")),
        Long.toString(comparison.count("reads")),
        Long.toString(comparison.count("blocksInflated")),
        Long.toString(comparison.framesSent()),
        Long.toString(comparison.count("mirrorChunksByReference")),
        comparison.verdict().toString(),
        note(comparison));
  }

  private static String simpleName(String testClass) {
    return testClass.substring(testClass.lastIndexOf('.') + 1);
  }

  private static String tests(Outcome outcome) {
    return outcome.finished() ? outcome.tests() + "/" + outcome.failed().size() : "did not finish";
  }

  private static String note(Comparison comparison) {
    List<String> notes = new ArrayList<>();
    if (comparison.secondRun()) {
      notes.add("second run");
    }
    if (!comparison.hadHdrf()) {
      notes.add("HDRF in no DataNode");
    }
    if (!comparison.newlyFailed().isEmpty()) {
      notes.add("fails: " + String.join(" ", comparison.newlyFailed()));
    }
    if (!comparison.stock().failed().isEmpty()) {
      notes.add("fails on stock: " + String.join(" ", comparison.stock().failed()));
    }
    return String.join("; ", notes);
  }
}
