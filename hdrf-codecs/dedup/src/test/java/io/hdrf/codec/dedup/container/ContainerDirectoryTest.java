/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ContainerDirectoryTest {

  private final byte[] fingerprint = new byte[Fingerprinter.LENGTH];

  private static ContainerDirectory directory(int chunks, int perGroup, Random fingerprints) {
    DirectoryBuilder builder = new DirectoryBuilder();
    byte[] next = new byte[Fingerprinter.LENGTH];
    for (int i = 0; i < chunks; i++) {
      fingerprints.nextBytes(next);
      builder.addChunk(2 * i, 100, i, next, 0);
      if ((i + 1) % perGroup == 0 || i + 1 == chunks) {
        builder.endGroup(1000L * i, 50, 100, 0);
      }
    }
    return builder.build();
  }

  @Test
  void findsEachChunkByItsWholeFingerprint() {
    for (int chunks : new int[] {0, 1, 2, 3, 4, 5, 63, 64, 65, 1000}) {
      ContainerDirectory directory = directory(chunks, 7, new Random(9));
      Random again = new Random(9);
      for (int i = 0; i < chunks; i++) {
        again.nextBytes(fingerprint);
        assertThat(directory.find(fingerprint, 0)).isEqualTo(i);
        fingerprint[Fingerprinter.LENGTH - 1] ^= 1;
        assertThat(directory.find(fingerprint, 0)).isEqualTo(-1);
      }
      again.nextBytes(fingerprint);
      assertThat(directory.find(fingerprint, 0)).isEqualTo(-1);
    }
  }

  @Test
  void placesAreCountedFromTheBeginningOfTheGroup() {
    ContainerDirectory directory = directory(100, 7, new Random(9));
    for (int i = 0; i < 100; i++) {
      assertThat(directory.placeInGroup(i)).isEqualTo(i % 7);
    }
  }
}
