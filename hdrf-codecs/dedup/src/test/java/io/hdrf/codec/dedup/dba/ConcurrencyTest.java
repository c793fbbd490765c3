/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.dba.DbaSettings.Control;
import io.hdrf.spi.io.LocalDurableFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queries while others insert, delete, maintain and flush. */
class ConcurrencyTest {

  private static final int PER_WRITER = 12_000;
  private static final int BATCH = 40;
  private static final int WRITERS = 2;

  @TempDir Path dir;

  @ParameterizedTest
  @EnumSource(Control.class)
  void whatWasInsertedIsAlwaysFound(Control control) throws Exception {
    DbaSettings settings =
        DbaSettings.builder()
            .capacity(150)
            .filters(24)
            .control(control)
            .memory(DbaSettings.UNLIMITED)
            .build();
    ToyIndex index = new ToyIndex();
    BloomFilterArray array =
        BloomFilterArray.open(dir, LocalDurableFiles.INSTANCE, settings, index);
    AtomicBoolean ended = new AtomicBoolean();
    ExecutorService threads = Executors.newCachedThreadPool();
    List<Future<?>> background = new ArrayList<>();
    background.add(
        threads.submit(
            () -> {
              while (!ended.get()) {
                array.maintain();
              }
              return null;
            }));
    background.add(
        threads.submit(
            () -> {
              while (!ended.get()) {
                array.flush();
                Thread.sleep(20);
              }
              return null;
            }));
    List<Future<?>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      long first = (long) i << 32;
      writers.add(threads.submit(() -> write(array, index, first)));
    }
    for (Future<?> writer : writers) {
      writer.get(5, TimeUnit.MINUTES);
    }
    ended.set(true);
    for (Future<?> thread : background) {
      thread.get(1, TimeUnit.MINUTES);
    }
    threads.shutdown();
    while (array.maintain()) {
      // What the thread did not get to on a busy machine.
    }
    DbaCounters counters = array.counters();
    assertThat(counters.tightened.sum() + counters.enlarged.sum()).isPositive();
    assertThat(counters.refreshed.sum()).isPositive();
    assertThat(counters.combined.sum()).isPositive();
    array.close();
  }

  /** Inserts, queries at once and later, deletes. */
  private static Void write(BloomFilterArray array, ToyIndex index, long first) {
    SplittableRandom random = new SplittableRandom(first);
    List<Long> mine = new ArrayList<>();
    int[] segments = new int[BATCH];
    byte[] bytes = new byte[BATCH * 32];
    Candidates candidates = new Candidates();
    for (long next = first; next < first + PER_WRITER; next += BATCH) {
      for (int i = 0; i < BATCH; i++) {
        ToyIndex.fingerprint(next + i, bytes, i);
      }
      try (Insertion insertion = array.insert(bytes, BATCH, segments)) {
        assertThat(insertion).isNotNull();
        query(array, candidates, bytes, segments);
        for (int i = 0; i < BATCH; i++) {
          index.put(next + i, segments[i]);
          mine.add(next + i);
        }
      }
      for (int i = 0; i < BATCH; i++) {
        long element = mine.get(random.nextInt(mine.size()));
        ToyIndex.fingerprint(element, bytes, i);
        segments[i] = index.segmentOf(element);
      }
      query(array, candidates, bytes, segments);
      for (int i = 0; i < BATCH / 3; i++) {
        int chosen = random.nextInt(Math.max(1, mine.size() / 2));
        long element = mine.set(chosen, mine.get(mine.size() - 1));
        mine.remove(mine.size() - 1);
        array.deleted(index.remove(element), 1);
      }
    }
    return null;
  }

  private static void query(
      BloomFilterArray array, Candidates candidates, byte[] bytes, int[] segments) {
    array.query(bytes, BATCH, candidates);
    for (int i = 0; i < BATCH; i++) {
      boolean found = false;
      for (int j = 0; j < candidates.size(i); j++) {
        found |= candidates.segment(i, j) == segments[i];
      }
      assertThat(found).isTrue();
    }
  }
}
