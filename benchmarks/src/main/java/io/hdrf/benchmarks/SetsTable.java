/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** What {@link SpaceBenchmark} prints of sets of files, as Markdown, line by line. */
final class SetsTable {

  private static final double MB = 1e6;
  private static final String VERSIONS = "versions";

  private static final double OF_VERSIONS = 0.45;
  private static final double WORSE = 1.002;

  private final List<Space> all = new ArrayList<>();
  private double versions;
  private double worst;

  /** The title and the head. */
  static String head(String title) {
    StringBuilder text =
        new StringBuilder("### " + title + "\n\n| MB | files | logical | without | with | with /")
            .append(" without | estimate without | with |");
    StringBuilder line = new StringBuilder("|---|---|---|---|---|---|---|---|");
    for (OtherPrograms program : OtherPrograms.values()) {
      text.append(" ").append(program.title).append(" |");
      line.append("---|");
    }
    return text.append('\n').append(line).toString();
  }

  /**
   * A set's row.
   *
   * @param others bytes that {@link OtherPrograms} take, in their order
   */
  String row(Space without, Space with, List<OptionalLong> others) {
    double ratio = with.to(without);
    if (without.data().equals(VERSIONS)) {
      versions = Math.max(versions, ratio);
    }
    worst = Math.max(worst, ratio);
    all.add(without);
    all.add(with);
    StringBuilder row =
        new StringBuilder(
            format(
                "| %s, `%s` | %d | %.1f | %.2f | %.2f | %.4f | %+.2f %% | %+.2f %% |",
                without.data(),
                without.chain(),
                without.files(),
                without.logical() / MB,
                without.physical() / MB,
                with.physical() / MB,
                ratio,
                100 * without.difference(),
                100 * with.difference()));
    for (OptionalLong other : others) {
      row.append(other.isPresent() ? format(" %.2f |", other.getAsLong() / MB) : " – |");
    }
    return row.toString();
  }

  /** The aims; one for what was not measured is left out. */
  String aims() {
    return "\n| aim | reached? |\n|---|---|\n"
        + (versions > 0
            ? SpaceTable.aim(
                "versions: at most 0.45 of what they take without",
                versions <= OF_VERSIONS,
                format("%.3f", versions))
            : "")
        + SpaceTable.aim(
            "no set takes more by more than 0.2 %", worst <= WORSE, format("%.4f at most", worst))
        + SpaceTable.estimateAim(all);
  }

  private static String format(String pattern, Object... arguments) {
    return String.format(Locale.ROOT, pattern, arguments);
  }
}
