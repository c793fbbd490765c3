/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.GroundFingerprints;
import io.hdrf.spi.scheme.TestSeed;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FingerprintTableTest {

  @Test
  void findsWhatWasAdded() {
    int count = 5000;
    byte[] fingerprints = new byte[2 * count * Fingerprinter.LENGTH];
    random.nextBytes(fingerprints);
    // Alike in what the slots are chosen by.
    System.arraycopy(fingerprints, 0, fingerprints, Fingerprinter.LENGTH, 31);
    FingerprintTable table = new FingerprintTable(1);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < count; i++) {
        table = table.isFull() ? table.grown(2 * i) : table;
        table.add(fingerprints, i * Fingerprinter.LENGTH);
      }
      assertFinds(table, fingerprints, count);
      FingerprintTable same =
          new FingerprintTable(Arrays.copyOf(table.fingerprints(), count * Fingerprinter.LENGTH));
      assertThat(same.isFull()).isTrue();
      assertFinds(same, fingerprints, count);
      table.clear();
      assertThat(table.find(fingerprints, 0, count)).isEqualTo(-1);
    }
  }

  private static void assertFinds(FingerprintTable table, byte[] fingerprints, int count) {
    assertThat(table.count()).isEqualTo(count);
    for (int i = 0; i < 2 * count; i++) {
      int offset = i * Fingerprinter.LENGTH;
      assertThat(table.find(fingerprints, offset, count)).isEqualTo(i < count ? i : -1);
      assertThat(table.find(fingerprints, offset, i)).isEqualTo(-1);
    }
  }

  private static final int CHUNKS = 20_000;

  private final Random random = TestSeed.random("fingerprint table");

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 32, 40})
  void chunksGroundToMeetAreSpreadAllTheSame(int lowest) {
    long[] prefixes = GroundFingerprints.prefixes(random, CHUNKS, lowest);
    byte[] fingerprints = GroundFingerprints.fingerprints(random, prefixes);
    BitSet taken = new BitSet();
    for (int i = 0; i < CHUNKS; i++) {
      taken.set(FingerprintTable.slotOf(fingerprints, Fingerprinter.LENGTH * i, 1 << 15));
    }
    assertThat(taken.cardinality()).isGreaterThan(CHUNKS / 2);
  }
}
