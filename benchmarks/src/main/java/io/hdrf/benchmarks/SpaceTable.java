/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What {@link SpaceBenchmark} prints, as Markdown. */
final class SpaceTable {

  private static final double MIB = 1 << 20;
  private static final String BASELINE = "zstd";
  private static final String AIMED_AT = "dedup,zstd";

  private static final double OF_LOGICAL = 0.14;
  private static final double OF_BASELINE = 0.6;
  private static final double OF_RANDOM = 1.01;
  private static final double DIFFERENCE = 0.03;

  private SpaceTable() {}

  /**
   * The table of figures and the table of aims; an aim for what was not measured is left out.
   *
   * @param versions of the same files, one for each chain; the first is what others are compared
   *     with
   * @param random of bytes that can't be reduced
   */
  static String of(String title, List<Space> versions, List<Space> random) {
    List<Space> all = Stream.concat(versions.stream(), random.stream()).toList();
    Space first = versions.get(0);
    StringBuilder text = new StringBuilder("### " + title + "\n\n");
    text.append("| | logical (MiB) | physical per DataNode (MiB) | of logical | estimate (MiB) |")
        .append(" difference | of `" + first.chain() + "`'s |\n|---|---|---|---|---|---|---|\n");
    for (Space space : all) {
      text.append(
          format(
              "| %s, `%s` | %.1f | %.1f | %s | %.1f | %+.2f %% | %s |\n",
              space.data(),
              space.chain(),
              space.logical() / MIB,
              space.physical() / MIB,
              percent(space.ofLogical()),
              space.estimate() / MIB,
              100 * space.difference(),
              versions.contains(space) ? format("%.2f", space.to(first)) : "–"));
    }
    text.append(
        format(
            "\nRead and compared byte by byte: %d files, none differs.\n\n",
            all.stream().mapToInt(Space::files).sum()));
    return text.append(aims(versions, random, all)).toString();
  }

  private static String aims(List<Space> versions, List<Space> random, List<Space> all) {
    StringBuilder text = new StringBuilder("| aim | reached? |\n|---|---|\n");
    Optional<Space> aimedAt = find(versions, AIMED_AT);
    Optional<Space> baseline = find(versions, BASELINE);
    aimedAt.ifPresent(
        space ->
            text.append(
                aim(
                    "versions of source, `dedup,zstd`: at most 14 % of logical",
                    space.ofLogical() <= OF_LOGICAL, percent(space.ofLogical()))));
    if (aimedAt.isPresent() && baseline.isPresent()) {
      double ratio = aimedAt.get().to(baseline.get());
      text.append(aim("and at most 0.6 of `zstd`", ratio <= OF_BASELINE, format("%.2f", ratio)));
    }
    for (Space space : random) {
      text.append(
          aim(
              "data that can't be reduced: at most 101 %",
              space.ofLogical() <= OF_RANDOM, percent(space.ofLogical())));
    }
    return text.append(estimateAim(all)).toString();
  }

  /** The aim for the estimates of all. */
  static String estimateAim(List<Space> all) {
    double difference = all.stream().mapToDouble(s -> Math.abs(s.difference())).max().orElse(0);
    return aim(
        "estimate within 3 %",
        difference <= DIFFERENCE, format("%.2f %% at most", 100 * difference));
  }

  private static Optional<Space> find(List<Space> spaces, String chain) {
    return spaces.stream().filter(space -> space.chain().equals(chain)).findFirst();
  }

  static String aim(String aim, boolean reached, String figure) {
    return format("| %s | %s: %s |\n", aim, reached ? "yes" : "no", figure);
  }

  private static String percent(double share) {
    return format("%.2f %%", 100 * share);
  }

  private static String format(String pattern, Object... arguments) {
    return String.format(Locale.ROOT, pattern, arguments);
  }
}
