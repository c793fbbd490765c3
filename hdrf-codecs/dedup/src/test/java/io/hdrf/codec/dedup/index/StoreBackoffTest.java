/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.LogCapture;
import io.hdrf.spi.store.StoreFullException;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.log4j.Level;
import org.junit.jupiter.api.Test;

class StoreBackoffTest {

  private long now = Long.MAX_VALUE - 1;
  private final IndexCounters counters = new IndexCounters();
  private final StoreBackoff store = new StoreBackoff(Path.of("index"), counters, () -> now);

  @Test
  void theStoreIsLeftAloneForASecondAfterEachFailure() {
    assertThat(store.isDown()).isFalse();
    for (int i = 0; i < 3; i++) {
      store.failed(new IOException("gone"));
      assertThat(store.isDown()).isTrue();
      now += StoreBackoff.RETRY_NANOS - 1;
      assertThat(store.isDown()).isTrue();
      now++;
      assertThat(store.isDown()).isFalse();
    }
    assertThat(counters.asMap()).containsEntry("indexFailures", 3L);
  }

  @Test
  void anOutageIsReportedOnceUntilItEnds() {
    for (int i = 0; i < 2; i++) {
      try (LogCapture warnings = new LogCapture(Level.WARN)) {
        store.failed(new IOException("gone"));
        store.failed(new IOException("still"));
        assertThat(warnings.all()).contains("gone").doesNotContain("still");
      }
      store.recovered();
      assertThat(store.isDown()).isFalse();
    }
  }

  @Test
  void ofAFullStoreOnlyChangesAreLeftAlone() {
    for (int i = 0; i < 2; i++) {
      try (LogCapture warnings = new LogCapture(Level.WARN)) {
        store.failedToChange(new StoreFullException("no room"));
        assertThat(store.isFull()).isTrue();
        assertThat(store.isDown()).isFalse();
        assertThat(store.isResting()).isFalse();
        store.failedToChange(new StoreFullException("still"));
        assertThat(warnings.all()).contains("no room").doesNotContain("still");
      }
      now += StoreBackoff.RETRY_NANOS;
      assertThat(store.isFull()).isFalse();
      store.failedToChange(new StoreFullException("again"));
      store.recovered();
      assertThat(store.isFull()).isFalse();
    }
    store.failedToChange(new IOException("gone"));
    assertThat(store.isDown()).isTrue();
    assertThat(store.isFull()).isFalse();
    assertThat(counters.asMap()).containsEntry("indexFailures", 7L);
  }

  @Test
  void restsAfterASlowAnswerForFourTimesAsLong() {
    assertThat(store.isResting()).isFalse();
    store.answered(StoreBackoff.SLOW_NANOS - 1);
    assertThat(store.isResting()).isFalse();
    store.answered(StoreBackoff.SLOW_NANOS);
    assertThat(store.isResting()).isTrue();
    assertThat(store.isDown()).isFalse();
    assertThat(counters.asMap()).containsEntry("indexSlow", 1L);
    now += StoreBackoff.REST * StoreBackoff.SLOW_NANOS - 1;
    assertThat(store.isResting()).isTrue();
    now++;
    assertThat(store.isResting()).isFalse();
  }

  @Test
  void aFastAnswerEndsIt() {
    store.answered(10 * StoreBackoff.SLOW_NANOS);
    store.answered(StoreBackoff.SLOW_NANOS / 2);
    assertThat(store.isResting()).isFalse();
    assertThat(counters.asMap()).containsEntry("indexSlow", 1L);
  }
}
