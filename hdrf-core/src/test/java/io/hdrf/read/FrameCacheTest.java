/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FrameCacheTest {

  private final BufferPool buffers = new BufferPool(1 << 20);

  private FrameCache cache(long capacity) {
    return new FrameCache(capacity, buffers);
  }

  private static ByteBuffer key(int frame) {
    return FrameCache.key(0, 7, 1_073_741_825L, frame, 0xCAFE);
  }

  @Test
  void aFrameIsFoundByAllPartsOfItsKeyOnly() {
    FrameCache cache = cache(1000);
    byte[] frame = TestData.RANDOM.bytes(100, TestSeed.random("frame"));
    cache.put(FrameCache.key(6, 7, 8, 9, 10), frame);
    assertThat(cache.get(FrameCache.key(6, 7, 8, 9, 10)).bytes()).isEqualTo(ByteBuffer.wrap(frame));
    assertThat(cache.get(FrameCache.key(1, 7, 8, 9, 10))).isNull();
    assertThat(cache.get(FrameCache.key(6, 1, 8, 9, 10))).isNull();
    assertThat(cache.get(FrameCache.key(6, 7, 1, 9, 10))).isNull();
    assertThat(cache.get(FrameCache.key(6, 7, 8, 1, 10))).isNull();
    assertThat(cache.get(FrameCache.key(6, 7, 8, 9, 1))).isNull();
  }

  /** Another block's frame must not be shown where chance gave it the same hash code. */
  @Test
  void keysWithTheSameHashCodeAreToldApart() {
    FrameCache cache = cache(1000);
    ByteBuffer kept = FrameCache.key(0, 7, 8, 9, 10);
    cache.put(kept, new byte[100]);
    ByteBuffer otherData = FrameCache.key(0, 7, 8, 9, 0x1F09);
    ByteBuffer otherBlock = FrameCache.key(0, 7, 0x1F07, 9, 10);
    assertThat(otherData).hasSameHashCodeAs(kept);
    assertThat(otherBlock).hasSameHashCodeAs(kept);
    assertThat(cache.get(otherData)).isNull();
    assertThat(cache.get(otherBlock)).isNull();
  }

  /** Blocks have ids that follow each other, as have frames; else all would be in one bucket. */
  @Test
  void neighboursHaveDifferentHashCodes() {
    int count = 1000;
    Set<Integer> blocks = new HashSet<>();
    Set<Integer> tags = new HashSet<>();
    for (int i = 0; i < count; i++) {
      blocks.add(FrameCache.key(0, 7, 1_073_741_825L + i, 0, 0xCAFE).hashCode());
      tags.add(FrameCache.key(0, i, 1_073_741_825L, 0, 0xCAFE).hashCode());
    }
    assertThat(blocks).hasSize(count);
    assertThat(tags).hasSize(count);
  }

  @Test
  void theLeastRecentlyUsedLeavesFirst() {
    FrameCache cache = cache(300);
    for (int frame = 0; frame < 3; frame++) {
      cache.put(key(frame), new byte[100]);
    }
    cache.get(key(0));
    cache.put(key(3), new byte[100]);
    assertThat(cache.get(key(1))).isNull();
    assertThat(cache.get(key(0))).isNotNull();
    cache.put(key(4), new byte[200]);
    assertThat(cache.size()).isEqualTo(300);
    assertThat(cache.get(key(0))).isNotNull();
    assertThat(cache.get(key(4))).isNotNull();
    assertThat(cache.get(key(2))).isNull();
    assertThat(cache.get(key(3))).isNull();
  }

  @Test
  void replacingAFrameCountsItOnce() {
    FrameCache cache = cache(300);
    cache.put(key(1), new byte[100]);
    cache.put(key(1), new byte[150]);
    assertThat(cache.size()).isEqualTo(150);
    assertThat(cache.get(key(1)).bytes().remaining()).isEqualTo(150);
  }

  @Test
  void onlyFramesOfHalfTheCacheAreTaken() {
    FrameCache cache = cache(200);
    assertThat(cache.accepts(100)).isTrue();
    assertThat(cache.accepts(101)).isFalse();
    assertThat(cache(0).accepts(1)).isFalse();
  }

  @Test
  void theSizeIsThatOfWhatIsKept() {
    Random random = TestSeed.random(FrameCacheTest.class.getName());
    FrameCache cache = cache(10_000);
    Map<Integer, byte[]> put = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      int frame = random.nextInt(60);
      if (random.nextBoolean()) {
        byte[] bytes = new byte[1 + random.nextInt(1250)];
        bytes[0] = (byte) random.nextInt();
        cache.put(key(frame), bytes);
        put.put(frame, bytes);
      } else {
        FrameCache.Frame found = cache.get(key(frame));
        assertThat(found == null || found.bytes().equals(ByteBuffer.wrap(put.get(frame)))).isTrue();
      }
      assertThat(cache.size()).isLessThanOrEqualTo(10_000);
    }
    long kept = 0;
    for (int frame = 0; frame < 60; frame++) {
      FrameCache.Frame found = cache.get(key(frame));
      kept += found == null ? 0 : found.bytes().remaining();
    }
    assertThat(cache.size()).isEqualTo(kept);
  }

  private ByteBuffer taken(int length, int content) {
    ByteBuffer frame = buffers.take(length);
    frame.putInt(0, content);
    return frame;
  }

  /** Else another block's data would be written where a reader reads. */
  @Test
  void aPoolsBufferGoesBackWhenNobodyReadsItAnyMore() {
    FrameCache cache = cache(3 * 8192);
    FrameCache.Frame first = cache.share(key(1), taken(8192, 1));
    FrameCache.Frame again = cache.get(key(1));
    for (int frame = 2; frame <= 4; frame++) {
      cache.release(cache.share(key(frame), taken(8192, frame)));
    }
    assertThat(cache.get(key(1))).as("has left the cache").isNull();
    assertThat(cache.size()).isEqualTo(3 * 8192);
    cache.release(first);
    assertThat(buffers.idleBytes()).as("one reads it").isZero();
    assertThat(again.bytes().getInt()).isEqualTo(1);
    cache.release(again);
    assertThat(buffers.idleBytes()).isEqualTo(8192);
    cache.put(key(2), new byte[10]);
    assertThat(buffers.idleBytes()).as("was replaced").isEqualTo(2 * 8192);
  }

  /** A pool's buffers are longer than what is asked for. */
  @Test
  void allThatABufferTakesIsCounted() {
    FrameCache cache = cache(1 << 20);
    cache.release(cache.share(key(1), taken(8193, 1)));
    assertThat(cache.size()).isEqualTo(BufferPool.capacityFor(8193)).isGreaterThan(8193);
  }

  @Test
  void othersWaitForTheOneThatDecodes() throws Exception {
    FrameCache cache = cache(1 << 20);
    assertThat(cache.getOrBeginDecoding(key(1))).isNull();
    assertThat(cache.getOrBeginDecoding(key(2))).as("another frame").isNull();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<FrameCache.Frame>> others = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        others.add(threads.submit(() -> cache.getOrBeginDecoding(key(1))));
      }
      cache.endDecoding(key(2));
      assertThatThrownBy(() -> others.get(0).get(100, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      FrameCache.Frame frame = cache.share(key(1), taken(100, 7));
      cache.endDecoding(key(1));
      for (Future<FrameCache.Frame> other : others) {
        assertThat(other.get()).isSameAs(frame);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void whereDecodingFailsOneOfTheOthersDoesIt() throws Exception {
    FrameCache cache = cache(1 << 20);
    assertThat(cache.getOrBeginDecoding(key(1))).isNull();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      ExecutorCompletionService<FrameCache.Frame> others = new ExecutorCompletionService<>(threads);
      for (int i = 0; i < 2; i++) {
        others.submit(() -> cache.getOrBeginDecoding(key(1)));
      }
      cache.endDecoding(key(1));
      assertThat(others.take().get()).isNull();
      assertThat(others.poll(100, TimeUnit.MILLISECONDS)).as("the other one waits").isNull();
      cache.endDecoding(key(1));
      assertThat(others.take().get()).isNull();
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aWaitEndsWithAnInterrupt() throws Exception {
    FrameCache cache = cache(1 << 20);
    assertThat(cache.getOrBeginDecoding(key(1))).isNull();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> cache.getOrBeginDecoding(key(1)))
        .isInstanceOf(InterruptedException.class);
  }

  /** What does not fit is used by the reader that decoded it, and not kept. */
  @Test
  void framesStayWithinABudget() {
    MemoryBudget budget = new MemoryBudget(5_000_000);
    FrameCache cache = new FrameCache(64 << 20, buffers, budget);
    MemoryShare other = budget.open("Others", MemoryShare.Kind.LASTING, 0, 1_000_000, null);
    for (int i = 0; i < 20; i++) {
      cache.put(key(i), new byte[500_000]);
      assertThat(cache.size()).isEqualTo(budget.used()).isLessThanOrEqualTo(5_000_000);
    }
    assertThat(cache.size()).isEqualTo(5_000_000);
    assertThat(cache.get(key(9))).isNull();
    assertThat(cache.get(key(10))).isNotNull();
    assertThat(other.reserve(400_000)).isTrue();
    assertThat(cache.size()).isEqualTo(4_500_000);
    FrameCache.Frame large = cache.share(key(30), buffers.take(5 << 20));
    assertThat(large.bytes().remaining()).isEqualTo(5 << 20);
    assertThat(cache.get(key(30))).isNull();
    assertThat(cache.size()).isZero();
    cache.release(large);
    cache.put(key(31), new byte[10_000]);
    assertThat(cache.size()).isEqualTo(10_000);
    cache.close();
    assertThat(budget.used()).isEqualTo(400_000);
    cache.put(key(32), new byte[10_000]);
    assertThat(cache.size()).isZero();
  }
}
