/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.GroundFingerprints;
import io.hdrf.spi.scheme.TestSeed;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotHashTest {

  private static final int CHUNKS = 10_000;

  private final Random random = TestSeed.random("slots");

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 32, 40})
  void groundPrefixesFillSlotsEvenly(int lowest) {
    long[] prefixes = GroundFingerprints.prefixes(random, CHUNKS, lowest);
    for (int slots = 2; slots <= 1 << 20; slots *= 2) {
      int[] chunks = new int[slots];
      int most = 0;
      for (long prefix : prefixes) {
        most = Math.max(most, ++chunks[SlotHash.slot(prefix, slots)]);
      }
      assertThat(most).as("%s slots", slots).isLessThan(2 * CHUNKS / slots + 60);
    }
  }
}
