/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Samples by part and by thread. A sample belongs to the first part of {@code profile-parts.txt}
 * one of whose patterns is found in the innermost frame that any pattern is found in.
 */
final class ProfileTable {

  private static final String OTHER = "other";

  private final Map<String, Pattern> parts = new LinkedHashMap<>();
  private final Map<String, Pattern> threads = new LinkedHashMap<>();

  /** Samples by part, then by thread. */
  private final Map<String, Map<String, Long>> counts = new TreeMap<>();

  /** Of what belongs to no part, samples by innermost frame. */
  private final Map<String, Long> rest = new TreeMap<>();

  ProfileTable() {
    read("profile-parts.txt", parts);
    read("profile-threads.txt", threads);
  }

  /** Lines of a name, a tab, and a regular expression. */
  private static void read(String resource, Map<String, Pattern> patterns) {
    try (InputStream in = ProfileTable.class.getResourceAsStream(resource)) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        String[] fields = line.split("\t", 2);
        patterns.put(fields[0], Pattern.compile(fields[1]));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Adds samples.
   *
   * @param lines thread and frames, the outermost first, separated by semicolons; a space; a count
   */
  void add(List<String> lines) {
    for (String line : lines) {
      int space = line.lastIndexOf(' ');
      String[] frames = line.substring(0, space).split(";");
      long count = Long.parseLong(line.substring(space + 1));
      String part = part(frames);
      counts
          .computeIfAbsent(part, p -> new TreeMap<>())
          .merge(first(threads, frames[0]), count, Long::sum);
      if (part.equals(OTHER)) {
        rest.merge(frames[frames.length - 1], count, Long::sum);
      }
    }
  }

  private String part(String[] frames) {
    for (int i = frames.length - 1; i > 0; i--) {
      String found = first(parts, frames[i]);
      if (!found.equals(OTHER)) {
        return found;
      }
    }
    return OTHER;
  }

  private static String first(Map<String, Pattern> patterns, String text) {
    return patterns.entrySet().stream()
        .filter(entry -> entry.getValue().matcher(text).find())
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(OTHER);
  }

  /**
   * Returns the table as Markdown.
   *
   * @param unit what a sample counts
   */
  String render(double unit) {
    Set<String> columns = new LinkedHashSet<>(threads.keySet());
    columns.add(OTHER);
    columns.removeIf(thread -> counts.values().stream().noneMatch(c -> c.containsKey(thread)));
    List<String> rows = new ArrayList<>();
    rows.add("| s/GB | all | " + String.join(" | ", columns) + " |");
    rows.add("|" + "---|".repeat(columns.size() + 2));
    Map<String, Long> sums = new TreeMap<>();
    counts.values().forEach(c -> c.forEach((thread, n) -> sums.merge(thread, n, Long::sum)));
    rows.add(row("all", sums, columns, unit));
    counts.entrySet().stream()
        .sorted(Comparator.comparingLong(entry -> -sum(entry.getValue())))
        .forEach(entry -> rows.add(row(entry.getKey(), entry.getValue(), columns, unit)));
    String most =
        rest.entrySet().stream()
            .sorted(Comparator.comparingLong(entry -> -entry.getValue()))
            .limit(12)
            .map(entry -> entry.getKey() + format(entry.getValue() * unit))
            .collect(Collectors.joining(", "));
    return String.join("\n", rows) + "\n\nMost of the rest: " + most + "\n";
  }

  private static String row(
      String name, Map<String, Long> values, Set<String> columns, double unit) {
    StringBuilder row = new StringBuilder("| " + name + " |");
    row.append(format(sum(values) * unit)).append(" |");
    for (String column : columns) {
      row.append(format(values.getOrDefault(column, 0L) * unit)).append(" |");
    }
    return row.toString();
  }

  private static long sum(Map<String, Long> values) {
    return values.values().stream().mapToLong(n -> n).sum();
  }

  private static String format(double seconds) {
    return String.format(Locale.ROOT, " %.2f", seconds);
  }
}
