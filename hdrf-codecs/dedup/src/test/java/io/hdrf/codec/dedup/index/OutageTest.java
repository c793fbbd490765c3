/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.LoggedWarnings;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class OutageTest {

  private long now = Long.MAX_VALUE - 1;
  private final IndexCounters counters = new IndexCounters();
  private final Outage outage = new Outage(Path.of("index"), counters, () -> now);

  @Test
  void theStoreIsLeftAloneForASecondAfterEachFailure() {
    assertThat(outage.isOn()).isFalse();
    for (int i = 0; i < 3; i++) {
      outage.begin(new IOException("gone"));
      assertThat(outage.isOn()).isTrue();
      now += Outage.RETRY_NANOS - 1;
      assertThat(outage.isOn()).isTrue();
      now++;
      assertThat(outage.isOn()).isFalse();
    }
    assertThat(counters.asMap()).containsEntry("indexFailures", 3L);
  }

  @Test
  void anOutageIsReportedOnceUntilItEnds() {
    for (int i = 0; i < 2; i++) {
      try (LoggedWarnings warnings = new LoggedWarnings()) {
        outage.begin(new IOException("gone"));
        outage.begin(new IOException("still"));
        assertThat(warnings.all()).contains("gone").doesNotContain("still");
      }
      outage.end();
      assertThat(outage.isOn()).isFalse();
    }
  }
}
