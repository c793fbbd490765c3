/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ReferenceReportTest {

  private static ReferenceReport report(String... lines) throws IOException {
    return new ReferenceReport(lines);
  }

  @Test
  void whatOneSchemeMissesIsNotHiddenByAnother() throws IOException {
    assertThat(report("references\t5", "missing\t0").isClean()).isTrue();
    assertThat(report("missing\t0", "blk_1 needs a chunk", "missing\t1").isClean()).isFalse();
    assertThat(report("missing\t10", "missing\t0").isClean()).isFalse();
  }

  @Test
  void aSchemeMayCountNothing() throws IOException {
    assertThat(report().isClean()).isTrue();
    assertThat(report().references()).isZero();
  }

  @Test
  void referencesOfAllSchemesAreAdded() throws IOException {
    assertThat(report("blocks\t7", "references\t5", "references\t3", "missing\t0").references())
        .isEqualTo(8);
  }
}
