/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.GroundFingerprints;
import io.hdrf.spi.scheme.TestSeed;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FingerprintSlotsTest {

  private static final int CHUNKS = 20_000;

  private final Random random = TestSeed.random("fingerprint slots");

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 32, 40})
  void chunksGroundToMeetAreSpreadAllTheSame(int lowest) {
    long[] prefixes = GroundFingerprints.prefixes(random, CHUNKS, lowest);
    byte[] fingerprints = GroundFingerprints.fingerprints(random, prefixes);
    BitSet taken = new BitSet();
    for (int i = 0; i < CHUNKS; i++) {
      taken.set(FingerprintSlots.slotOf(fingerprints, Fingerprinter.LENGTH * i, 1 << 15));
    }
    assertThat(taken.cardinality()).isGreaterThan(CHUNKS / 2);
  }
}
