/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpaceTableTest {

  private static final long LOGICAL = 1000L << 20;

  private static Space space(String chain, long physicalMiB, long estimateMiB) {
    return new Space("data", chain, 3, LOGICAL, physicalMiB << 20, estimateMiB << 20);
  }

  private static String table(Space random, Space... versions) {
    return SpaceTable.of("title", List.of(versions), List.of(random));
  }

  @Test
  void printsWhatEachChainTakes() {
    assertThat(
            table(space("dedup", 1008, 1008), space("zstd", 200, 194), space("dedup,zstd", 90, 91)))
        .contains("### title\n")
        .contains("| of `zstd`'s |")
        .contains("| data, `zstd` | 1000.0 | 200.0 | 20.00 % | 194.0 | -3.00 % | 1.00 |\n")
        .contains("| data, `dedup,zstd` | 1000.0 | 90.0 | 9.00 % | 91.0 | +1.11 % | 0.45 |\n")
        .contains("| data, `dedup` | 1000.0 | 1008.0 | 100.80 % | 1008.0 | +0.00 % | – |\n")
        .contains("9 files, none differs");
  }

  @Test
  void aimsAreReachedUpToTheirLimits() {
    assertThat(
            table(
                space("dedup", 1010, 1010), space("zstd", 250, 250), space("dedup,zstd", 140, 140)))
        .contains("14 % of logical | yes: 14.00 % |")
        .contains("0.6 of `zstd` | yes: 0.56 |")
        .contains("101 % | yes: 101.00 % |")
        .contains("within 3 % | yes: 0.00 % at most |");
  }

  @Test
  void aimsAreMissedBeyondTheirLimits() {
    assertThat(
            table(
                space("dedup", 1011, 1011), space("zstd", 200, 193), space("dedup,zstd", 141, 141)))
        .contains("14 % of logical | no: 14.10 % |")
        .contains("0.6 of `zstd` | no: 0.71 |")
        .contains("101 % | no: 101.10 % |")
        .contains("within 3 % | no: 3.50 % at most |");
  }

  @Test
  void leavesOutAimsForWhatWasNotMeasured() {
    assertThat(SpaceTable.of("title", List.of(space("lz4", 300, 300)), List.of()))
        .contains("within 3 %")
        .doesNotContain("14 %", "0.6", "101 %");
  }
}
