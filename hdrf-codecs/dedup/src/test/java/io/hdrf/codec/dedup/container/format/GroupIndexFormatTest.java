/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The group index, and the directory beside it. */
class GroupIndexFormatTest {

  private static final Path NAME = Path.of("000000000007.hdc");

  private final Random random = TestSeed.random("group index");

  /** Changes bytes before their CRC is made right again. */
  private interface Change {
    void to(ByteBuffer bytes);
  }

  private ContainerDirectory random(int groups) {
    DirectoryBuilder builder = new DirectoryBuilder(1, 1);
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    long position = ContainerHeader.LENGTH;
    int number = random.nextInt(3);
    boolean gaps = random.nextBoolean();
    boolean differences = random.nextBoolean();
    long base = randomBase();
    for (int g = 0; g < groups; g++) {
      int chunks = 1 + random.nextInt(20);
      int original = 0;
      for (int i = 0; i < chunks; i++) {
        random.nextBytes(fingerprint);
        int length = 1 + random.nextInt(20_000);
        if (differences && random.nextInt(3) == 0) {
          base = random.nextBoolean() ? base + 1 : randomBase();
          int whole = length + 1 + random.nextInt(ContainerFormat.MAX_CHUNK_LENGTH - length);
          builder.addDifference(number, length, random.nextInt(), fingerprint, 0, whole, base);
        } else {
          builder.addChunk(number, length, random.nextInt(), fingerprint, 0);
        }
        original += length;
        number += 1 + (gaps && random.nextInt(5) == 0 ? random.nextInt(300) : 0);
      }
      int header = GroupHeader.MIN_LENGTH + random.nextInt(500);
      int stored = random.nextInt(original + 1);
      builder.endGroup(position, header, stored, random.nextInt(16));
      position += header + stored;
    }
    return builder.build();
  }

  private long randomBase() {
    return ChunkRef.pack(
        random.nextBoolean()
            ? random.nextLong(ChunkRef.MAX_CONTAINER + 1)
            : random.nextBoolean() ? ChunkRef.MAX_CONTAINER : random.nextInt(3),
        random.nextInt(ContainerFormat.MAX_CHUNKS - 100));
  }

  private static long end(ContainerDirectory content) {
    int groups = content.groupCount();
    return groups == 0 ? ContainerHeader.LENGTH : content.groupEnd(groups - 1);
  }

  private static ByteBuffer index(ContainerDirectory content) {
    ByteBuffer bytes = ByteBuffer.allocate(GroupIndexFormat.encodedLength(content));
    GroupIndexFormat.encode(content, bytes);
    assertThat(bytes.remaining()).isEqualTo(bytes.capacity());
    return bytes.order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer directory(ContainerDirectory content) {
    ByteBuffer bytes = ByteBuffer.allocate(DirectoryFormat.encodedLength(content, 2));
    DirectoryFormat.encode(content, 2, bytes);
    assertThat(bytes.remaining()).isEqualTo(bytes.capacity());
    return bytes.order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    for (int n = 0; n < 200; n++) {
      ContainerDirectory content = random(n);
      ByteBuffer index = index(content);
      GroupIndex groups = GroupIndexFormat.parse(NAME, index, end(content));
      assertThat(groups.groupCount()).isEqualTo(n);
      assertThat(groups.memory()).isEqualTo(200 + 21L * n);
      for (int g = 0; g < n; g++) {
        int first = content.firstChunk(g);
        assertThat(groups.firstNumber(g)).isEqualTo(content.number(first));
        assertThat(groups.position(g)).isEqualTo(content.groupPosition(g));
        assertThat(groups.end(g)).isEqualTo(content.groupEnd(g));
        assertThat(groups.headerLength(g)).isEqualTo(content.headerLength(g));
        assertThat(groups.storedLength(g)).isEqualTo(content.storedLength(g));
        assertThat(groups.stages(g)).isEqualTo(content.stages(g));
      }
      assertSameGroups(groups, content);
      assertSameGroups(content.groups(), content);
      ContainerDirectory read =
          DirectoryFormat.parse(
              NAME, directory(content), GroupIndexFormat.parseGroups(NAME, index, end(content)));
      assertThat(read.sameContent(content)).isTrue();
      assertThat(read.hasChecksums()).isFalse();
      assertThat(read.originalBytes()).isEqualTo(content.originalBytes());
      assertSameGroups(read.groups(), content);
    }
  }

  private static void assertSameGroups(GroupIndex groups, ContainerDirectory content) {
    for (int i = 0; i < content.chunkCount(); i++) {
      assertThat(groups.groupOf(content.number(i))).isEqualTo(content.groupOf(i));
    }
    int chunks = content.chunkCount();
    assertThat(groups.groupOf(-1)).isEqualTo(-1);
    assertThat(groups.groupOf(chunks == 0 ? 0 : content.number(chunks - 1) + 1)).isEqualTo(-1);
    for (int g = 0; g < content.groupCount(); g++) {
      assertThat(groups.endNumber(g)).isGreaterThan(content.number(content.endChunk(g) - 1));
    }
  }

  /** Whatever is in them, with right CRCs: they are refused, or agree with each other. */
  @Test
  void changedBytes() throws IOException {
    int taken = 0;
    for (int n = 0; n < 20_000; n++) {
      ContainerDirectory content = random(1 + random.nextInt(4));
      ByteBuffer index = index(content);
      ByteBuffer directory = directory(content);
      ByteBuffer changed = random.nextBoolean() ? index : directory;
      int position = 8 + random.nextInt(changed.limit() - 12);
      change(changed, bytes -> bytes.put(position, (byte) random.nextInt()));
      try {
        ContainerDirectory read =
            DirectoryFormat.parse(
                NAME, directory, GroupIndexFormat.parseGroups(NAME, index, end(content)));
        taken++;
        for (int i = 0; i < read.chunkCount(); i++) {
          assertThat(read.groups().groupOf(read.number(i))).isEqualTo(read.groupOf(i));
        }
      } catch (CorruptFileException | UnknownFormatVersionException e) {
        assertThat(e).hasMessageContaining(NAME.toString());
      }
    }
    // Most bytes are those of fingerprints.
    assertThat(taken).isPositive();
  }

  private static void change(ByteBuffer bytes, Change change) {
    change.to(bytes);
    int end = bytes.limit() - Integer.BYTES;
    bytes.putInt(end, ContainerFormat.crc(bytes, 0, end));
  }

  /** Groups of 2 and 1 chunks, with numbers 0, 3 and 4. */
  private static ContainerDirectory three() {
    DirectoryBuilder builder = new DirectoryBuilder();
    byte[] name = new byte[Fingerprinter.LENGTH];
    builder.addChunk(0, 10, 77, name, 0);
    builder.addChunk(3, 20, 78, name, 0);
    builder.endGroup(64, 55, 30, 0);
    builder.addChunk(4, 40, 79, name, 0);
    builder.endGroup(149, 49, 35, 1);
    return builder.build();
  }

  private static void refuseIndex(String what, Change change) {
    ByteBuffer bytes = index(three());
    change(bytes, change);
    assertThatThrownBy(() -> GroupIndexFormat.parse(NAME, bytes, 233))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining(NAME.toString())
        .hasMessageContaining(what);
  }

  @Test
  void wrongIndexes() throws IOException {
    // 16 fixed; groups of 7 bytes at 16 and 23.
    assertThat(index(three()).limit()).isEqualTo(16 + 2 * 7 + 4);
    GroupIndexFormat.parse(NAME, index(three()), 233);
    refuseIndex("magic of the group index", in -> in.put(3, (byte) 'D'));
    refuseIndex("length of the group index", in -> in.putInt(4, 33));
    refuseIndex("number of groups", in -> in.putInt(12, 3));
    refuseIndex("number of groups", in -> in.putInt(12, -1));
    refuseIndex("bytes behind the groups", in -> in.putInt(12, 1));
    refuseIndex("length of a group header", in -> in.put(16, (byte) 48));
    refuseIndex("bytes of a group", in -> in.put(18, (byte) 29));
    refuseIndex("chunks of a group", in -> in.put(20, (byte) 0));
    refuseIndex("chunks of a group", in -> in.put(20, (byte) 31));
    refuseIndex("gaps in a group", in -> in.put(28, (byte) 1));
    refuseIndex("stage mask", in -> in.put(22, (byte) 16));
    refuseIndex("end of the last group", in -> in.put(17, (byte) 29));
    ByteBuffer flipped = index(three());
    flipped.put(20, (byte) 3);
    assertThatThrownBy(() -> GroupIndexFormat.parse(NAME, flipped, 233))
        .hasMessageContaining("CRC32C of the group index");
    assertThatThrownBy(() -> GroupIndexFormat.parse(NAME, index(three()).limit(19), 233))
        .hasMessageContaining("length of the group index");
    assertThatThrownBy(() -> GroupIndexFormat.parse(NAME, index(three()), 234))
        .hasMessageContaining("end of the last group");
  }

  private static void refuseDirectory(String what, Change change) throws IOException {
    ByteBuffer bytes = directory(three());
    change(bytes, change);
    GroupIndexFormat.Groups groups = GroupIndexFormat.parseGroups(NAME, index(three()), 233);
    assertThatThrownBy(() -> DirectoryFormat.parse(NAME, bytes, groups))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining(NAME.toString())
        .hasMessageContaining(what);
  }

  @Test
  void directoriesThatDontFitTheIndex() throws IOException {
    // 16 fixed; runs at 16 and 18; lengths at 20; fingerprints at 23.
    assertThat(directory(three()).limit()).isEqualTo(16 + 4 + 3 + 3 * 32 + 4);
    refuseDirectory("chunks of all groups", in -> in.putInt(12, 4));
    refuseDirectory("first chunk of a group", in -> in.put(16, (byte) 1));
    refuseDirectory("first chunk of a group", in -> in.put(18, (byte) 3));
    refuseDirectory("bytes of a group", in -> in.put(20, (byte) 11));
    refuseDirectory("directory length", in -> in.putInt(4, 1));
  }

  @Test
  void flagsAreOfLaterBuilds() throws IOException {
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      int flag = 1 << bit;
      ByteBuffer index = index(three());
      change(index, in -> in.putInt(8, flag));
      assertTooNew("the group index with the flags", () -> GroupIndexFormat.parse(NAME, index, 1));
      if (flag == 1) {
        // A directory with differences.
        continue;
      }
      ByteBuffer directory = directory(three());
      change(directory, in -> in.putInt(8, flag));
      GroupIndexFormat.Groups groups = GroupIndexFormat.parseGroups(NAME, index(three()), 233);
      assertTooNew(
          "the directory with the flags", () -> DirectoryFormat.parse(NAME, directory, groups));
    }
  }

  private static void assertTooNew(String part, ThrowingCallable reading) {
    assertThatThrownBy(reading)
        .isInstanceOfSatisfying(
            UnknownFormatVersionException.class, e -> assertThat(e.isTooNew()).isTrue())
        .hasMessageContaining(NAME.toString())
        .hasMessageContaining(part);
  }
}
