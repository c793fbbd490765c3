/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.TestSeed;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettledBlocksTest {

  /**
   * The factor by which {@link SettledBlocks} mixes ids; multiples of its inverse get a chosen
   * slot.
   */
  private static final long MIXER = 0x9E3779B97F4A7C15L;

  private final Random random = TestSeed.random(SettledBlocksTest.class.getName());

  @ParameterizedTest
  @ValueSource(ints = {20, 500, 5_000, 200_000})
  void behavesLikeAMap(int ids) {
    SettledBlocks blocks = new SettledBlocks();
    Map<Long, Long> model = new HashMap<>();
    long base = 1_073_741_825L;
    for (int step = 0; step < 300_000; step++) {
      long id = base + random.nextInt(ids);
      switch (random.nextInt(5)) {
        case 0:
        case 1:
          long saved = random.nextInt(1 << 20);
          blocks.put(id, saved);
          model.put(id, saved);
          break;
        case 2:
          blocks.remove(id);
          model.remove(id);
          break;
        default:
          assertThat(blocks.contains(id)).isEqualTo(model.containsKey(id));
          assertThat(blocks.saved(id, 0)).isEqualTo(model.getOrDefault(id, 0L));
      }
    }
    assertSame(blocks, model, base, ids);
  }

  /** Ids that all want the slots at the table's end: clusters wrap around, removals move them. */
  @Test
  void clustersThatWrapAroundStayWhole() {
    for (int round = 0; round < 200; round++) {
      SettledBlocks blocks = new SettledBlocks();
      Map<Long, Long> model = new HashMap<>();
      long[] ids = new long[40];
      for (int i = 0; i < ids.length; i++) {
        long home = 1024L - 8 + random.nextInt(8);
        long mixed = (home << 33) | (random.nextInt() & 0xFFFFFFFFL);
        ids[i] = mixed * inverse(MIXER);
      }
      for (int step = 0; step < 300; step++) {
        long id = ids[random.nextInt(ids.length)];
        if (random.nextInt(3) == 0) {
          blocks.remove(id);
          model.remove(id);
        } else {
          blocks.put(id, step);
          model.put(id, (long) step);
        }
        for (long other : ids) {
          assertThat(blocks.contains(other)).isEqualTo(model.containsKey(other));
          assertThat(blocks.saved(other, 0)).isEqualTo(model.getOrDefault(other, 0L));
        }
      }
      assertThat(blocks.size()).isEqualTo(model.size());
    }
  }

  @Test
  void takesIdsOfEveryKind() {
    SettledBlocks blocks = new SettledBlocks();
    long[] ids = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE + 1, -9_223_372_036_854_775_792L};
    for (int i = 0; i < ids.length; i++) {
      blocks.put(ids[i], i + 1);
    }
    for (int i = 0; i < ids.length; i++) {
      assertThat(blocks.contains(ids[i])).isTrue();
      assertThat(blocks.saved(ids[i], 0)).isEqualTo(i + 1);
    }
    assertThat(blocks.size()).isEqualTo(ids.length);
  }

  private static void assertSame(SettledBlocks blocks, Map<Long, Long> model, long base, int ids) {
    assertThat(blocks.size()).isEqualTo(model.size());
    for (long id = base - 10; id < base + ids + 10; id++) {
      assertThat(blocks.contains(id)).isEqualTo(model.containsKey(id));
      assertThat(blocks.saved(id, 0)).isEqualTo(model.getOrDefault(id, 0L));
    }
  }

  /** The inverse of an odd number modulo 2<sup>64</sup>, by Newton's method. */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int i = 0; i < 6; i++) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }
}
