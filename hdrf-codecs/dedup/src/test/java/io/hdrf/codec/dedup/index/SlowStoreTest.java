/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SlowStoreTest {

  private long now = Long.MAX_VALUE - 1;
  private final IndexCounters counters = new IndexCounters();
  private final SlowStore store = new SlowStore(Path.of("index"), counters, () -> now);

  @Test
  void restsAfterASlowAnswerForFourTimesAsLong() {
    assertThat(store.isResting()).isFalse();
    store.answered(SlowStore.SLOW_NANOS - 1);
    assertThat(store.isResting()).isFalse();
    store.answered(SlowStore.SLOW_NANOS);
    assertThat(store.isResting()).isTrue();
    assertThat(counters.asMap()).containsEntry("indexSlow", 1L);
    now += SlowStore.REST * SlowStore.SLOW_NANOS - 1;
    assertThat(store.isResting()).isTrue();
    now++;
    assertThat(store.isResting()).isFalse();
  }

  @Test
  void aFastAnswerEndsIt() {
    store.answered(10 * SlowStore.SLOW_NANOS);
    store.answered(SlowStore.SLOW_NANOS / 2);
    assertThat(store.isResting()).isFalse();
    assertThat(counters.asMap()).containsEntry("indexSlow", 1L);
  }
}
