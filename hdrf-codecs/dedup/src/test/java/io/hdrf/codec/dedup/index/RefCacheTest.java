/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

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

  @Test
  void lastValueCounts() {
    RefCache cache = new RefCache(0);
    cache.put(0, 1);
    cache.put(0, 2);
    assertThat(cache.get(0)).isEqualTo(2);
    assertThat(cache.get(-1)).isEqualTo(RefCache.NONE);
  }
}
