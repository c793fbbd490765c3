/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.spi.scheme.Pin;
import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ChunkPinsTest {

  private final ChunkPins chunkPins = new ChunkPins();

  private static BitSet first(int count) {
    BitSet set = new BitSet();
    set.set(0, count);
    return set;
  }

  @Test
  void whatIsReferredToOrAcquiredLives() throws IOException {
    ChunkPins.Cycle cycle = chunkPins.begin(0, Long.MAX_VALUE);
    cycle.mark(7, 2, 3);
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 8))).isTrue();
    BitSet condemned = cycle.condemn(7, first(10), first(10), true);
    assertThat(condemned.toString()).isEqualTo("{0, 1, 5, 6, 7, 9}");
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 5))).isFalse();
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 4))).isTrue();
    cycle.spare(7);
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 5))).isTrue();
    chunkPins.end();
  }

  @Test
  void aCycleLeavesOtherContainersAlone() throws IOException {
    ChunkPins.Cycle cycle = chunkPins.begin(6, 8);
    cycle.mark(5, 0, 1);
    cycle.mark(7, 0, 1);
    cycle.mark(8, 0, 1);
    assertThat(cycle.referredTo(7)).isEqualTo(1);
    assertThat(cycle.condemn(6, first(1), first(1), true).cardinality()).isEqualTo(1);
    assertThat(chunkPins.acquire(ChunkRef.pack(6, 0))).isFalse();
    for (long other : new long[] {5, 8}) {
      assertThat(chunkPins.acquire(ChunkRef.pack(other, 0))).isTrue();
      assertThatThrownBy(() -> cycle.dead(other, first(1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    chunkPins.end();
  }

  @Test
  void cycleWaitsForOlderPinsOnly() throws InterruptedException {
    Pin older = chunkPins.pin();
    chunkPins.begin(0, Long.MAX_VALUE);
    Pin younger = chunkPins.pin();
    assertThat(chunkPins.awaitOlderPins(20)).isFalse();
    older.close();
    older.close();
    assertThat(chunkPins.awaitOlderPins(20)).isTrue();
    younger.close();
    chunkPins.end();
    assertThat(chunkPins.awaitOlderPins(0)).isTrue();
  }

  @Test
  void nothingIsCondemnedWhereANeededChunkIsNotFound() throws IOException {
    ChunkPins.Cycle cycle = chunkPins.begin(0, Long.MAX_VALUE);
    cycle.mark(7, 5, 1);
    for (boolean whole : new boolean[] {true, false}) {
      assertThatThrownBy(() -> cycle.condemn(7, first(2), first(5), whole))
          .hasMessageStartingWith("1 chunks that blocks refer to");
      assertThat(chunkPins.acquire(ChunkRef.pack(7, 0))).isTrue();
    }
    chunkPins.end();
  }

  /** Only in one that is not whole it may have been there when it was found. */
  @Test
  void anAcquiredChunkThatIsNotFoundMayBeInADamagedContainer() throws IOException {
    ChunkPins.Cycle cycle = chunkPins.begin(0, Long.MAX_VALUE);
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 8))).isTrue();
    assertThatThrownBy(() -> cycle.condemn(7, first(2), first(5), false))
        .hasMessageStartingWith("1 chunks that blocks refer to");
    assertThat(cycle.condemn(7, first(2), first(5), true)).isEqualTo(first(2));
    chunkPins.end();
  }

  @Test
  void whatWasNotFoundInADamagedContainerIsCondemnedWithIt() throws IOException {
    ChunkPins.Cycle cycle = chunkPins.begin(0, Long.MAX_VALUE);
    assertThat(cycle.condemn(7, first(2), first(5), false)).isEqualTo(first(2));
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 1))).isFalse();
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 4))).isTrue();
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 5))).isFalse();
    cycle.spare(7);
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 5))).isTrue();
    chunkPins.end();
  }

  /** Look-ups of chunks that were dropped long ago: none of these was lost. */
  @Test
  void onlyWhatBlocksReferToCanBeMissing() {
    ChunkPins.Cycle cycle = chunkPins.begin(0, Long.MAX_VALUE);
    cycle.mark(7, 2, 3);
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 8))).isTrue();
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 9))).isTrue();
    assertThat(cycle.missing(7, first(4)).toString()).isEqualTo("{4}");
    assertThat(cycle.dead(7, first(10)).toString()).isEqualTo("{0, 1, 5, 6, 7}");
    chunkPins.end();
  }

  @Test
  void allOlderPinsAreWaitedFor() throws InterruptedException {
    Pin first = chunkPins.pin();
    Pin second = chunkPins.pin();
    chunkPins.begin(0, Long.MAX_VALUE);
    first.close();
    assertThat(chunkPins.awaitOlderPins(0)).isFalse();
    second.close();
    assertThat(chunkPins.awaitOlderPins(0)).isTrue();
  }

  @Test
  @Timeout(30)
  void theLastOlderPinEndsTheWait() throws Exception {
    Pin older = chunkPins.pin();
    chunkPins.begin(0, Long.MAX_VALUE);
    FutureTask<Boolean> waiting = new FutureTask<>(() -> chunkPins.awaitOlderPins(3_600_000));
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
    ChunkPins.Cycle cycle = chunkPins.begin(0, Long.MAX_VALUE);
    cycle.condemn(7, first(1), first(1), true);
    assertThatThrownBy(() -> chunkPins.begin(0, 1)).isInstanceOf(IllegalStateException.class);
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 0))).isFalse();
    chunkPins.end();
    assertThat(chunkPins.acquire(ChunkRef.pack(7, 0))).isTrue();
    assertThat(chunkPins.begin(0, Long.MAX_VALUE).dead(7, first(1)).cardinality()).isEqualTo(1);
  }
}
