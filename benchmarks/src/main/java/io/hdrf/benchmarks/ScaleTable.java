/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Figures of volumes of several sizes, and of those that were too large to be made: a straight line
 * through what was measured.
 */
final class ScaleTable {

  /** From so many sizes on there is more to a line than that it meets all of them. */
  private static final int ENOUGH = 3;

  private final Map<Double, Figures> measured;
  private final List<Double> tooLarge;

  /**
   * @param measured by size in TiB, ascending; all with the same figures
   * @param tooLarge sizes that follow
   */
  ScaleTable(Map<Double, Figures> measured, List<Double> tooLarge) {
    this.measured = measured;
    this.tooLarge = tooLarge;
  }

  /** What grows is what may be continued: rates and shares are taken as they were last. */
  private static boolean isExtensive(String name) {
    return !name.contains(" per ")
        && !name.contains(" a second")
        && !name.contains("%")
        && !name.contains("/s)")
        && !name.startsWith("generation ")
        && !name.startsWith("a block's ");
  }

  /** Times and the memory of a process are too noisy to be continued ten times as far. */
  private static boolean isMeasured(String name) {
    return name.contains("this machine") || name.endsWith(" (s)") || name.contains("resident");
  }

  /** The figure of a size that was not made; not a number where nothing can be said. */
  private double extrapolated(String name, double size) {
    double n = measured.size();
    double sumX = 0;
    double sumY = 0;
    double last = 0;
    for (Map.Entry<Double, Figures> one : measured.entrySet()) {
      last = one.getValue().values().get(name);
      sumX += one.getKey();
      sumY += last;
    }
    if (!isExtensive(name)) {
      return last;
    }
    if (isMeasured(name) || n < 2) {
      return Double.NaN;
    }
    double above = 0;
    double below = 0;
    for (Map.Entry<Double, Figures> one : measured.entrySet()) {
      double distance = one.getKey() - sumX / n;
      above += distance * (one.getValue().values().get(name) - sumY / n);
      below += distance * distance;
    }
    return sumY / n + above / below * (size - sumX / n);
  }

  /** By name, and then by size in TiB; null where nothing can be said. */
  Map<String, Map<String, Double>> values() {
    Map<String, Map<String, Double>> values = new LinkedHashMap<>();
    for (String name : measured.values().iterator().next().values().keySet()) {
      Map<String, Double> row = new LinkedHashMap<>();
      measured.forEach((size, figures) -> row.put(tib(size), finite(figures.values().get(name))));
      tooLarge.forEach(
          size -> row.put(tib(size) + ", extrapolated", finite(extrapolated(name, size))));
      values.put(name, row);
    }
    return values;
  }

  private static Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }

  private static String tib(double size) {
    return size == Math.rint(size) ? Long.toString((long) size) : Double.toString(size);
  }

  String markdown() {
    StringBuilder text = new StringBuilder("| TiB logical |");
    List<String> columns = new ArrayList<>(values().values().iterator().next().keySet());
    columns.forEach(column -> text.append(' ').append(column).append(" |"));
    text.append("\n|---|").append("---|".repeat(columns.size())).append('\n');
    values()
        .forEach(
            (name, row) -> {
              text.append("| ").append(name).append(" |");
              row.values().forEach(value -> text.append(' ').append(number(value)).append(" |"));
              text.append('\n');
            });
    if (!tooLarge.isEmpty()) {
      text.append(
          String.format(
              Locale.ROOT,
              "%nExtrapolated: a line through %d sizes%s; rates, shares and what is told of one block"
                  + " as at the largest one.%n",
              measured.size(),
              measured.size() < ENOUGH ? ", too few to be relied on" : ""));
    }
    return text.toString();
  }

  private static String number(Double value) {
    if (value == null) {
      return "–";
    }
    double magnitude = Math.abs(value);
    if (value == Math.rint(value) && magnitude < 1e6) {
      return Long.toString(value.longValue());
    }
    return String.format(
        Locale.ROOT, magnitude < 1 ? "%.4f" : magnitude < 100 ? "%.2f" : "%.0f", value);
  }
}
