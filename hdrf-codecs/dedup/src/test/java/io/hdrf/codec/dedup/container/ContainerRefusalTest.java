/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.Differences;
import io.hdrf.codec.dedup.container.format.DirectoryBuilder;
import io.hdrf.codec.dedup.container.format.DirectoryFormat;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.codec.dedup.container.format.GroupIndexFormat;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Parts of a container with right CRCs and one wrong field each, which the error names. */
class ContainerRefusalTest {

  private static final Path NAME = Path.of("000000000001.hdc");
  private static final long MARKER = 0xF0E1D2C3B4A59687L;

  /** Changes bytes, little-endian. */
  private interface Change {
    void to(ByteBuffer bytes);
  }

  /** Reads a part. */
  private interface Reader {
    void read(ByteBuffer bytes) throws IOException;
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).order(ByteOrder.LITTLE_ENDIAN);
    return copy.put(bytes.duplicate()).flip();
  }

  private static ContainerHeader header(long id, int... chain) {
    return new ContainerHeader(id, Chunks.IDENTITY, chain, 5, MARKER);
  }

  private static ByteBuffer changed(ByteBuffer bytes, int crcOffset, Change change) {
    ByteBuffer changed = copy(bytes);
    change.to(changed);
    changed.putInt(crcOffset, ContainerFormat.crc(changed, 0, crcOffset));
    return changed;
  }

  private static void assertRefused(Reader reader, ByteBuffer bytes, String what) {
    assertThatThrownBy(() -> reader.read(bytes))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining(NAME.toString())
        .hasMessageContaining(what);
  }

  private static void refuseHeader(String what, Change change) {
    assertRefused(
        in -> ContainerHeader.parse(NAME, in), changed(header(7).encode(), 60, change), what);
  }

  @Test
  void header() throws IOException {
    ContainerHeader most = header(ChunkRef.MAX_CONTAINER, 1, 0xFFFF, 3, 4);
    ByteBuffer longer = ByteBuffer.allocate(70).position(3).put(most.encode()).position(3);
    ContainerHeader read = ContainerHeader.parse(NAME, longer);
    assertThat(longer.position()).isEqualTo(3);
    assertThat(read.id()).isEqualTo(ChunkRef.MAX_CONTAINER);
    assertThat(read.identity()).isEqualTo(Chunks.IDENTITY);
    assertThat(read.chainIds()).containsExactly(1, 0xFFFF, 3, 4);
    assertThat(read.hasChain(new int[] {1, 0xFFFF, 3, 4})).isTrue();
    assertThat(read.hasChain(new int[] {1, 0xFFFF, 3})).isFalse();
    assertThat(read.creationTime()).isEqualTo(5);
    assertThat(read.marker()).isEqualTo(MARKER);

    refuseHeader("magic", in -> in.put(3, (byte) 'D'));
    refuseHeader(
        "flags of the header",
        in -> {
          in.put(4, (byte) 1);
          in.put(5, (byte) 1);
        });
    ByteBuffer flags = changed(header(7).encode(), 60, in -> in.put(5, (byte) 1));
    assertTooNew(() -> ContainerHeader.parse(NAME, flags), "header");
    refuseHeader("header length", in -> in.putShort(6, (short) 65));
    refuseHeader("unused bytes of the header", in -> in.put(48, (byte) 1));
    refuseHeader("unused bytes of the header", in -> in.put(59, (byte) 1));
    refuseHeader("container id", in -> in.putLong(8, ChunkRef.MAX_CONTAINER + 1));
    refuseHeader("container id", in -> in.putLong(8, -1));
    refuseHeader("tail chain", in -> in.putShort(26, (short) 1));
    ByteBuffer flipped = copy(header(7).encode());
    flipped.put(60, (byte) ~flipped.get(60));
    assertRefused(in -> ContainerHeader.parse(NAME, in), flipped, "header CRC32C");
    assertRefused(
        in -> ContainerHeader.parse(NAME, in), copy(header(7).encode()).limit(63), "header");
    for (int version : new int[] {0, 3, 255}) {
      ByteBuffer other = changed(header(7).encode(), 60, in -> in.put(4, (byte) version));
      assertThatThrownBy(() -> ContainerHeader.parse(NAME, other))
          .isInstanceOf(UnknownFormatVersionException.class);
    }
  }

  private static void assertTooNew(ThrowingCallable reading, String part) {
    assertThatThrownBy(reading)
        .isInstanceOfSatisfying(
            UnknownFormatVersionException.class, e -> assertThat(e.isTooNew()).isTrue())
        .hasMessageContaining(NAME.toString())
        .hasMessageContaining("the " + part + " with the flags");
  }

  @Test
  void headersOfOthers() throws IOException {
    header(7).check(NAME, 7, Chunks.IDENTITY);
    assertThatThrownBy(() -> header(7).check(NAME, 8, Chunks.IDENTITY))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("container id");
    assertThatThrownBy(() -> header(7).check(NAME, 7, Chunks.IDENTITY + 1))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("identity of the store");
    for (int[] chain : new int[][] {{0}, {-1}, {1 << 16}, {1, 2, 3, 4, 5}}) {
      assertThatThrownBy(() -> header(7, chain)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static final long POSITION = 1000;

  /** The length of the group index. */
  private static final int INDEX = 30;

  private static ByteBuffer footer(
      long position, int directory, int groups, int chunks, long original) {
    return copy(
        new ContainerFooter(header(7), position, directory, groups, chunks, original, 9, INDEX)
            .encode());
  }

  private static void refuseFooter(String what, ByteBuffer bytes, long fileLength) {
    assertRefused(in -> ContainerFooter.parse(NAME, in, fileLength), bytes, what);
  }

  /** A footer with these counts, whose position is right. */
  private static void refuseCounts(
      String what, int directory, int groups, int chunks, long original) {
    refuseFooter(
        what,
        footer(POSITION, directory, groups, chunks, original),
        POSITION + directory + INDEX + 96L);
  }

  private static void takeCounts(int directory, int groups, int chunks, long original)
      throws IOException {
    ContainerFooter read =
        ContainerFooter.parse(
            NAME,
            footer(POSITION, directory, groups, chunks, original),
            POSITION + directory + INDEX + 96L);
    assertThat(read.header().id()).isEqualTo(7);
    assertThat(read.directoryPosition()).isEqualTo(POSITION);
    assertThat(read.directoryLength()).isEqualTo(directory);
    assertThat(read.groupCount()).isEqualTo(groups);
    assertThat(read.chunkCount()).isEqualTo(chunks);
    assertThat(read.originalBytes()).isEqualTo(original);
    assertThat(read.sealTime()).isEqualTo(9);
  }

  @Test
  void footer() throws IOException {
    int chunks = ContainerFormat.MAX_CHUNKS;
    int longest = DirectoryFormat.MAX_LENGTH;
    long most = (long) chunks * ContainerFormat.MAX_CHUNK_LENGTH;
    takeCounts(longest, chunks, chunks, most);
    takeCounts(DirectoryFormat.MIN_LENGTH, 0, 0, 0);
    takeCounts(100, 1, 3, 3);
    refuseCounts("number of chunks", 100, 1, chunks + 1, most);
    refuseCounts("number of chunks", 100, 1, -1, most);
    refuseCounts("directory length", longest + 1, 1, 3, 3);
    refuseCounts("directory length", DirectoryFormat.MIN_LENGTH - 1, 1, 3, 3);
    refuseCounts("number of groups", 100, 0, 3, 3);
    refuseCounts("number of groups", 100, 4, 3, 3);
    refuseCounts("number of groups", 100, 1, 0, 0);
    refuseCounts("bytes of all chunks", 100, 1, 3, 2);
    refuseCounts("bytes of all chunks", 100, 1, 3, 3L * ContainerFormat.MAX_CHUNK_LENGTH + 1);

    ByteBuffer sound = footer(64, 100, 1, 3, 3);
    ContainerFooter.parse(NAME, sound, 64 + 100 + INDEX + 96);
    refuseFooter("directory position", sound, 64 + 100 + INDEX + 97);
    refuseFooter("directory position", sound, 64 + 100 + INDEX + 95);
    refuseFooter("directory position", footer(63, 100, 1, 3, 3), 63 + 100 + INDEX + 96);
    refuseFooter("footer", copy(sound).limit(95), 290);
    refuseFooter("footer", ByteBuffer.allocate(97).put(sound.duplicate()).rewind(), 290);
    refuseFooter("magic", changed(sound, 92, in -> in.put(3, (byte) 'D')), 290);
    ByteBuffer flags = changed(sound, 92, in -> in.put(5, (byte) 1));
    assertTooNew(() -> ContainerFooter.parse(NAME, flags, 290), "footer");
    refuseFooter(
        "flags of the footer",
        changed(
            sound,
            92,
            in -> {
              in.put(4, (byte) 1);
              in.put(5, (byte) 1);
            }),
        290);
    // Version 1 has no group index, and all others have one.
    refuseFooter("length of the group index", changed(sound, 92, in -> in.put(4, (byte) 1)), 290);
    for (int length : new int[] {0, 19, GroupIndexFormat.MAX_LENGTH + 1, -1}) {
      refuseFooter(
          "length of the group index", changed(sound, 92, in -> in.putInt(84, length)), 290);
    }
    refuseFooter("directory position", changed(sound, 92, in -> in.putInt(84, 31)), 290);
    refuseFooter("footer length", changed(sound, 92, in -> in.putShort(6, (short) 95)), 290);
    refuseFooter("unused bytes", changed(sound, 92, in -> in.put(88, (byte) 1)), 290);
    refuseFooter("unused bytes", changed(sound, 92, in -> in.put(91, (byte) 1)), 290);
    ByteBuffer flipped = copy(sound);
    flipped.put(70, (byte) 1);
    refuseFooter("footer CRC32C", flipped, 290);
    ByteBuffer later = changed(sound, 92, in -> in.put(4, (byte) 3));
    assertThatThrownBy(() -> ContainerFooter.parse(NAME, later, 290))
        .isInstanceOf(UnknownFormatVersionException.class);
  }

  private static ByteBuffer group(int[] numbers, int[] lengths, int stored, int stages) {
    int length = GroupHeader.length(numbers, lengths, numbers.length, Differences.NONE);
    ByteBuffer group = ByteBuffer.allocate(length + stored).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < stored; i++) {
      group.put(length + i, (byte) (i + 1));
    }
    int[] crcs = new int[numbers.length];
    for (int i = 0; i < crcs.length; i++) {
      crcs[i] = 1000 + numbers[i];
    }
    GroupHeader.put(
        group,
        MARKER,
        numbers,
        lengths,
        crcs,
        numbers.length,
        Differences.NONE,
        length,
        stored,
        ContainerFormat.crc(group, length, length + stored),
        stages);
    return group.clear();
  }

  private static ByteBuffer changedGroup(ByteBuffer group, Change change) {
    ByteBuffer changed = copy(group);
    int end = GroupHeader.FIXED_LENGTH + changed.getInt(32);
    change.to(changed);
    int crc = ContainerFormat.crc(changed, 0, 40);
    changed.putInt(40, ContainerFormat.crc(crc, changed, GroupHeader.FIXED_LENGTH, end));
    return changed;
  }

  private static void refuseGroup(String what, ByteBuffer group) {
    assertRefused(in -> GroupHeader.parse(NAME, in, MARKER), group, what);
  }

  @Test
  void groupHeader() throws IOException {
    int last = ContainerFormat.MAX_CHUNKS - 1;
    ByteBuffer group = group(new int[] {0, 2, 3, last}, new int[] {1, 200, 3, 4}, 10, 15);
    GroupHeader header = GroupHeader.parse(NAME, group, MARKER);
    // Lengths of 1, 2, 1 and 1 bytes, gaps of 1, 1 and 3, and CRCs.
    assertThat(header.length()).isEqualTo(44 + 5 + 5 + 4 * 4);
    assertThat(GroupHeader.peekLength(NAME, group, MARKER)).isEqualTo(header.length());
    assertThat(header.originalLength()).isEqualTo(208);
    assertThat(header.storedLength()).isEqualTo(10);
    assertThat(header.storedCrc()).isEqualTo(ContainerFormat.crc(group, 70, 80));
    assertThat(header.stages()).isEqualTo(15);
    assertThat(header.chunkCount()).isEqualTo(4);
    assertThat(header.firstNumber()).isZero();
    assertThat(header.lastNumber()).isEqualTo(last);
    assertThat(header.number(1)).isEqualTo(2);
    assertThat(header.number(2)).isEqualTo(3);
    assertThat(header.chunkLength(0)).isEqualTo(1);
    assertThat(header.chunkLength(3)).isEqualTo(4);
    assertThat(header.lengthOf(1, 3)).isEqualTo(203);
    assertThat(header.hasChecksums()).isTrue();
    assertThat(header.checksum(1)).isEqualTo(1002);
    assertThat(header.indexOf(3)).isEqualTo(2);
    assertThat(header.indexOf(1)).isEqualTo(-1);
    assertThat(header.indexOf(4)).isEqualTo(-1);

    ByteBuffer small = group(new int[] {5, 6}, new int[] {3, 4}, 7, 0);
    GroupHeader read = GroupHeader.parse(NAME, small, MARKER);
    assertThat(read.length()).isEqualTo(46 + 8);
    assertThat(read.lastNumber()).isEqualTo(6);
    assertThat(read.indexOf(4)).isEqualTo(-1);
    assertThat(read.indexOf(6)).isEqualTo(1);
    assertThat(read.indexOf(7)).isEqualTo(-1);
    assertThat(read.checksum(1)).isEqualTo(1006);
    refuseGroup("magic and marker", changedGroup(small, in -> in.put(0, (byte) 0)));
    for (int i = 0; i < 12; i++) {
      int at = i;
      refuseGroup("magic and marker", changedGroup(small, in -> in.put(at, (byte) ~in.get(at))));
    }
    refuseGroup("original length", changedGroup(small, in -> in.putInt(12, 0)));
    refuseGroup(
        "original length",
        changedGroup(small, in -> in.putInt(12, ContainerFormat.MAX_GROUP_LENGTH + 1)));
    refuseGroup("stored length", changedGroup(small, in -> in.putInt(16, 8)));
    refuseGroup("stored length", changedGroup(small, in -> in.putInt(16, -1)));
    refuseGroup("stage mask", changedGroup(small, in -> in.put(36, (byte) 16)));
    for (int flag = 8; flag <= 128; flag *= 2) {
      byte flags = (byte) (flag | 2);
      assertTooNew(
          () -> GroupHeader.parse(NAME, changedGroup(small, in -> in.put(37, flags)), MARKER),
          "group");
    }
    refuseGroup("bytes behind a group's table", changedGroup(small, in -> in.put(37, (byte) 0)));
    refuseGroup("unused bytes", changedGroup(small, in -> in.put(38, (byte) 1)));
    refuseGroup("unused bytes", changedGroup(small, in -> in.put(39, (byte) 1)));
    refuseGroup("chunks of a group", changedGroup(small, in -> in.putInt(28, 0)));
    refuseGroup("chunks of a group", changedGroup(small, in -> in.putInt(28, 3)));
    refuseGroup("lengths of a group's chunks", changedGroup(small, in -> in.put(45, (byte) 3)));
    refuseGroup("length of a chunk", changedGroup(small, in -> in.put(45, (byte) 5)));
    refuseGroup("length of a chunk", changedGroup(small, in -> in.put(44, (byte) 0)));
    refuseGroup("chunk number", changedGroup(small, in -> in.putInt(24, -1)));
    refuseGroup("chunk number", changedGroup(small, in -> in.putInt(24, last)));
    GroupHeader.parse(NAME, changedGroup(small, in -> in.putInt(24, last - 1)), MARKER);
    ByteBuffer gap = group(new int[] {5, 7}, new int[] {3, 4}, 0, 0);
    GroupHeader.parse(NAME, changedGroup(gap, in -> in.putInt(24, last - 2)), MARKER);
    refuseGroup("gap", changedGroup(gap, in -> in.putInt(24, last - 1)));
    refuseGroup("bytes behind a group's table", changedGroup(gap, in -> in.put(37, (byte) 2)));
    ByteBuffer flipped = copy(small);
    flipped.put(45, (byte) 9);
    refuseGroup("group header CRC32C", flipped);
    refuseGroup("bytes of a group", copy(small).limit(45));
    refuseGroup("group header", copy(small).limit(43));
    for (int table : new int[] {0, -1, GroupHeader.MAX_LENGTH - 43}) {
      ByteBuffer wrong = copy(small);
      wrong.putInt(32, table);
      refuseGroup("length of a group's table", wrong);
    }
    for (int table : new int[] {1, GroupHeader.MAX_LENGTH - 44}) {
      ByteBuffer peeked = copy(small);
      peeked.putInt(32, table);
      assertThat(GroupHeader.peekLength(NAME, peeked, MARKER)).isEqualTo(44 + table);
    }
  }

  @Test
  void soundHeadersContradictOtherBytes() {
    ByteBuffer group = group(new int[] {5, 6}, new int[] {3, 4}, 7, 0);
    ByteBuffer stored = copy(group).position(54).slice();
    assertThat(GroupHeader.contradicts(group, MARKER, stored.duplicate())).isFalse();
    ByteBuffer other = copy(stored);
    other.put(6, (byte) 0);
    assertThat(GroupHeader.contradicts(group, MARKER, other.duplicate())).isTrue();
    // From a position on, and no more than there is.
    ByteBuffer behind = ByteBuffer.allocate(58).position(4).put(copy(group).limit(54)).position(4);
    assertThat(GroupHeader.contradicts(behind, MARKER, other.duplicate())).isTrue();
    assertThat(GroupHeader.contradicts(behind, MARKER, stored.duplicate())).isFalse();
    assertThat(GroupHeader.contradicts(copy(group).limit(53), MARKER, other.duplicate())).isFalse();
    assertThat(GroupHeader.contradicts(copy(group).limit(43), MARKER, other.duplicate())).isFalse();
    assertThat(GroupHeader.contradicts(group, MARKER + 1, other.duplicate())).isFalse();
    for (int damaged : new int[] {0, 13, 32, 40, 45}) {
      ByteBuffer header = copy(group);
      header.put(damaged, (byte) ~header.get(damaged));
      assertThat(GroupHeader.contradicts(header, MARKER, other.duplicate())).isFalse();
    }
    ByteBuffer none = copy(group);
    none.putInt(32, 0);
    assertThat(GroupHeader.contradicts(none, MARKER, other.duplicate())).isFalse();
  }

  /** Groups of 2 and 1 chunks, with numbers 0, 3 and 4. */
  private static ByteBuffer directory() {
    DirectoryBuilder builder = new DirectoryBuilder();
    byte[] name = new byte[Fingerprinter.LENGTH];
    builder.addChunk(0, 10, 77, name, 0);
    builder.addChunk(3, 20, 78, name, 0);
    builder.endGroup(64, 46, 30, 0);
    builder.addChunk(4, 40, 79, name, 0);
    builder.endGroup(140, 45, 35, 1);
    ContainerDirectory directory = builder.build();
    ByteBuffer out = ByteBuffer.allocate(DirectoryFormat.encodedLength(directory, 1));
    DirectoryFormat.encode(directory, 1, out);
    return copy(out);
  }

  private static void refuseDirectory(String what, Change change) {
    ByteBuffer bytes = directory();
    assertRefused(
        in -> DirectoryFormat.parse(NAME, in, 220),
        changed(bytes, bytes.limit() - 4, change),
        what);
  }

  @Test
  void directoryOfAContainer() throws IOException {
    // 16 fixed; groups at 16 and 20; runs at 24 and 26; lengths at 28; CRCs at 31.
    ByteBuffer bytes = directory();
    assertThat(bytes.remaining()).isEqualTo(16 + 8 + 4 + 3 + 3 * 36 + 4);
    ContainerDirectory read = DirectoryFormat.parse(NAME, bytes, 220);
    assertThat(read.numbers().toString()).isEqualTo("{0, 3, 4}");
    assertThat(read.originalBytes()).isEqualTo(70);
    assertThat(read.originalLength(0)).isEqualTo(30);
    assertThat(read.groupPosition(1)).isEqualTo(140);
    assertThat(read.stages(1)).isEqualTo(1);
    assertThat(read.checksum(2)).isEqualTo(79);
    refuseDirectory("magic of the directory", in -> in.put(3, (byte) 'C'));
    refuseDirectory("directory length", in -> in.putInt(4, in.limit() - 1));
    refuseDirectory("number of chunks", in -> in.putInt(12, -1));
    refuseDirectory("number of chunks", in -> in.putInt(12, 4));
    refuseDirectory("number of groups", in -> in.putInt(8, 0));
    refuseDirectory("number of groups", in -> in.putInt(8, 4));
    refuseDirectory("length of a group header", in -> in.put(16, (byte) 44));
    refuseDirectory("chunks of a group", in -> in.put(18, (byte) 0));
    refuseDirectory("chunks of a group", in -> in.put(18, (byte) 4));
    refuseDirectory("chunks of all groups", in -> in.put(18, (byte) 1));
    refuseDirectory("stage mask", in -> in.put(19, (byte) 16));
    refuseDirectory("end of the last group", in -> in.put(17, (byte) 29));
    refuseDirectory("run of chunks", in -> in.put(25, (byte) 0));
    refuseDirectory("run of chunks", in -> in.put(27, (byte) 3));
    refuseDirectory("length of a chunk", in -> in.put(28, (byte) 0));
    refuseDirectory("bytes of a group", in -> in.put(30, (byte) 34));
    ByteBuffer flipped = directory();
    flipped.put(31, (byte) 0);
    assertRefused(in -> DirectoryFormat.parse(NAME, in, 220), flipped, "directory CRC32C");
    assertRefused(
        in -> DirectoryFormat.parse(NAME, in, 220), directory().limit(19), "directory length");
    assertRefused(in -> DirectoryFormat.parse(NAME, in, 221), directory(), "end of the last group");
  }

  @Test
  void names() {
    assertThat(ContainerNames.id("0123456789ab.hdc", ".hdc")).isEqualTo(-1);
    assertThat(ContainerNames.id("00ffffffffff.hdc", ".hdc")).isEqualTo(ChunkRef.MAX_CONTAINER);
    assertThat(ContainerNames.id("010000000000.hdc", ".hdc")).isEqualTo(-1);
    assertThat(ContainerNames.id("000000000000.hdc", ".hdc")).isZero();
    assertThat(ContainerNames.id("00000000009a.hdc.open", ".hdc.open")).isEqualTo(0x9a);
    for (String other :
        new String[] {
          "00000000009A.hdc", "00000000009g.hdc", "00000000009/.hdc", "00000000009:.hdc",
          "00000000009`.hdc", "0000000009a.hdc", "0000000000009a.hdc", "00000000009a.hdd",
          "00000000009a.hdc.tmp", "00000000009a"
        }) {
      assertThat(ContainerNames.id(other, ".hdc")).as(other).isEqualTo(-1);
    }
    assertThat(ContainerNames.file(Path.of("d"), 0x9a, ".hdc"))
        .isEqualTo(Path.of("d", "00000000009a.hdc"));
  }

  /** Sets one of the settings. */
  private interface Setter {
    ContainerSettings set(long value);
  }

  private static void assertRange(long min, long max, Setter setter) {
    assertThatCode(() -> setter.set(min)).doesNotThrowAnyException();
    assertThatCode(() -> setter.set(max)).doesNotThrowAnyException();
    assertThatThrownBy(() -> setter.set(min - 1)).isInstanceOf(IllegalArgumentException.class);
    if (max < Integer.MAX_VALUE || max == 1L << 40) {
      assertThatThrownBy(() -> setter.set(max + 1)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void settings() {
    ContainerSettings defaults = ContainerSettings.of(7);
    assertRange(1, 1L << 40, defaults::containerSize);
    assertRange(1, ContainerFormat.MAX_GROUP_LENGTH, n -> defaults.groupSize((int) n));
    assertRange(1, ContainerFormat.MAX_CHUNKS, n -> defaults.maxChunks((int) n));
    assertRange(1, Integer.MAX_VALUE, n -> defaults.maxOpenFiles((int) n));
    assertRange(0, Long.MAX_VALUE, defaults::directoryMemory);
    assertRange(0, Long.MAX_VALUE, defaults::groupMemory);
    ContainerSettings set =
        defaults
            .containerSize(1)
            .groupSize(2)
            .maxChunks(3)
            .maxOpenFiles(4)
            .directoryMemory(5)
            .groupMemory(6);
    assertThat(set.identity()).isEqualTo(7);
    assertThat(set.containerSize()).isEqualTo(1);
    assertThat(set.groupSize()).isEqualTo(2);
    assertThat(set.maxChunks()).isEqualTo(3);
    assertThat(set.maxOpenFiles()).isEqualTo(4);
    assertThat(set.directoryMemory()).isEqualTo(5);
    assertThat(set.groupMemory()).isEqualTo(6);
    assertThat(defaults.containerSize()).isEqualTo(256L << 20);
    assertThat(defaults.groupSize()).isEqualTo(128 << 10);
  }
}
