/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.TestSeed;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FrameCacheTest {

  private static ByteBuffer key(int frame) {
    return FrameCache.key(0, 7, 1_073_741_825L, frame, 0xCAFE);
  }

  @Test
  void aFrameIsFoundByAllPartsOfItsKeyOnly() {
    FrameCache cache = new FrameCache(1000);
    byte[] frame = new byte[100];
    cache.put(FrameCache.key(6, 7, 8, 9, 10), frame);
    assertThat(cache.get(FrameCache.key(6, 7, 8, 9, 10))).isSameAs(frame);
    assertThat(cache.get(FrameCache.key(1, 7, 8, 9, 10))).isNull();
    assertThat(cache.get(FrameCache.key(6, 1, 8, 9, 10))).isNull();
    assertThat(cache.get(FrameCache.key(6, 7, 1, 9, 10))).isNull();
    assertThat(cache.get(FrameCache.key(6, 7, 8, 1, 10))).isNull();
    assertThat(cache.get(FrameCache.key(6, 7, 8, 9, 1))).isNull();
  }

  /** Another block's frame must not be shown where chance gave it the same hash code. */
  @Test
  void keysWithTheSameHashCodeAreToldApart() {
    FrameCache cache = new FrameCache(1000);
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
    FrameCache cache = new FrameCache(300);
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
    FrameCache cache = new FrameCache(300);
    cache.put(key(1), new byte[100]);
    cache.put(key(1), new byte[150]);
    assertThat(cache.size()).isEqualTo(150);
    assertThat(cache.get(key(1))).hasSize(150);
  }

  @Test
  void onlyFramesMuchSmallerThanTheCacheAreTaken() {
    FrameCache cache = new FrameCache(800);
    assertThat(cache.accepts(100)).isTrue();
    assertThat(cache.accepts(101)).isFalse();
    assertThat(new FrameCache(0).accepts(1)).isFalse();
  }

  @Test
  void theSizeIsThatOfWhatIsKept() {
    Random random = TestSeed.random(FrameCacheTest.class.getName());
    FrameCache cache = new FrameCache(10_000);
    Map<Integer, byte[]> put = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      int frame = random.nextInt(60);
      if (random.nextBoolean()) {
        byte[] bytes = new byte[1 + random.nextInt(1250)];
        cache.put(key(frame), bytes);
        put.put(frame, bytes);
      } else {
        byte[] found = cache.get(key(frame));
        assertThat(found == null || found == put.get(frame)).isTrue();
      }
      assertThat(cache.size()).isLessThanOrEqualTo(10_000);
    }
    long kept = 0;
    for (int frame = 0; frame < 60; frame++) {
      byte[] found = cache.get(key(frame));
      kept += found == null ? 0 : found.length;
    }
    assertThat(cache.size()).isEqualTo(kept);
  }
}
