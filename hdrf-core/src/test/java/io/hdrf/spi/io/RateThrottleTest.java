/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.SleptClock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RateThrottleTest {

  private final SleptClock clock = new SleptClock();
  private final RateThrottle throttle = new RateThrottle(clock);

  private void take(long bytes) {
    assertThat(throttle.take(bytes, () -> false)).isTrue();
  }

  @Test
  void whoTookSomeMakesTheNextOneWait() {
    throttle.setRate(1000);
    take(5000);
    assertThat(clock.seconds()).as("the first one waits for nobody").isZero();
    take(1);
    assertThat(clock.seconds()).isEqualTo(5);
    take(2000);
    take(0);
    assertThat(clock.seconds()).isEqualTo(7.001);
  }

  @Test
  void idleTimeIsNotMadeUpFor() {
    throttle.setRate(1000);
    clock.sleep(TimeUnit.HOURS.toNanos(1));
    take(1000);
    take(1000);
    take(1000);
    assertThat(clock.seconds()).isEqualTo(3602);
  }

  @Test
  void anyNumberForRateZero() {
    take(Long.MAX_VALUE);
    take(Long.MAX_VALUE);
    assertThat(clock.seconds()).isZero();
  }

  @Test
  void aNewRateHoldsForWhoWaits() {
    throttle.setRate(1);
    take(1L << 40);
    clock.whenSlept(() -> throttle.setRate(1000));
    take(2000);
    assertThat(clock.seconds()).isEqualTo(0.1);
    take(1);
    assertThat(clock.seconds()).isEqualTo(2.1);
  }

  @Test
  void whoIsStoppedTakesNothing() {
    throttle.setRate(1000);
    take(1000);
    boolean[] stopped = new boolean[1];
    clock.whenSlept(() -> stopped[0] = true);
    assertThat(throttle.take(1_000_000, () -> stopped[0])).isFalse();
    take(1);
    assertThat(clock.seconds()).isEqualTo(1);
  }

  @Test
  void whoIsInterruptedTakesNothing() {
    RateThrottle real = new RateThrottle(RateThrottle.SYSTEM);
    real.setRate(1);
    assertThat(real.take(1_000_000, () -> false)).isTrue();
    Thread.currentThread().interrupt();
    assertThat(real.take(1, () -> false)).isFalse();
    assertThat(Thread.interrupted()).as("the thread is still interrupted").isTrue();
  }

  @Test
  void veryLongTimesDoNotOverflow() {
    throttle.setRate(1);
    take(Long.MAX_VALUE);
    boolean[] stopped = new boolean[1];
    clock.whenSlept(() -> stopped[0] = true);
    assertThat(throttle.take(1, () -> stopped[0])).isFalse();
  }
}
