/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.Chunks;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.delta.FeatureBatch;
import io.hdrf.codec.dedup.delta.RecentBases;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OlderBasesTest {

  private static final int LENGTH = 5000;

  @TempDir Path directory;

  private final Random random = TestSeed.random("older bases");
  private final List<Long> refs = new ArrayList<>();
  private final List<byte[]> chunks = new ArrayList<>();
  private ContainerStore store;

  @BeforeEach
  void open() throws IOException {
    store =
        Chunks.open(
            directory, LocalDurableFiles.INSTANCE, Chunks.settings().containerSize(1 << 20));
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private void fill(int count) throws IOException {
    try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      for (int i = 0; i < count; i++) {
        byte[] chunk = new byte[LENGTH];
        random.nextBytes(chunk);
        chunks.add(chunk);
        refs.add(Chunks.append(appender, chunk));
      }
      appender.force();
    }
  }

  private static RecentBases table(int chunks) {
    return new RecentBases(chunks * 3L * 16, MemoryBudget.unlimited());
  }

  private static long[] superFeatures(RecentBases table, byte[] chunk) {
    FeatureBatch batch = new FeatureBatch(table);
    ByteBuffer data = Chunks.direct(chunk);
    batch.take(data, new int[1], new int[] {LENGTH}, 1);
    long[] superFeatures = new long[FeatureBatch.SUPER_FEATURES];
    batch.superFeatures(0, superFeatures, 0);
    return superFeatures;
  }

  /** The numbers of the chunks that a table knows by all three of their super-features. */
  private List<Integer> known(RecentBases table) {
    List<Integer> known = new ArrayList<>();
    for (int i = 0; i < chunks.size(); i++) {
      long[] found = new long[FeatureBatch.SUPER_FEATURES];
      table.find(superFeatures(table, chunks.get(i)), found.length, found);
      long ref = refs.get(i);
      if (Arrays.stream(found).allMatch(base -> base == ref)) {
        known.add(i);
      }
    }
    return known;
  }

  private static void finish(OlderBases older) {
    for (int steps = 0; !older.isDone(); steps++) {
      assertThat(steps).isLessThan(30);
      older.step();
    }
  }

  @Test
  void theNewestAreKnownFirst() throws IOException {
    fill(2500);
    try (RecentBases table = table(1 << 14)) {
      OlderBases older = new OlderBases(store, table);
      older.step();
      List<Integer> first = known(table);
      assertThat(first.size() * LENGTH).isBetween(1 << 20, OlderBases.STEP_BYTES);
      long oldest = first.stream().mapToLong(i -> ChunkRef.container(refs.get(i))).min().orElse(0);
      assertThat(oldest).isPositive();
      for (int i = 0; i < refs.size(); i++) {
        if (ChunkRef.container(refs.get(i)) > oldest) {
          assertThat(first).contains(i);
        }
      }
      assertThat(older.isDone()).isFalse();
      finish(older);
      assertThat(known(table)).hasSizeGreaterThan(2400);
    }
  }

  @Test
  void whatIsNewStays() throws IOException {
    fill(20);
    try (RecentBases table = table(1 << 10)) {
      long[] superFeatures = superFeatures(table, chunks.get(7));
      long[] later = new long[superFeatures.length];
      Arrays.fill(later, ChunkRef.pack(99, 1));
      table.add(superFeatures, later.length, later);
      OlderBases older = new OlderBases(store, table);
      finish(older);
      assertThat(known(table)).hasSize(19).doesNotContain(7);
    }
    try (RecentBases table = table(4)) {
      for (byte[] chunk : chunks) {
        long[] later = new long[FeatureBatch.SUPER_FEATURES];
        Arrays.fill(later, ChunkRef.pack(99, 1));
        table.add(superFeatures(table, chunk), later.length, later);
      }
      OlderBases older = new OlderBases(store, table);
      older.step();
      assertThat(known(table)).as("in a full table").isEmpty();
    }
  }

  @Test
  void noMoreIsReadThanTheTableCanHave() throws IOException {
    fill(2500);
    try (RecentBases table = table(512)) {
      finish(new OlderBases(store, table));
      long oldest =
          known(table).stream().mapToLong(i -> ChunkRef.container(refs.get(i))).min().orElse(0);
      assertThat(oldest).isGreaterThan(ChunkRef.container(refs.get(refs.size() / 2)));
    }
  }

  /** Half of it, or a quarter, is better than none. */
  @Test
  void aTableTakesWhatMemoryThereIs() throws IOException {
    fill(2500);
    MemoryBudget budget = new MemoryBudget(1 << 20);
    int most = (1 << 20) / 16 / 3;
    try (MemoryShare other = budget.open("Others", MemoryShare.Kind.LASTING, 0, 1 << 20, null);
        RecentBases table = new RecentBases(1 << 20, budget)) {
      assertThat(table.chunks()).isEqualTo(most);
      assertThat(other.reserve(950_000)).isTrue();
      finish(new OlderBases(store, table));
      assertThat(budget.used()).isEqualTo(950_000 + (64 << 10));
      assertThat(table.chunks()).isEqualTo(most / 16);
      assertThat(known(table)).hasSizeBetween(200, 2300);
    }
    assertThat(budget.used()).isZero();
  }

  /** What others have beyond their part they give up, before a table is made that stays small. */
  @Test
  void aTableTakesItsPart() {
    MemoryBudget budget = new MemoryBudget(1 << 20);
    MemoryShare[] other = new MemoryShare[1];
    other[0] =
        budget.open("Others", MemoryShare.Kind.CACHE, 0, 1 << 20, bytes -> other[0].release(bytes));
    assertThat(other[0].reserve(1 << 20)).isTrue();
    try (RecentBases table = new RecentBases(1 << 20, budget)) {
      table.add(new long[] {5}, 1, new long[] {7});
      assertThat(table.chunks()).isEqualTo((1 << 19) / 16 / 3);
      assertThat(budget.used()).isEqualTo(1 << 20);
      long[] found = new long[1];
      table.find(new long[] {5}, 1, found);
      assertThat(found).containsExactly(7);
    }
    assertThat(budget.used()).isEqualTo(1 << 19);
  }

  @Test
  void whatCannotBeReadIsLeftOut() throws IOException {
    fill(500);
    Path file = store.file(ChunkRef.container(refs.get(250)));
    store.sealIdle(store.last());
    Files.write(file, new byte[1000]);
    try (RecentBases table = table(1 << 12)) {
      finish(new OlderBases(store, table));
      assertThat(known(table)).hasSizeBetween(200, 499).doesNotContain(250);
    }
    assertThat(store.check(ChunkRef.container(refs.get(0)), Throttle.NONE).isSound()).isTrue();
  }
}
