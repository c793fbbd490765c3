/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.TaskProgress;
import io.hdrf.spi.TaskProgress.Unit;
import org.junit.jupiter.api.Test;

class PaceTest {

  @Test
  void sharesAndRates() {
    assertThat(Pace.share(Unit.BYTES, 3 << 19, 4 << 20)).isEqualTo("1.5 MiB of 4.0 MiB");
    assertThat(Pace.share(Unit.COUNT, 7, 0)).isEqualTo("7");
    assertThat(Pace.rate(Unit.BYTES, 50L << 20, 10_000)).isEqualTo(", 5.0 MiB/s");
    assertThat(Pace.rate(Unit.COUNT, 5_120, 10_000)).isEqualTo(", 512/s");
    assertThat(Pace.rate(Unit.COUNT, 4, 10_000)).isEqualTo(", 0.4/s");
  }

  @Test
  void timesLeft() {
    assertThat(Pace.timeLeft(1, 10_000, 5)).isEqualTo(", 50 s left");
    assertThat(Pace.timeLeft(1, 10_000, 13)).isEqualTo(", 2:10 min left");
    assertThat(Pace.timeLeft(1, 10_000, 1_224)).isEqualTo(", 3:24 h left");
    assertThat(Pace.timeLeft(1, 10_000, 30_000)).isEqualTo(", 3 days left");
    // More than a long holds, were it multiplied as one.
    assertThat(Pace.timeLeft(1L << 40, 4_000, 1L << 61)).isEqualTo(", 97 days left");
  }

  @Test
  void nothingIsEstimatedWithoutABasis() {
    assertThat(Pace.rate(Unit.BYTES, 1 << 20, 2_999)).isEmpty();
    assertThat(Pace.rate(Unit.BYTES, 0, 60_000)).isEmpty();
    assertThat(Pace.timeLeft(0, 60_000, 5)).isEmpty();
    assertThat(Pace.timeLeft(5, 60_000, 0)).isEmpty();
    assertThat(Pace.timeLeft(5, 60_000, -1)).isEmpty();
  }

  @Test
  void progressTravelsAsALine() {
    TaskProgress sent = new TaskProgress("rewriting", 1 << 20, 4 << 20, Unit.BYTES);
    assertThat(Pace.words(TaskProgress.decode(sent.encode())))
        .isEqualTo("rewriting: 1.0 MiB of 4.0 MiB");
    assertThat(Pace.words(new TaskProgress("", 3, 5, Unit.COUNT))).isEqualTo("3 of 5");
    for (String line : new String[] {"", "a line for people", "with\ttabs\tin\tit"}) {
      assertThat(Pace.words(TaskProgress.decode(line))).isEqualTo(line);
    }
  }
}
