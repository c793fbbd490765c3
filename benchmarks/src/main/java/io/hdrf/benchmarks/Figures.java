/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Figures of one round: a name and a number each, in the order in which they are printed. */
public record Figures(Map<String, Double> values) {

  public Figures() {
    this(new LinkedHashMap<>());
  }

  public void put(String name, double value) {
    values.put(name, value);
  }

  /** The median of each figure over several rounds. */
  public static Figures median(List<Figures> rounds) {
    Figures medians = new Figures();
    for (String name : rounds.get(0).values.keySet()) {
      medians.put(name, median(rounds.stream().mapToDouble(r -> r.values.get(name)).toArray()));
    }
    return medians;
  }

  /**
   * For each figure the median of the ratios of paired rounds: what was measured one after the
   * other is compared, so that slow drifts of the machine cancel out.
   */
  public static Figures ratios(List<Figures> rounds, List<Figures> baseline) {
    Figures ratios = new Figures();
    for (String name : rounds.get(0).values.keySet()) {
      double[] paired = new double[rounds.size()];
      for (int i = 0; i < paired.length; i++) {
        paired[i] = rounds.get(i).values.get(name) / baseline.get(i).values.get(name);
      }
      ratios.put(name, median(paired));
    }
    return ratios;
  }

  /**
   * A row of a Markdown table for each figure: its name, both medians, the median of the ratios of
   * paired rounds, and the least and the greatest of them.
   */
  public static String rows(List<Figures> rounds, List<Figures> baseline) {
    Figures baselineMedian = median(baseline);
    Figures median = median(rounds);
    StringBuilder rows = new StringBuilder();
    ratios(rounds, baseline)
        .values
        .forEach(
            (name, ratio) ->
                rows.append(
                    String.format(
                        Locale.ROOT,
                        "| %s | %.2f | %.2f | %s |%n",
                        name,
                        baselineMedian.values.get(name),
                        median.values.get(name),
                        Double.isFinite(ratio)
                            ? String.format(
                                Locale.ROOT, "%.2f | %s", ratio, spread(rounds, baseline, name))
                            : "– | –")));
    return rows.toString();
  }

  /** The least and the greatest ratio of a figure over the paired rounds. */
  public static String spread(List<Figures> rounds, List<Figures> baseline, String name) {
    double least = Double.MAX_VALUE;
    double greatest = 0;
    for (int i = 0; i < rounds.size(); i++) {
      double ratio = rounds.get(i).values.get(name) / baseline.get(i).values.get(name);
      least = Math.min(least, ratio);
      greatest = Math.max(greatest, ratio);
    }
    return String.format(Locale.ROOT, "%.2f to %.2f", least, greatest);
  }

  /** The median of at least one number. */
  static double middle(List<Double> values) {
    return median(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
}
