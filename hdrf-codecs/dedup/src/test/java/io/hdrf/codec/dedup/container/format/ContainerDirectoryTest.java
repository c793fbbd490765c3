/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ContainerDirectoryTest {

  /** What {@link #build} may change; where a group lies is no part of its content. */
  private static final int PARTS = 10;

  private static final int POSITION = 4;

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

  /** Directories of an open container share their look-up table until it is too small. */
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
    ByteBuffer bytes = ByteBuffer.allocateDirect(DirectoryFormat.encodedLength(written, 1));
    DirectoryFormat.encode(written, 1, bytes);
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

  @Test
  void whatIsAskedOfAChunkThatIsNotThereIsRefused() {
    ContainerDirectory directory = directory(10, 7, new Random(9));
    for (int index : new int[] {-1, 10, 11}) {
      List<ThrowingCallable> questions =
          List.of(
              () -> directory.number(index),
              () -> directory.length(index),
              () -> directory.fingerprint(index, fingerprint, 0),
              () -> directory.hasFingerprint(index, fingerprint, 0),
              () -> directory.placeInGroup(index));
      for (ThrowingCallable question : questions) {
        assertThatThrownBy(question)
            .isInstanceOf(IndexOutOfBoundsException.class)
            .hasMessage("chunk " + index + " of 10");
      }
    }
  }

  /** Groups of 7 chunks of 100 bytes each, stored in 50 + 100 bytes; the last one has 3. */
  @Test
  void chunksTakeTheirShareOfTheirGroups() {
    ContainerDirectory directory = directory(10, 7, new Random(9));
    assertThat(directory.storedBytes()).isEqualTo(300);
    assertThat(directory.storedBytes(directory.numbers())).isEqualTo(300);
    assertThat(directory.storedBytes(numbers())).isZero();
    assertThat(directory.storedBytes(numbers(1, 3))).as("no chunk has such a number").isZero();
    assertThat(directory.storedBytes(numbers(0))).isEqualTo(150 * 100 / 700);
    assertThat(directory.storedBytes(numbers(0, 2, 12, 14))).isEqualTo(150 * 300 / 700 + 50);
  }

  private static BitSet numbers(int... numbers) {
    BitSet set = new BitSet();
    for (int number : numbers) {
      set.set(number);
    }
    return set;
  }

  /** Each part of a chunk and of a group counts. */
  @Test
  void contentIsTheSameOnlyIfAllOfItIs() {
    ContainerDirectory directory = build(-1, 0);
    assertThat(directory.sameContent(build(-1, 0))).isTrue();
    for (int part = 0; part < PARTS; part++) {
      ContainerDirectory other = build(part, 1);
      assertThat(directory.sameContent(other)).as("part " + part).isEqualTo(part == POSITION);
      assertThat(other.sameContent(directory)).as("part " + part).isEqualTo(part == POSITION);
    }
  }

  /** Two groups of two chunks, of which one part is more than otherwise. */
  private static ContainerDirectory build(int part, int more) {
    int[] parts = new int[PARTS];
    if (part >= 0) {
      parts[part] = more;
    }
    DirectoryBuilder builder = new DirectoryBuilder();
    byte[] print = new byte[Fingerprinter.LENGTH];
    builder.addChunk(1, 100, 7, print, 0);
    builder.addChunk(2, 100, 7, print, 0);
    builder.endGroup(1000, 50, 100, 0);
    print[Fingerprinter.LENGTH - 1] = (byte) parts[0];
    builder.addChunk(3 + parts[1], 100 + parts[2], 7 + parts[3], print, 0);
    if (parts[8] > 0) {
      builder.endGroup(1500, 50, 100, 0);
    }
    builder.addChunk(5, 100, 7, print, 0);
    builder.endGroup(2000 + parts[POSITION], 50 + parts[5], 100 + parts[6], parts[7]);
    if (parts[9] > 0) {
      builder.addChunk(6, 100, 7, print, 0);
      builder.endGroup(3000, 50, 100, 0);
    }
    return builder.build();
  }

  @Test
  void memoryGrowsWithChunksAndGroups() {
    long chunk = Fingerprinter.LENGTH + 3L * Integer.BYTES;
    long group = 4L * Integer.BYTES + Long.BYTES;
    long few = directory(1000, 100, new Random(9)).memory();
    assertThat(few).isGreaterThan(1000 * chunk);
    assertThat(directory(10_000, 1000, new Random(9)).memory()).isGreaterThan(10_000 * chunk);
    assertThat(directory(1000, 1, new Random(9)).memory()).isGreaterThan(few + 900 * group);
  }
}
