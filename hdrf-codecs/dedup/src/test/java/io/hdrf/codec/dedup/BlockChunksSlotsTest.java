/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.TestSeed;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockChunksSlotsTest {

  private static final int CHUNKS = 20_000;

  private final Random random = TestSeed.random("own chunks");

  /**
   * Half of the slots are free: a chunk meets half another one on average, and a few per growth.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 16, 32, 40})
  void chunksGroundToMeetAreSpreadAllTheSame(int lowest) {
    long[] prefixes = GroundFingerprints.prefixes(random, CHUNKS, lowest);
    byte[] fingerprints = GroundFingerprints.fingerprints(random, prefixes);
    BlockChunks chunks = new BlockChunks();
    for (int i = 0; i < CHUNKS; i++) {
      chunks.add(fingerprints, 32 * i, i);
    }
    assertThat(chunks.displaced()).isLessThan(8L * CHUNKS);
    for (int i = 0; i < CHUNKS; i++) {
      assertThat(chunks.find(fingerprints, 32 * i)).isEqualTo(i);
    }
  }
}
