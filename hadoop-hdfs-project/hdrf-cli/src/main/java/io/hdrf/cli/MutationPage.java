/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The table of {@code docs/mutation.md}: between two marks, a row for each package with its last
 * measurement. The rest of the page stays unchanged.
 */
final class MutationPage {
  static final String FILE = "docs/mutation.md";

  private static final String BEGIN = "<!-- table -->";
  private static final String END = "<!-- end of table -->";
  private static final List<String> HEAD =
      List.of(
          "| package | classes | mutants | killed | survived | no coverage | killed, % | commit | date |",
          "|---|---|---|---|---|---|---|---|---|");

  private MutationPage() {}

  /** Replaces a package's row. */
  static void put(Path page, String name, String row) throws IOException {
    List<String> lines = Files.readAllLines(page);
    int begin = lines.indexOf(BEGIN);
    int end = lines.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IOException(page + ": no table between " + BEGIN + " and " + END);
    }
    Map<String, String> rows = new TreeMap<>(MutatedCode.order());
    for (String line : lines.subList(begin + 1, end)) {
      if (line.startsWith("| `")) {
        rows.put(line.substring(3, line.indexOf('`', 3)), line);
      }
    }
    rows.put(name, row);
    List<String> changed = new ArrayList<>(lines.subList(0, begin + 1));
    changed.addAll(HEAD);
    changed.addAll(rows.values());
    changed.addAll(lines.subList(end, lines.size()));
    Files.write(page, changed);
  }
}
