/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.hadooptests.Comparison.Verdict;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final Map<String, Long> REDUCED = Map.of("datasets", 1L, "blocksReduced", 7L);

  @Test
  void sameWhenNothingFails() {
    assertThat(verdict(outcome(5, 0), outcome(5, 0), REDUCED)).isEqualTo(Verdict.SAME);
  }

  @Test
  void aFailureOfStockHdfsIsNotHdrfs() {
    assertThat(verdict(outcome(5, 0, "testA"), outcome(5, 0, "testA"), REDUCED))
        .isEqualTo(Verdict.SAME);
    assertThat(verdict(outcome(5, 0, "testA"), outcome(5, 0), REDUCED)).isEqualTo(Verdict.SAME);
  }

  @Test
  void anotherFailureIsWorseEvenIfAsManyFail() {
    Comparison comparison =
        new Comparison(outcome(5, 0, "testA"), outcome(5, 0, "testB"), REDUCED, false);
    assertThat(comparison.verdict()).isEqualTo(Verdict.WORSE);
    assertThat(comparison.newlyFailed()).containsExactly("testB");
  }

  @Test
  void fewerTestsOrMoreSkippedAreWorse() {
    assertThat(verdict(outcome(5, 0), outcome(4, 0), REDUCED)).isEqualTo(Verdict.WORSE);
    assertThat(verdict(outcome(5, 0), outcome(5, 1), REDUCED)).isEqualTo(Verdict.WORSE);
  }

  @Test
  void aClassThatDoesNotFinishIsWorse() {
    assertThat(verdict(outcome(5, 0), Outcome.unfinished("X"), REDUCED)).isEqualTo(Verdict.WORSE);
    assertThat(verdict(Outcome.unfinished("X"), Outcome.unfinished("X"), REDUCED))
        .isEqualTo(Verdict.SAME);
  }

  @Test
  void withoutAReducedBlockNothingIsShown() {
    assertThat(verdict(outcome(5, 0), outcome(5, 0), Map.of("datasets", 3L)))
        .isEqualTo(Verdict.NOT_EXERCISED);
    assertThat(verdict(outcome(5, 0), outcome(5, 0, "testA"), Map.of())).isEqualTo(Verdict.WORSE);
  }

  @Test
  void theTableIsAlignedAndNamesWhatFails() {
    List<Comparison> comparisons =
        List.of(
            new Comparison(outcome(5, 0), outcome(5, 0, "testA", "testB"), REDUCED, true),
            new Comparison(outcome(5, 0), outcome(5, 0), Map.of(), false));
    String[] lines = ComparisonReport.table(comparisons).split("\n");
    assertThat(lines).hasSize(4);
    assertThat(lines).allMatch(line -> line.length() == lines[0].length());
    assertThat(lines[2]).contains("| 5/0 ", "| 5/2 ", "| 7 ", "| WORSE ", "testA testB", "second");
    assertThat(lines[2]).doesNotContain("HDRF in no DataNode");
    assertThat(lines[3]).contains("| not exercised | HDRF in no DataNode ");
    assertThat(ComparisonReport.summary(comparisons))
        .isEqualTo("2 classes; same: 0, WORSE: 1, not exercised: 1; blocks reduced: 7");
  }

  @Test
  void framesAreThoseEncodedPassedOnAndSentAsStored() {
    Map<String, Long> counters =
        Map.of(
            "mirrorFramesEncoded", 200L,
            "mirrorFramesForwarded", 30L,
            "mirrorFramesSentAsStored", 4L,
            "mirrorChunksByReference", 56L);
    Comparison comparison = new Comparison(outcome(5, 0), outcome(5, 0), counters, false);
    assertThat(comparison.framesSent()).isEqualTo(234);
    assertThat(ComparisonReport.table(List.of(comparison))).containsPattern("\\| 234 +\\| 56 +\\|");
  }

  private static Verdict verdict(Outcome stock, Outcome hdrf, Map<String, Long> counters) {
    return new Comparison(stock, hdrf, counters, false).verdict();
  }

  private static Outcome outcome(int tests, int skipped, String... failed) {
    TreeSet<String> names = new TreeSet<>();
    Collections.addAll(names, failed);
    return new Outcome("org.example.X", tests, skipped, 1, names);
  }
}
