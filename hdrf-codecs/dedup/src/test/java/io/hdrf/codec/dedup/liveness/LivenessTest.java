/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.liveness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.ChunkRef;
import io.hdrf.scheme.Pin;
import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LivenessTest {

  private final Liveness liveness = new Liveness();

  private static BitSet first(int count) {
    BitSet set = new BitSet();
    set.set(0, count);
    return set;
  }

  @Test
  void whatIsReferredToOrAcquiredLives() throws IOException {
    Liveness.Cycle cycle = liveness.begin();
    cycle.mark(7, 2, 3);
    assertThat(liveness.acquire(ChunkRef.pack(7, 8))).isTrue();
    BitSet condemned = cycle.condemn(7, first(10), first(10), true);
    assertThat(condemned.toString()).isEqualTo("{0, 1, 5, 6, 7, 9}");
    assertThat(liveness.acquire(ChunkRef.pack(7, 5))).isFalse();
    assertThat(liveness.acquire(ChunkRef.pack(7, 4))).isTrue();
    cycle.spare(7);
    assertThat(liveness.acquire(ChunkRef.pack(7, 5))).isTrue();
    liveness.end();
  }

  @Test
  void cycleWaitsForOlderPinsOnly() throws InterruptedException {
    Pin older = liveness.pin();
    liveness.begin();
    Pin younger = liveness.pin();
    assertThat(liveness.awaitOlderPins(20)).isFalse();
    older.close();
    older.close();
    assertThat(liveness.awaitOlderPins(20)).isTrue();
    younger.close();
    liveness.end();
    assertThat(liveness.awaitOlderPins(0)).isTrue();
  }

  @Test
  void nothingIsCondemnedWhereANeededChunkIsNotFound() throws IOException {
    Liveness.Cycle cycle = liveness.begin();
    cycle.mark(7, 5, 1);
    for (boolean whole : new boolean[] {true, false}) {
      assertThatThrownBy(() -> cycle.condemn(7, first(2), first(5), whole))
          .hasMessageStartingWith("1 chunks that blocks refer to");
      assertThat(liveness.acquire(ChunkRef.pack(7, 0))).isTrue();
    }
    liveness.end();
  }

  /** Only in one that is not whole it may have been there when it was found. */
  @Test
  void anAcquiredChunkThatIsNotFoundMayBeInADamagedContainer() throws IOException {
    Liveness.Cycle cycle = liveness.begin();
    assertThat(liveness.acquire(ChunkRef.pack(7, 8))).isTrue();
    assertThatThrownBy(() -> cycle.condemn(7, first(2), first(5), false))
        .hasMessageStartingWith("1 chunks that blocks refer to");
    assertThat(cycle.condemn(7, first(2), first(5), true)).isEqualTo(first(2));
    liveness.end();
  }

  @Test
  void whatWasNotFoundInADamagedContainerIsCondemnedWithIt() throws IOException {
    Liveness.Cycle cycle = liveness.begin();
    assertThat(cycle.condemn(7, first(2), first(5), false)).isEqualTo(first(2));
    assertThat(liveness.acquire(ChunkRef.pack(7, 1))).isFalse();
    assertThat(liveness.acquire(ChunkRef.pack(7, 4))).isTrue();
    assertThat(liveness.acquire(ChunkRef.pack(7, 5))).isFalse();
    cycle.spare(7);
    assertThat(liveness.acquire(ChunkRef.pack(7, 5))).isTrue();
    liveness.end();
  }

  /** Many look for chunks that were dropped long ago: none of these was lost. */
  @Test
  void onlyWhatBlocksReferToCanBeMissing() {
    Liveness.Cycle cycle = liveness.begin();
    cycle.mark(7, 2, 3);
    assertThat(liveness.acquire(ChunkRef.pack(7, 8))).isTrue();
    assertThat(liveness.acquire(ChunkRef.pack(7, 9))).isTrue();
    assertThat(cycle.missing(7, first(4)).toString()).isEqualTo("{4}");
    assertThat(cycle.dead(7, first(10)).toString()).isEqualTo("{0, 1, 5, 6, 7}");
    liveness.end();
  }

  @Test
  void allOlderPinsAreWaitedFor() throws InterruptedException {
    Pin first = liveness.pin();
    Pin second = liveness.pin();
    liveness.begin();
    first.close();
    assertThat(liveness.awaitOlderPins(0)).isFalse();
    second.close();
    assertThat(liveness.awaitOlderPins(0)).isTrue();
  }

  @Test
  @Timeout(30)
  void theLastOlderPinEndsTheWait() throws Exception {
    Pin older = liveness.pin();
    liveness.begin();
    FutureTask<Boolean> waiting = new FutureTask<>(() -> liveness.awaitOlderPins(3_600_000));
    Thread waiter = new Thread(waiting);
    waiter.start();
    while (waiter.getState() != Thread.State.TIMED_WAITING) {
      Thread.sleep(1);
    }
    older.close();
    assertThat(waiting.get()).isTrue();
  }

  @Test
  void thereIsOneCycleAtATime() throws IOException {
    Liveness.Cycle cycle = liveness.begin();
    cycle.condemn(7, first(1), first(1), true);
    assertThatThrownBy(liveness::begin).isInstanceOf(IllegalStateException.class);
    assertThat(liveness.acquire(ChunkRef.pack(7, 0))).isFalse();
    liveness.end();
    assertThat(liveness.acquire(ChunkRef.pack(7, 0))).isTrue();
    assertThat(liveness.begin().dead(7, first(1)).cardinality()).isEqualTo(1);
  }
}
