/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SetsTableTest {

  private final SetsTable table = new SetsTable();

  private static Space space(String set, long physical, long estimate) {
    return new Space(set, "dedup,zstd", 2, 400_000_000, physical, estimate);
  }

  private String row(String set, long without, long with, long estimate) {
    return table.row(
        space(set, without, without),
        space(set, with, estimate),
        List.of(OptionalLong.of(50_000_000), OptionalLong.empty()));
  }

  @Test
  void printsWhatASetTakes() {
    assertThat(row("logs", 40_000_000, 10_000_000, 9_900_000))
        .isEqualTo(
            "| logs, `dedup,zstd` | 2 | 400.0 | 40.00 | 10.00 | 0.2500 | +0.00 % | -1.00 % |"
                + " 50.00 | – |");
  }

  @Test
  void aimsAreReachedUpToTheirLimits() {
    row("versions", 40_000_000, 18_000_000, 18_540_000);
    row("random", 40_000_000, 40_080_000, 40_080_000);
    assertThat(table.aims())
        .contains("| yes: 0.450 |")
        .contains("| yes: 1.0020 at most |")
        .contains("| yes: 3.00 % at most |");
  }

  @Test
  void aimsAreMissedBeyondTheirLimits() {
    row("versions", 40_000_000, 18_040_000, 18_600_000);
    row("random", 40_000_000, 40_084_000, 40_084_000);
    assertThat(table.aims())
        .contains("| no: 0.451 |")
        .contains("| no: 1.0021 at most |")
        .contains("| no: 3.10 % at most |");
  }
}
