/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScaleTableTest {

  private static Figures figures(double read, double rate) {
    Figures figures = new Figures();
    figures.put("read (MB)", read);
    figures.put("thousand a second", rate);
    return figures;
  }

  private static ScaleTable table() {
    Map<Double, Figures> measured = new LinkedHashMap<>();
    measured.put(1.0, figures(110, 7));
    measured.put(2.0, figures(210, 6));
    measured.put(4.0, figures(410, Double.POSITIVE_INFINITY));
    return new ScaleTable(measured, List.of(100.0));
  }

  @Test
  void whatGrowsIsContinuedByALine() {
    assertThat(table().values().get("read (MB)").get("100, extrapolated"))
        .isCloseTo(10_010, within(0.001));
  }

  @Test
  void ratesStayAsTheyWereLast() {
    assertThat(table().values().get("thousand a second"))
        .containsEntry("2", 6.0)
        .containsEntry("4", null)
        .containsEntry("100, extrapolated", null);
  }

  @Test
  void timesOfThisMachineAreNotContinued() {
    Map<Double, Figures> measured = new LinkedHashMap<>();
    for (double size : new double[] {1, 2, 4}) {
      Figures figures = new Figures();
      figures.put("collection, this machine (s)", size);
      measured.put(size, figures);
    }
    assertThat(
            new ScaleTable(measured, List.of(100.0)).values().get("collection, this machine (s)"))
        .containsEntry("4", 4.0)
        .containsEntry("100, extrapolated", null);
  }

  @Test
  void saysHowItWasExtrapolated() {
    assertThat(table().markdown())
        .startsWith("| TiB logical | 1 | 2 | 4 | 100, extrapolated |\n|---|---|---|---|---|\n")
        .contains("| read (MB) | 110 | 210 | 410 | 10010 |\n")
        .contains("| thousand a second | 7 | 6 | – | – |\n")
        .contains("a line through 3 sizes;");
  }
}
