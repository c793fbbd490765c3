/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

  /** Those of an open container share what they look chunks up in, until that is too small. */
  @Test
  void aDirectoryFindsWhatItHasAndNothingThatWasAddedLater() {
    int chunks = 1000;
    byte[] all = new byte[chunks * Fingerprinter.LENGTH];
    new Random(9).nextBytes(all);
    DirectoryBuilder builder = new DirectoryBuilder();
    List<ContainerDirectory> directories = new ArrayList<>();
    for (int i = 0; i < chunks; i++) {
      builder.addChunk(i, 100, i, all, i * Fingerprinter.LENGTH);
      builder.endGroup(1000L * i, 50, 100, 0);
      directories.add(builder.build());
    }
    for (ContainerDirectory directory : directories) {
      for (int i = 0; i < chunks; i++) {
        assertThat(directory.find(all, i * Fingerprinter.LENGTH))
            .isEqualTo(i < directory.chunkCount() ? i : -1);
      }
    }
  }

  @Test
  void aDirectoryThatWasReadFindsTheSame() throws Exception {
    ContainerDirectory written = directory(1000, 7, new Random(9));
    ByteBuffer bytes = ByteBuffer.allocateDirect(DirectoryFormat.encodedLength(written));
    DirectoryFormat.encode(written, bytes);
    int end = ContainerHeader.LENGTH + written.groupCount() * (50 + 100);
    ContainerDirectory read = DirectoryFormat.parse(Path.of("container"), bytes, end);
    Random again = new Random(9);
    for (int i = 0; i < written.chunkCount(); i++) {
      again.nextBytes(fingerprint);
      assertThat(read.find(fingerprint, 0)).isEqualTo(i);
    }
    again.nextBytes(fingerprint);
    assertThat(read.find(fingerprint, 0)).isEqualTo(-1);
  }

  @Test
  void placesAreCountedFromTheBeginningOfTheGroup() {
    ContainerDirectory directory = directory(100, 7, new Random(9));
    for (int i = 0; i < 100; i++) {
      assertThat(directory.placeInGroup(i)).isEqualTo(i % 7);
    }
  }
}
