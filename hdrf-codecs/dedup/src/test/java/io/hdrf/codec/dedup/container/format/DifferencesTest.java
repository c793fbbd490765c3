/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Differences in headers of groups and in directories. */
class DifferencesTest {

  private static final Path NAME = Path.of("000000000007.hdc");
  private static final long MARKER = 0x1122334455667788L;

  private final Random random = TestSeed.random("differences");

  private static ByteBuffer header(
      int[] numbers, int[] lengths, int[] checksums, Differences differences) {
    int count = numbers.length;
    int length = GroupHeader.length(numbers, lengths, count, differences);
    ByteBuffer group = ByteBuffer.allocateDirect(length + 1).order(ByteOrder.LITTLE_ENDIAN);
    int crc = ContainerFormat.crc(group, length, length + 1);
    GroupHeader.put(
        group, MARKER, numbers, lengths, checksums, count, differences, length, 1, crc, 1);
    return group;
  }

  private Differences differences(int chunks, int[] lengths) {
    int[] indexes = new int[chunks];
    int[] whole = new int[chunks];
    long[] bases = new long[chunks];
    int count = 0;
    long base = 0;
    for (int i = 0; i < chunks; i++) {
      if (random.nextInt(3) == 0) {
        base =
            random.nextInt(3) > 0
                ? base + 1
                : ChunkRef.pack(
                    random.nextLong(ChunkRef.MAX_CONTAINER + 1),
                    random.nextInt(ContainerFormat.MAX_CHUNKS - chunks));
        indexes[count] = i;
        whole[count] = lengths[i] + 1 + random.nextInt(100_000);
        bases[count] = base;
        count++;
      }
    }
    return count == 0 ? Differences.NONE : new Differences(count, indexes, whole, bases, null);
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    for (int round = 0; round < 500; round++) {
      int chunks = 1 + random.nextInt(60);
      int[] numbers = new int[chunks];
      int[] lengths = new int[chunks];
      int[] checksums = new int[chunks];
      int number = random.nextInt(100);
      for (int i = 0; i < chunks; i++) {
        numbers[i] = number;
        number += 1 + (random.nextInt(10) == 0 ? random.nextInt(1000) : 0);
        lengths[i] = 1 + random.nextInt(10_000);
        checksums[i] = random.nextInt();
      }
      Differences differences = differences(chunks, lengths);
      ByteBuffer group = header(numbers, lengths, checksums, differences);
      GroupHeader read = GroupHeader.parse(NAME, group, MARKER);
      int next = 0;
      long whole = 0;
      for (int i = 0; i < chunks; i++) {
        boolean differs = next < differences.count() && differences.index(next) == i;
        assertThat(read.isDifference(i)).isEqualTo(differs);
        assertThat(read.hasDifferences(i, i + 1)).isEqualTo(differs);
        assertThat(read.chunkLength(i)).isEqualTo(lengths[i]);
        assertThat(read.checksum(i)).isEqualTo(checksums[i]);
        if (differs) {
          assertThat(read.wholeLength(i)).isEqualTo(differences.length(next));
          assertThat(read.baseOf(i)).isEqualTo(differences.base(next));
          next++;
        } else {
          assertThat(read.wholeLength(i)).isEqualTo(lengths[i]);
        }
        whole += read.wholeLength(i);
        assertThat(read.wholeLengthOf(0, i + 1)).isEqualTo(whole);
      }
      assertThat(read.hasDifferences(0, chunks)).isEqualTo(differences.count() > 0);
      // What a build without differences looks at: it refuses flags that it does not know.
      assertThat((group.get(37) & 4) != 0).isEqualTo(differences.count() > 0);
    }
  }

  /** A directory tells of its groups what their headers do. */
  @Test
  void aDirectoryMakesTheSameHeaders() throws IOException {
    for (int round = 0; round < 100; round++) {
      DirectoryBuilder builder = new DirectoryBuilder(1, 1);
      int groups = 1 + random.nextInt(5);
      GroupHeader[] headers = new GroupHeader[groups];
      int number = 0;
      byte[] name = new byte[Fingerprinter.LENGTH];
      for (int g = 0; g < groups; g++) {
        int chunks = 1 + random.nextInt(20);
        int[] numbers = new int[chunks];
        int[] lengths = new int[chunks];
        int[] checksums = new int[chunks];
        for (int i = 0; i < chunks; i++) {
          numbers[i] = number++;
          lengths[i] = 1 + random.nextInt(100);
        }
        Differences differences = differences(chunks, lengths);
        headers[g] =
            GroupHeader.parse(NAME, header(numbers, lengths, checksums, differences), MARKER);
        for (int i = 0; i < chunks; i++) {
          random.nextBytes(name);
          if (headers[g].isDifference(i)) {
            builder.addDifference(
                numbers[i],
                lengths[i],
                0,
                name,
                0,
                headers[g].wholeLength(i),
                headers[g].baseOf(i));
          } else {
            builder.addChunk(numbers[i], lengths[i], 0, name, 0);
          }
        }
        builder.endGroup(64 + 1000L * g, headers[g].length(), 1, 1);
      }
      ContainerDirectory directory = builder.build();
      for (int g = 0; g < groups; g++) {
        for (GroupHeader made :
            new GroupHeader[] {directory.header(g), directory.header(g).alone()}) {
          for (int i = 0; i < made.chunkCount(); i++) {
            assertThat(made.isDifference(i)).isEqualTo(headers[g].isDifference(i));
            assertThat(made.wholeLength(i)).isEqualTo(headers[g].wholeLength(i));
            assertThat(directory.length(directory.firstChunk(g) + i))
                .isEqualTo(made.wholeLength(i));
            if (made.isDifference(i)) {
              assertThat(made.baseOf(i)).isEqualTo(headers[g].baseOf(i));
            } else {
              assertThat(directory.baseOf(directory.firstChunk(g) + i)).isEqualTo(-1);
            }
          }
        }
      }
    }
  }

  /** The bytes follow the specification, written by hand. */
  @Test
  void byteByByte() {
    Differences differences =
        new Differences(
            3,
            new int[] {1, 2, 4},
            new int[] {300, 5, 127},
            new long[] {ChunkRef.pack(5, 70), ChunkRef.pack(5, 71), ChunkRef.pack(4, 2)},
            new int[] {1, 2, 3});
    ByteBuffer out = ByteBuffer.allocate(differences.encodedLength());
    differences.put(out.order(ByteOrder.LITTLE_ENDIAN));
    assertThat(out.hasRemaining()).isFalse();
    assertThat(HexFormat.of().formatHex(out.array()))
        .isEqualTo(
            "03"
                + "01ac02"
                + "0a8c01"
                + "0005"
                + "0000"
                + "017f"
                + "0104"
                + "01000000"
                + "02000000"
                + "03000000");
  }

  /** Any bytes with a right CRC are refused, or say what can be. */
  @Test
  void changedBytesAreRefusedOrInRange() throws IOException {
    int taken = 0;
    for (int round = 0; round < 50_000; round++) {
      int chunks = 1 + random.nextInt(8);
      int[] numbers = new int[chunks];
      int[] lengths = new int[chunks];
      for (int i = 0; i < chunks; i++) {
        numbers[i] = i;
        lengths[i] = 1 + random.nextInt(200);
      }
      Differences differences = differences(chunks, lengths);
      if (differences.count() == 0) {
        continue;
      }
      int table = GroupHeader.length(numbers, lengths, chunks, Differences.NONE);
      ByteBuffer group = header(numbers, lengths, new int[chunks], differences);
      int length = group.capacity() - 1;
      int position = table + random.nextInt(length - table);
      group.put(position, (byte) random.nextInt());
      int crc = ContainerFormat.crc(group, 0, 40);
      group.putInt(40, ContainerFormat.crc(crc, group, GroupHeader.FIXED_LENGTH, length));
      group.clear();
      try {
        GroupHeader read = GroupHeader.parse(NAME, group, MARKER);
        taken++;
        for (int i = 0; i < chunks; i++) {
          if (read.isDifference(i)) {
            assertThat(read.wholeLength(i))
                .isBetween(read.chunkLength(i) + 1, ContainerFormat.MAX_CHUNK_LENGTH);
            assertThat(ChunkRef.number(read.baseOf(i))).isLessThan(ContainerFormat.MAX_CHUNKS);
          }
        }
      } catch (CorruptFileException e) {
        assertThat(e).hasMessageContaining(NAME.toString());
      }
    }
    assertThat(taken).isPositive();
  }

  @Test
  void differencesNeedChecksums() {
    ByteBuffer group =
        header(
            new int[] {0},
            new int[] {5},
            new int[1],
            new Differences(1, new int[] {0}, new int[] {50}, new long[] {1}, null));
    int length = group.capacity() - 1;
    group.put(37, (byte) 4);
    int crc = ContainerFormat.crc(group, 0, 40);
    group.putInt(40, ContainerFormat.crc(crc, group, GroupHeader.FIXED_LENGTH, length));
    group.clear();
    assertThatThrownBy(() -> GroupHeader.parse(NAME, group, MARKER))
        .isInstanceOf(CorruptFileException.class);
  }

  /** Nobody finds a chunk whose fingerprint is unknown, whatever he asks for. */
  @Test
  void anUnknownFingerprintIsNotFound() {
    DirectoryBuilder builder = new DirectoryBuilder();
    byte[] name = new byte[Fingerprinter.LENGTH];
    for (int i = 0; i < 1000; i++) {
      UnknownFingerprint.put(i, name, 0);
      builder.addDifference(i, 10, 0, name, 0, 100, 7);
    }
    builder.endGroup(64, 100, 100, 1);
    ContainerDirectory directory = builder.build();
    for (int i = 0; i < 1000; i++) {
      UnknownFingerprint.put(i, name, 0);
      assertThat(directory.find(name, 0)).isEqualTo(-1);
      assertThat(directory.hasFingerprint(i, name, 0)).isFalse();
      assertThat(directory.lacksFingerprint(i)).isTrue();
    }
    assertThat(directory.sameContent(directory)).isTrue();
  }

  @Test
  void wholeChunksTakeNoMemory() {
    DirectoryBuilder builder = new DirectoryBuilder(2, 1);
    builder.addChunk(0, 10, 0, new byte[Fingerprinter.LENGTH], 0);
    builder.addChunk(1, 10, 0, new byte[Fingerprinter.LENGTH], 0);
    builder.endGroup(64, 60, 20, 0);
    long before = builder.build().memory();
    DirectoryBuilder with = new DirectoryBuilder(2, 1);
    with.addChunk(0, 10, 0, new byte[Fingerprinter.LENGTH], 0);
    with.addDifference(1, 10, 0, new byte[Fingerprinter.LENGTH], 0, 20, 7);
    with.endGroup(64, 60, 20, 0);
    assertThat(with.build().memory()).isEqualTo(before + 16 * 20);
  }
}
