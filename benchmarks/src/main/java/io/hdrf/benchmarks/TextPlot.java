/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Curves drawn with letters, one for each. */
final class TextPlot {

  private static final int HEIGHT = 16;
  private static final int WIDTH = 64;

  private record Curve(char letter, String name, double[] x, double[] y) {}

  private final String title;
  private final List<Curve> curves = new ArrayList<>();

  TextPlot(String title) {
    this.title = title;
  }

  TextPlot curve(String name, List<Double> x, List<Double> y) {
    char letter = (char) ('a' + curves.size());
    curves.add(
        new Curve(
            letter,
            name,
            x.stream().mapToDouble(Double::doubleValue).toArray(),
            y.stream().mapToDouble(Double::doubleValue).toArray()));
    return this;
  }

  @Override
  public String toString() {
    double right = 0;
    double top = 0;
    for (Curve curve : curves) {
      for (int i = 0; i < curve.x.length; i++) {
        right = Math.max(right, curve.x[i]);
        top = Math.max(top, curve.y[i]);
      }
    }
    char[][] field = new char[HEIGHT + 1][WIDTH + 1];
    for (char[] line : field) {
      java.util.Arrays.fill(line, ' ');
    }
    StringBuilder names = new StringBuilder();
    for (Curve curve : curves) {
      for (int i = 0; i < curve.x.length; i++) {
        int column = (int) Math.round(curve.x[i] / right * WIDTH);
        int line = HEIGHT - (int) Math.round(curve.y[i] / top * HEIGHT);
        field[line][column] = field[line][column] == ' ' ? curve.letter : '*';
      }
      names.append("  ").append(curve.letter).append(": ").append(curve.name);
    }
    StringBuilder text = new StringBuilder("```\n").append(title).append('\n');
    for (int line = 0; line <= HEIGHT; line++) {
      double value = top * (HEIGHT - line) / HEIGHT;
      String label = line % 4 == 0 ? String.format(Locale.ROOT, "%9.3g", value) : " ".repeat(9);
      text.append(label).append(" |").append(new String(field[line]).stripTrailing()).append('\n');
    }
    text.append(" ".repeat(10)).append('+').append("-".repeat(WIDTH)).append('\n');
    text.append(String.format(Locale.ROOT, "%12s%" + (WIDTH - 1) + ".6g%n", "0", right));
    return text.append(names).append("  (*: several)\n```\n").toString();
  }
}
