/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.store.StoreUnreachableException;
import org.junit.jupiter.api.Test;

class BackoffTest {

  private long now = Long.MAX_VALUE - 1000;
  private final Backoff backoff = new Backoff(() -> now);

  private void assertClosed() {
    assertThatThrownBy(backoff::enter)
        .isInstanceOf(StoreUnreachableException.class)
        .hasMessageStartingWith("broken");
  }

  @Test
  void oneCallTriesAfterAPauseThatGrows() throws Exception {
    backoff.failed(backoff.enter(), "broken");
    long pause = Backoff.FIRST_NANOS;
    for (int i = 0; i < 12; i++) {
      now += pause - 1;
      assertClosed();
      now++;
      long entered = backoff.enter();
      assertClosed();
      now += pause;
      assertClosed();
      backoff.failed(entered, "broken again");
      pause = Math.min(Backoff.LONGEST_NANOS, pause * 2);
    }
    assertThat(pause).isEqualTo(Backoff.LONGEST_NANOS);
    now += pause;
    backoff.enter();
    backoff.succeeded();
    backoff.enter();
    assertThatCode(backoff::enter).doesNotThrowAnyException();
    backoff.failed(now, "broken");
    now += Backoff.FIRST_NANOS;
    assertThatCode(backoff::enter).as("the pause is short again").doesNotThrowAnyException();
  }

  @Test
  void callsThatFailTogetherCountOnce() throws Exception {
    long first = backoff.enter();
    long second = backoff.enter();
    now++;
    assertThatCode(() -> backoff.recheck(second)).doesNotThrowAnyException();
    backoff.failed(first, "broken");
    assertThatThrownBy(() -> backoff.recheck(second)).isInstanceOf(StoreUnreachableException.class);
    backoff.abandoned(second);
    backoff.failed(second, "broken");
    now += Backoff.FIRST_NANOS;
    assertThatCode(backoff::enter).doesNotThrowAnyException();
  }

  @Test
  void anAttemptThatWasAbandonedLeavesTheNextOneFree() throws Exception {
    backoff.failed(backoff.enter(), "broken");
    now += Backoff.FIRST_NANOS;
    backoff.abandoned(backoff.enter());
    assertThatCode(backoff::enter).doesNotThrowAnyException();
    assertClosed();
  }
}
