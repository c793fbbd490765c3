/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Outcomes by class name, kept as a tab-separated file with a heading line. */
final class OutcomeTable {
  private static final String HEADING = "class\ttests\tskipped\tseconds\tfailed";

  private OutcomeTable() {}

  static SortedMap<String, Outcome> read(Path file) throws IOException {
    SortedMap<String, Outcome> table = new TreeMap<>();
    List<String> lines = Files.readAllLines(file, UTF_8);
    if (lines.isEmpty() || !lines.get(0).equals(HEADING)) {
      throw new IOException(file + ": expected the heading \"" + HEADING + "\"");
    }
    for (String line : lines.subList(1, lines.size())) {
      String[] cell = line.split("\t", -1);
      if (cell.length != 5) {
        throw new IOException(file + ": expected 5 columns in \"" + line + "\"");
      }
      SortedSet<String> failed = new TreeSet<>();
      if (!cell[4].isEmpty()) {
        failed.addAll(Arrays.asList(cell[4].split(",")));
      }
      table.put(
          cell[0],
          new Outcome(
              cell[0],
              Integer.parseInt(cell[1]),
              Integer.parseInt(cell[2]),
              Double.parseDouble(cell[3]),
              failed));
    }
    return table;
  }

  static void write(Path file, Map<String, Outcome> table) throws IOException {
    StringBuilder text = new StringBuilder(HEADING).append('\n');
    Collection<Outcome> sorted = new TreeMap<>(table).values();
    for (Outcome outcome : sorted) {
      text.append(outcome.testClass()).append('\t');
      text.append(outcome.tests()).append('\t');
      text.append(outcome.skipped()).append('\t');
      text.append(String.format(Locale.ROOT, "%.0f", outcome.seconds())).append('\t');
      text.append(String.join(",", outcome.failed())).append('\n');
    }
    Files.write(file, text.toString().getBytes(UTF_8));
  }
}
