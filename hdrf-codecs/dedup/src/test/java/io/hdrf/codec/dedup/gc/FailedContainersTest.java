/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.LogCapture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.log4j.Level;
import org.junit.jupiter.api.Test;

class FailedContainersTest {

  private final FailedContainers failed = new FailedContainers();

  private void fail(long container) {
    failed.add(container, Path.of(container + ".hdc"), new IOException("damaged"));
  }

  /** The cycles in which a container is tried that always fails. */
  private List<Integer> triedUntil(int last) {
    List<Integer> tried = new ArrayList<>();
    for (int cycle = 1; cycle <= last; cycle++) {
      failed.beginCycle();
      if (!failed.isPutOff(5)) {
        tried.add(cycle);
        fail(5);
        assertThat(failed.isPutOff(5)).isTrue();
      }
      failed.endCycle();
    }
    return tried;
  }

  @Test
  void triesAgainEverLessOften() {
    assertThat(triedUntil(70)).containsExactly(1, 2, 4, 8, 16, 32, 48, 64);
    assertThat(failed.isPutOff(6)).isFalse();
  }

  @Test
  void whatIsSoundAgainBeginsAnew() {
    triedUntil(6);
    // Not in the seventh, and sound in the eighth.
    failed.beginCycle();
    assertThat(failed.isPutOff(5)).isTrue();
    failed.endCycle();
    failed.beginCycle();
    assertThat(failed.isPutOff(5)).isFalse();
    failed.endCycle();
    assertThat(triedUntil(4)).containsExactly(1, 2, 4);
  }

  @Test
  void allAreTriedAgainOnDemand() {
    triedUntil(5);
    assertThat(failed.isPutOff(5)).isTrue();
    failed.clear();
    assertThat(failed.isPutOff(5)).isFalse();
    assertThat(triedUntil(4)).containsExactly(1, 2, 4);
  }

  /** A disk that fails has thousands of containers. */
  @Test
  void namesTenAndCountsTheRest() {
    for (int round = 0; round < 2; round++) {
      for (int count : new int[] {10, 13}) {
        String logged;
        try (LogCapture warnings = new LogCapture(Level.WARN)) {
          failed.clear();
          failed.beginCycle();
          for (long container = 0; container < count; container++) {
            fail(container);
          }
          failed.endCycle();
          logged = warnings.all();
        }
        assertThat(logged).contains("9.hdc can't be collected", "the next cycle");
        assertThat(logged).doesNotContain("10.hdc");
        assertThat(logged.contains("more containers")).isEqualTo(count > 10);
        assertThat(logged.contains("3 more containers can't be collected")).isEqualTo(count > 10);
      }
    }
  }

  @Test
  void saysInHowManyCyclesItTriesAgain() {
    try (LogCapture warnings = new LogCapture(Level.WARN)) {
      triedUntil(2);
      assertThat(warnings.all()).contains("in the next cycle.", "in 2 cycles.");
    }
  }
}
