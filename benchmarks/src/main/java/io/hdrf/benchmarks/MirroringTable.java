/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/** What {@link MirroringBenchmark} prints: a column for each variant, medians over the rounds. */
final class MirroringTable {

  static final String UNTIL_CLOSE = "write, until close (s)";
  static final String UNTIL_REDUCED = "write, until reduced (s)";

  /** Figures that are compared with those of other variants, round by round. */
  private static final Set<String> COMPARED = Set.of(UNTIL_CLOSE, UNTIL_REDUCED);

  private MirroringTable() {}

  /**
   * The table as Markdown.
   *
   * @param rounds of each variant, in the order of the columns
   * @param references the variants that others are compared with; those that are absent are left
   *     out
   */
  static String of(String title, Map<String, List<Figures>> rounds, List<String> references) {
    StringBuilder table = new StringBuilder("### " + title + "\n\n");
    row(table, "", rounds.keySet());
    table.append("|---".repeat(rounds.size() + 1)).append("|\n");
    Set<String> names = rounds.values().iterator().next().get(0).values().keySet();
    for (String name : names) {
      row(
          table,
          name,
          rounds.values().stream().map(figures -> number(Figures.median(figures), name)).toList());
      if (COMPARED.contains(name)) {
        for (String reference : references) {
          if (rounds.containsKey(reference)) {
            row(
                table,
                "… to " + reference,
                rounds.values().stream()
                    .map(figures -> ratio(figures, rounds.get(reference), name))
                    .toList());
          }
        }
      }
    }
    return table.toString();
  }

  private static void row(StringBuilder table, String name, Iterable<String> cells) {
    StringJoiner line = new StringJoiner(" | ", "| ", " |\n");
    line.add(name);
    cells.forEach(line::add);
    table.append(line);
  }

  private static String number(Figures figures, String name) {
    return String.format(Locale.ROOT, "%.2f", figures.values().get(name));
  }

  private static String ratio(List<Figures> figures, List<Figures> reference, String name) {
    return figures == reference
        ? "1"
        : number(Figures.ratios(figures, reference), name)
            + " ("
            + Figures.spread(figures, reference, name)
            + ")";
  }
}
