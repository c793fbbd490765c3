/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.GroundFingerprints;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.jni.NativeLibrary;
import io.hdrf.jni.NativeWords;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import io.hdrf.spi.scheme.TestSeed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecentPlacesTest {

  private static final int BATCH = RecentPlaces.MAX_COUNT;

  /** Chunks and the containers where they are. */
  private static final class Chunks {
    final byte[] fingerprints;
    final long[] refs;

    Chunks(long[] prefixes, Random random) {
      ByteBuffer buffer =
          ByteBuffer.allocate(prefixes.length * Fingerprinter.LENGTH)
              .order(ByteOrder.LITTLE_ENDIAN);
      refs = new long[prefixes.length];
      for (int i = 0; i < prefixes.length; i++) {
        buffer.putLong(i * Fingerprinter.LENGTH, prefixes[i]);
        refs[i] = ChunkRef.pack(random.nextLong() >>> 24, random.nextInt(ChunkRef.MAX_NUMBER));
      }
      fingerprints = buffer.array();
    }

    static Chunks random(int count, Random random) {
      return new Chunks(random.longs(count).toArray(), random);
    }

    void put(RecentPlaces places) {
      put(places, 0, refs.length);
    }

    void put(RecentPlaces places, int from, int to) {
      for (int i = from; i < to; i += BATCH) {
        places.put(fingerprints, refs, i, Math.min(to - i, BATCH));
      }
    }

    /** How many are found where they are. */
    int found(RecentPlaces places, int from, int to) {
      int found = 0;
      long[] containers = new long[BATCH];
      for (int i = from; i < to; i += BATCH) {
        int count = Math.min(to - i, BATCH);
        places.find(
            Arrays.copyOfRange(
                fingerprints, i * Fingerprinter.LENGTH, (i + count) * Fingerprinter.LENGTH),
            count,
            containers);
        for (int j = 0; j < count; j++) {
          found += containers[j] == ChunkRef.container(refs[i + j]) ? 1 : 0;
        }
      }
      return found;
    }

    int found(RecentPlaces places) {
      return found(places, 0, refs.length);
    }
  }

  private final Random random = TestSeed.random("recent places");

  @Test
  void keepsWhatWasUsedLately() {
    RecentPlaces places = new RecentPlaces(1 << 20);
    Chunks wanted = Chunks.random(20, random);
    wanted.put(places);
    for (int i = 0; i < 500; i++) {
      Chunks.random(BATCH, random).put(places);
      assertThat(wanted.found(places)).isGreaterThanOrEqualTo(19);
    }
    assertThat(places.memory()).isEqualTo(1 << 20);
    for (int i = 0; i < 1000; i++) {
      Chunks.random(BATCH, random).put(places);
    }
    assertThat(wanted.found(places)).isZero();
  }

  @Test
  void lastValueCounts() {
    RecentPlaces places = new RecentPlaces(0);
    Chunks chunks = new Chunks(new long[] {0, 0, 5, -1}, random);
    places.put(chunks.fingerprints, chunks.refs, 0, 3);
    assertThat(chunks.found(places, 1, 3)).isEqualTo(2);
    assertThat(chunks.found(places, 0, 1)).isZero();
    long[] containers = {7};
    places.find(new byte[Fingerprinter.LENGTH], 1, containers);
    assertThat(containers).containsExactly(ChunkRef.container(chunks.refs[1]));
    places.put(chunks.fingerprints, chunks.refs, new int[] {3, 0}, 2);
    assertThat(chunks.found(places, 0, 1)).isEqualTo(1);
    assertThat(chunks.found(places, 3, 4)).isEqualTo(1);
    places.put(chunks.fingerprints, chunks.refs, 0, 0);
    places.find(chunks.fingerprints, 0, containers);
  }

  /** Writers of data may choose fingerprints like this. */
  @ParameterizedTest
  @ValueSource(ints = {0, 16, 32, 40})
  void chunksGroundToMeetAreSpreadAllTheSame(int lowest) {
    Chunks chunks = new Chunks(GroundFingerprints.prefixes(random, 20_000, lowest), random);
    RecentPlaces places = new RecentPlaces(1 << 20);
    // Some are lost while it grows.
    for (int i = 0; i < 3; i++) {
      chunks.put(places);
    }
    // In few buckets, or with few tags, the youngest alone would have stayed.
    assertThat(chunks.found(places)).isGreaterThan(19_900);
  }

  /** While it grows it has what was put since it was half as large, and most of the rest. */
  @Test
  void growsAndThenForgetsTheOldest() {
    int most = 1 << 20;
    int slots = most / 8;
    RecentPlaces places = new RecentPlaces(most);
    Chunks chunks = Chunks.random(5 * slots, random);
    long before = 0;
    for (int put = BATCH; put <= slots / 2; put += BATCH) {
      chunks.put(places, put - BATCH, put);
      assertThat(places.memory())
          .isBetween(Math.max(before, 64 << 10), Math.max(65536L, 32L * put));
      before = places.memory();
      int young = Math.min(put, 4 * BATCH);
      assertThat(chunks.found(places, put - young, put)).isGreaterThanOrEqualTo(young * 99 / 100);
    }
    assertThat(chunks.found(places, 0, slots / 2)).isGreaterThan(slots / 2 * 7 / 10);
    chunks.put(places, slots / 2, chunks.refs.length);
    assertThat(places.memory()).isEqualTo(most);
    int end = chunks.refs.length;
    assertThat(chunks.found(places, end - slots / 2, end)).isGreaterThan(slots / 2 * 9 / 10);
    assertThat(chunks.found(places)).isBetween(slots * 95 / 100, slots + 8);
  }

  /** It takes what it needs, gives back what others need more, and works with nothing at all. */
  @Test
  void takesMemoryAsItIsFilled() {
    MemoryBudget budget = new MemoryBudget(300_000);
    RecentPlaces places = new RecentPlaces(1 << 20, budget);
    assertThat(places.memory()).isZero();
    Chunks chunks = Chunks.random(20 * BATCH, random);
    for (int i = 0; i < chunks.refs.length; i += BATCH) {
      chunks.put(places, i, i + BATCH);
      assertThat(budget.used()).isEqualTo(places.memory()).isLessThanOrEqualTo(300_000);
      assertThat(chunks.found(places, i, i + BATCH)).isGreaterThanOrEqualTo(BATCH - 1);
    }
    assertThat(places.memory()).isBetween(128L << 10, 300_000L);
    MemoryShare other = budget.open("Others", MemoryShare.Kind.LASTING, 0, 1 << 20, null);
    assertThat(other.reserve(120_000)).isTrue();
    assertThat(places.memory()).isBetween(64L << 10, 180_000L);
    assertThat(chunks.found(places, 15 * BATCH, 20 * BATCH)).as("the younger").isPositive();
    for (int i = 0; i < chunks.refs.length; i += BATCH) {
      chunks.put(places, i, i + BATCH);
      assertThat(chunks.found(places, i, i + BATCH)).isGreaterThan(BATCH * 99 / 100);
      assertThat(budget.used()).isEqualTo(places.memory() + 120_000);
    }
    places.close();
    chunks.put(places);
    assertThat(chunks.found(places)).isZero();
    assertThat(places.memory()).isZero();
    assertThat(budget.used()).isEqualTo(120_000);
  }

  /** What other tests left behind is freed when it is garbage: then the next attempt counts. */
  @Test
  void memoryIsGivenBack() {
    long wrong = 1;
    for (int i = 0; i < 5 && wrong != 0; i++) {
      System.gc();
      long before = NativeWords.allocatedBytes();
      RecentPlaces places = new RecentPlaces(4 << 20);
      Chunks.random(600_000, random).put(places);
      long mapped = NativeLibrary.isLoaded() ? places.memory() : 0;
      assertThat(places.memory()).isEqualTo(4 << 20);
      wrong = NativeWords.allocatedBytes() - before - mapped;
      places.close();
      places.close();
      wrong = wrong == 0 ? NativeWords.allocatedBytes() - before : wrong;
    }
    assertThat(wrong).isZero();
  }

  /** Other threads put and look up, and memory is taken away meanwhile. */
  @Test
  void manyThreadsShareIt() throws Exception {
    MemoryBudget budget = new MemoryBudget(600_000);
    RecentPlaces places = new RecentPlaces(1 << 20, budget);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        Chunks chunks = Chunks.random(30_000, random);
        running.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 30_000; i += BATCH) {
                    int to = Math.min(30_000, i + BATCH);
                    chunks.put(places, i, to);
                    chunks.found(places, Math.max(0, i - 3 * BATCH), to);
                  }
                }));
      }
      MemoryShare other = budget.open("Others", MemoryShare.Kind.LASTING, 0, 1 << 20, null);
      for (int i = 0; i < 200; i++) {
        if (other.reserve(200_000)) {
          other.release(200_000);
        }
        budget.balance();
        assertThat(budget.used()).isLessThanOrEqualTo(600_000);
      }
      for (Future<?> each : running) {
        each.get();
      }
      Chunks last = Chunks.random(BATCH, random);
      last.put(places);
      assertThat(last.found(places)).isGreaterThanOrEqualTo(BATCH - 1);
      places.close();
      assertThat(budget.used()).isZero();
    } finally {
      threads.shutdownNow();
    }
  }
}
