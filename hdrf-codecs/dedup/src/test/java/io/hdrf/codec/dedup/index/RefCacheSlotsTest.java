/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.GroundFingerprints;
import io.hdrf.spi.scheme.TestSeed;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefCacheSlotsTest {

  private static final int CHUNKS = 20_000;

  private final Random random = TestSeed.random("ref cache");

  /** Up to three quarters of the slots are taken. */
  @ParameterizedTest
  @ValueSource(ints = {0, 16, 32, 40})
  void chunksGroundToMeetAreSpreadAllTheSame(int lowest) {
    long[] prefixes = GroundFingerprints.prefixes(random, CHUNKS, lowest);
    RefCache cache = new RefCache(2L * CHUNKS * 32);
    for (int i = 0; i < CHUNKS; i++) {
      cache.put(prefixes[i], i);
    }
    assertThat(cache.displaced()).isLessThan(8L * CHUNKS);
    int found = 0;
    for (int i = 0; i < CHUNKS; i++) {
      found += cache.get(prefixes[i]) == i ? 1 : 0;
    }
    // In one stripe only the youngest would have stayed.
    assertThat(found).isGreaterThan(CHUNKS * 9 / 10);
  }
}
