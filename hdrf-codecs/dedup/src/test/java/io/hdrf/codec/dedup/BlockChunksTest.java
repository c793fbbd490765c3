/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.Fingerprinter;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BlockChunksTest {

  @Test
  void findsWhatWasAdded() {
    int count = 5000;
    byte[] fingerprints = new byte[2 * count * Fingerprinter.LENGTH];
    new Random(1).nextBytes(fingerprints);
    // Alike in what the slots are chosen by.
    System.arraycopy(fingerprints, 0, fingerprints, Fingerprinter.LENGTH, 31);
    BlockChunks own = new BlockChunks();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < count; i++) {
        own.add(fingerprints, i * Fingerprinter.LENGTH, i + round);
      }
      for (int i = 0; i < 2 * count; i++) {
        long expected = i < count ? i + round : -1;
        assertThat(own.find(fingerprints, i * Fingerprinter.LENGTH)).isEqualTo(expected);
      }
      assertThat(own.count()).isEqualTo(count);
      own.clear();
    }
  }
}
