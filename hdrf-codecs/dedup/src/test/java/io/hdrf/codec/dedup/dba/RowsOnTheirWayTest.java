/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Memory of filters that were given up comes back late, as a unit of background work is slow. */
@Timeout(60)
class RowsOnTheirWayTest {

  private static final int ROOM = 64;

  @TempDir Path dir;

  private final DbaSettings settings =
      DbaSettings.builder()
          .capacity(100)
          .filters(1000)
          .group(DbaSettings.AUTO)
          .errorRate(0.001)
          .memory(1 << 20)
          .build();
  private final long filter = new ErrorBudget(settings).shape(0).groupBytes(1);
  private final MemoryBudget budget = new MemoryBudget(ROOM * filter);
  private final ToyIndex index = new ToyIndex();
  private final CountDownLatch scanning = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private BloomFilterArray array;
  private long next;

  /** A store that takes its time. */
  private final class SlowIndex implements SegmentSource {

    @Override
    public Collection<Integer> segments() throws IOException {
      return index.segments();
    }

    @Override
    public long generation(int segment) throws IOException {
      return index.generation(segment);
    }

    @Override
    public void scan(int segment, FingerprintVisitor visitor) throws IOException {
      scanning.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      index.scan(segment, visitor);
    }
  }

  @BeforeEach
  void open() throws IOException {
    array =
        BloomFilterArray.open(
            dir.resolve("slow"), LocalDurableFiles.INSTANCE, settings, new SlowIndex(), budget);
  }

  @AfterEach
  void close() throws IOException {
    goOn.countDown();
    threads.shutdown();
    array.close();
    assertThat(budget.used()).isZero();
  }

  private int add(int count) {
    byte[] bytes = new byte[count * 32];
    for (int i = 0; i < count; i++) {
      ToyIndex.fingerprint(next + i, bytes, i);
    }
    int[] segments = new int[count];
    int indexed = 0;
    try (Insertion insertion = array.insert(bytes, count, segments)) {
      for (int i = 0; i < count; i++) {
        if (segments[i] != BloomFilterArray.NO_SEGMENT) {
          index.put(next + i, segments[i]);
          indexed++;
        }
      }
    }
    next += count;
    return indexed;
  }

  /** Lets a refresh begin, of a filter in the middle, which lasts until {@link #goOn}. */
  private Future<Boolean> beginRefresh(int filters) throws Exception {
    while (array.filters() < filters) {
      add(100);
      while (array.maintain()) {
        // Until there is nothing to do.
      }
    }
    int segment = -1;
    for (long element = next - 1000; element < next - 900; element++) {
      segment = index.remove(element);
      array.deleted(segment, 1);
    }
    Future<Boolean> refresh = threads.submit(array::maintain);
    scanning.await();
    return refresh;
  }

  @Test
  void insertionsGiveUpNoMoreThanTheyNeed() throws Exception {
    Future<Boolean> refresh = beginRefresh(ROOM - 4);
    for (int i = 0; i < 2000; i++) {
      add(10);
    }
    int after = array.filters();
    goOn.countDown();
    refresh.get();
    assertThat(after).isGreaterThan(ROOM / 2);
    assertThat(add(100)).isEqualTo(100);
  }

  @Test
  void othersGetNoMoreThanTheyNeed() throws Exception {
    Future<Boolean> refresh = beginRefresh(ROOM - 4);
    int after;
    try (ArrayUser second =
        ArrayUser.open(
            dir.resolve("2"), LocalDurableFiles.INSTANCE, settings, new ToyIndex(), budget)) {
      for (int i = 0; i < 100; i++) {
        second.add(10);
        second.maintainAll();
        budget.balance();
        assertThat(budget.used()).isLessThanOrEqualTo(ROOM * filter);
      }
      after = array.filters();
      goOn.countDown();
      refresh.get();
      assertThat(after).isGreaterThan(ROOM / 4);
    }
  }
}
