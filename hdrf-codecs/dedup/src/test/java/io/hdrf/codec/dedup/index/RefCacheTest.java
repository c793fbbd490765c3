/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.GroundFingerprints;
import io.hdrf.codec.dedup.container.format.SlotHash;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import io.hdrf.spi.scheme.TestSeed;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefCacheTest {

  @Test
  void keepsWhatWasUsedLately() {
    RefCache cache = new RefCache(1 << 20);
    Random random = new Random(5);
    long wanted = random.nextLong();
    cache.put(wanted, 42);
    for (int i = 0; i < 1_000_000; i++) {
      cache.put(random.nextLong(), i);
      if (i % 1000 == 0) {
        assertThat(cache.get(wanted)).isEqualTo(42);
      }
    }
    cache.clear();
    assertThat(cache.get(wanted)).isEqualTo(RefCache.NONE);
  }

  /** Writers of data may choose fingerprints like this. */
  @ParameterizedTest
  @ValueSource(ints = {0, 16, 32, 40})
  void chunksGroundToMeetAreSpreadAllTheSame(int lowest) {
    int chunks = 20_000;
    long[] prefixes = GroundFingerprints.prefixes(TestSeed.random("ref cache"), chunks, lowest);
    RefCache cache = new RefCache(2L * chunks * 32);
    BitSet taken = new BitSet();
    for (int i = 0; i < chunks; i++) {
      cache.put(prefixes[i], i);
      taken.set(RefCache.stripeOf(prefixes[i]) * 512 + RefCache.slotOf(prefixes[i], 512));
    }
    assertThat(taken.cardinality()).isGreaterThan(chunks / 2);
    int found = 0;
    for (int i = 0; i < chunks; i++) {
      found += cache.get(prefixes[i]) == i ? 1 : 0;
    }
    // In one stripe only the youngest would have stayed.
    assertThat(found).isGreaterThan(chunks * 9 / 10);
  }

  @Test
  void lastValueCounts() {
    RefCache cache = new RefCache(0);
    cache.put(0, 1);
    cache.put(0, 2);
    assertThat(cache.get(0)).isEqualTo(2);
    assertThat(cache.get(-1)).isEqualTo(RefCache.NONE);
  }

  /** Each has at least 32 slots, of which 22 are taken before the older ones are forgotten. */
  @Test
  void aStripeKeepsTwoGenerations() {
    for (long memory : new long[] {0, 64 << 10, (128 << 10) - 1}) {
      for (boolean used : new boolean[] {false, true}) {
        RefCache cache = new RefCache(memory);
        long[] prefixes = new long[46];
        int count = 0;
        for (long prefix = 1; count < prefixes.length; prefix++) {
          if (SlotHash.of(prefix) >>> 58 == 63) {
            prefixes[count++] = prefix;
          }
        }
        for (int i = 0; i < 44; i++) {
          cache.put(prefixes[i], i);
        }
        if (used) {
          assertThat(cache.get(prefixes[0])).isZero();
        }
        cache.put(prefixes[44], 44);
        for (int i = 45 - 1; i >= 23; i--) {
          assertThat(cache.get(prefixes[i])).isEqualTo(i);
        }
        // Taken over into the younger ones when it was used.
        assertThat(cache.get(prefixes[0])).isEqualTo(used ? 0 : RefCache.NONE);
        assertThat(cache.get(prefixes[1])).isEqualTo(RefCache.NONE);
        assertThat(cache.get(prefixes[45])).isEqualTo(RefCache.NONE);
      }
    }
  }

  /** It takes what it needs, gives back what others need more, and works with nothing at all. */
  @Test
  void takesMemoryAsItIsFilled() {
    MemoryBudget budget = new MemoryBudget(300_000);
    RefCache cache = new RefCache(1 << 20, budget);
    assertThat(cache.memory()).isZero();
    Random random = TestSeed.random("places");
    long[] prefixes = random.longs(20_000).toArray();
    for (int i = 0; i < prefixes.length; i++) {
      cache.put(prefixes[i], i);
      assertThat(budget.used()).isLessThanOrEqualTo(300_000);
      assertThat(cache.get(prefixes[i])).isEqualTo(i);
    }
    assertThat(cache.memory()).isBetween(128L << 10, 300_000L);
    MemoryShare other = budget.open("Others", MemoryShare.Kind.LASTING, 0, 1 << 20, null);
    assertThat(other.reserve(120_000)).isTrue();
    assertThat(cache.memory()).isLessThanOrEqualTo(180_000);
    for (int i = 0; i < prefixes.length; i++) {
      cache.put(prefixes[i], i);
      assertThat(cache.get(prefixes[i])).isEqualTo(i);
    }
    cache.close();
    cache.put(1, 2);
    assertThat(cache.get(1)).isEqualTo(RefCache.NONE);
    assertThat(cache.memory()).isZero();
    assertThat(budget.used()).isEqualTo(120_000);
  }
}
