/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.Chunks;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FingerprinterTest {

  @Test
  void chunksThatLieBehindEachOtherHaveTheirOwnFingerprints() {
    byte[] data = Chunks.chunk(1, 1000);
    ByteBuffer buffer = Chunks.direct(data);
    buffer.position(100);
    int[] ends = {1, 300, 900, 1000};
    byte[] found = new byte[4 * Fingerprinter.LENGTH];
    Fingerprinter function = Chunks::fingerprint;
    function.fingerprints(buffer, ends, 3, found);
    int start = 100;
    for (int i = 0; i < 3; i++) {
      byte[] chunk = Arrays.copyOfRange(data, start, 100 + ends[i]);
      int at = i * Fingerprinter.LENGTH;
      assertThat(Arrays.copyOfRange(found, at, at + Fingerprinter.LENGTH))
          .isEqualTo(Chunks.fingerprint(chunk));
      start = 100 + ends[i];
    }
    assertThat(Arrays.copyOfRange(found, 3 * Fingerprinter.LENGTH, found.length))
        .containsOnly((byte) 0);
    assertThat(buffer.position()).isEqualTo(100);
    assertThat(buffer.limit()).isEqualTo(1000);
  }
}
