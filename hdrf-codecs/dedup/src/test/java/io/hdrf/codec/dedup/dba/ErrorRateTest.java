/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.dba.DbaSettings.Control;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The measured rate against the requested one, while the array grows. */
class ErrorRateTest {

  private static final double RATE = 1.0 / 256;
  private static final int SAMPLES = 100_000;

  /** One-sided 99.9 % of the normal distribution. */
  private static final double Z = 3.0902;

  @TempDir Path dir;

  /** The lower bound of Wilson's interval. */
  static double lowerBound(int positives, int samples) {
    double p = (double) positives / samples;
    double z2 = Z * Z / samples;
    double middle = p + z2 / 2;
    double half = Z * Math.sqrt(p * (1 - p) / samples + z2 / samples / 4);
    return Math.max(0, (middle - half) / (1 + z2));
  }

  private static DbaSettings.Builder settings() {
    return DbaSettings.builder()
        .capacity(1000)
        .filters(16)
        .group(8)
        .errorRate(RATE)
        .memory(DbaSettings.UNLIMITED);
  }

  @ParameterizedTest
  @EnumSource(Control.class)
  void isHeldFarBeyondThePlan(Control control) throws IOException {
    try (ArrayUser user = ArrayUser.open(dir, settings().control(control).build())) {
      for (int part = 0; part < 12; part++) {
        for (int i = 0; i < 16; i++) {
          user.add(500);
          user.maintainAll();
        }
        int positives = user.falsePositives(SAMPLES);
        assertThat(lowerBound(positives, SAMPLES)).isLessThanOrEqualTo(RATE);
        assertThat(user.array().errorRate()).isLessThanOrEqualTo(RATE);
      }
      assertThat(user.counters().exceeded.sum()).isZero();
      user.checkAll("grown");
    }
  }

  /** Otherwise the test above could not fail. */
  @Test
  void isExceededWithoutControl() throws IOException {
    try (ArrayUser user = ArrayUser.open(dir, settings().build())) {
      user.add(96_000);
      int positives = user.falsePositives(SAMPLES);
      assertThat(lowerBound(positives, SAMPLES)).isGreaterThan(2 * RATE);
    }
  }

  /** With k rounded up, r full filters may only be better than requested. */
  @Test
  void isReachedByFullFilters() throws IOException {
    try (ArrayUser user = ArrayUser.open(dir, settings().build())) {
      user.add(16_000);
      int positives = user.falsePositives(4 * SAMPLES);
      double share = positives / (4.0 * SAMPLES);
      assertThat(share).isBetween(0.85 * user.array().errorRate(), 1.15 * user.array().errorRate());
    }
  }

  @Test
  void numbersOfTheDefinitions() {
    ErrorBudget budget = new ErrorBudget(DbaSettings.builder().build());
    assertThat(budget.shape(0).hashes()).isEqualTo(20);
    assertThat(budget.shape(0).rowLength()).isEqualTo(756_388);
    assertThat(budget.shape(1).hashes()).isEqualTo(22);
  }
}
