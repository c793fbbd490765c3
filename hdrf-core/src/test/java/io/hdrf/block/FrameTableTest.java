/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.jni.Crc32c;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables with a right CRC and one thing wrong. */
class FrameTableTest {

  private static final Path NAME = Path.of("blk_1");

  /** Three frames of 200, 200 and 100 bytes, stored in 8, 9 and 10 bytes. */
  private static final long LOGICAL = 500;

  private static final long TABLE_POSITION = 64 + 8 + 9 + 10;

  private static final int[] LENGTHS = {2, 0xC8, 0x01, 1, 100};
  private static final int[] STAGES = {1, 0, 2, 1};
  private static final int[] STORED = {8, 9, 10};
  private static final int[] CHECKSUMS = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};

  private static FrameTable parse(int count, int[]... parts) throws CorruptBlockException {
    ByteBuffer table = ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
    table.position(4);
    table.put((byte) count);
    for (int[] part : parts) {
      for (int value : part) {
        table.put((byte) value);
      }
    }
    table.flip().position(4);
    table.putInt(0, Crc32c.update(0, table.slice()));
    table.position(0);
    BlockHeader header =
        new BlockHeader(new int[] {17}, 1, 2, LOGICAL, TABLE_POSITION, table.remaining());
    return FrameTable.parse(NAME, header, table);
  }

  private static void assertCorrupt(String message, int count, int[]... parts) {
    assertThatThrownBy(() -> parse(count, parts))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageStartingWith("blk_1: ")
        .hasMessageContaining(message);
  }

  @Test
  void rightTable() throws CorruptBlockException {
    FrameTable table = parse(3, LENGTHS, STAGES, STORED, CHECKSUMS);
    assertThat(table.frameCount()).isEqualTo(3);
    assertThat(table.originalPosition(2)).isEqualTo(400);
    assertThat(table.originalLength(2)).isEqualTo(100);
    assertThat(table.storedPosition(2)).isEqualTo(64 + 8 + 9);
    assertThat(table.storedLength(2)).isEqualTo(10);
    assertThat(table.stages(0)).isZero();
    assertThat(table.stages(2)).isEqualTo(1);
    assertThat(table.checksum(1)).isEqualTo(2);
    assertThat(table.maxOriginalLength()).isEqualTo(200);
    assertThat(table.maxStoredLength()).isEqualTo(10);
    assertThat(table.frameAt(199)).isZero();
    assertThat(table.frameAt(200)).isEqualTo(1);
    assertThat(table.frameAt(499)).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 6, 100, 0x80})
  void frameCountMustFit(int count) {
    assertCorrupt("frame count", count, LENGTHS, STAGES, STORED, CHECKSUMS);
  }

  @Test
  void originalLengthsMustFit() {
    assertCorrupt("run of original", 3, new int[] {0, 100}, STAGES, STORED, CHECKSUMS);
    assertCorrupt("run of original", 3, new int[] {4, 100}, STAGES, STORED, CHECKSUMS);
    assertCorrupt("original length", 3, new int[] {3, 0}, STAGES, STORED, CHECKSUMS);
    int[] oneTooLong = {3, 0x81, 0x80, 0x80, 0x80, 0x04};
    assertCorrupt("original length", 3, oneTooLong, STAGES, STORED, CHECKSUMS);
    int[] endless = {3, 0x81, 0x80, 0x80, 0x80, 0x80, 0x01};
    assertCorrupt("original length", 3, endless, STAGES, STORED, CHECKSUMS);
    int[] beyondInt = {3, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F};
    assertCorrupt("original length", 3, beyondInt, STAGES, STORED, CHECKSUMS);
    int[] wrapsTo200 = {2, 0xC8, 0x81, 0x80, 0x80, 0x10, 1, 100};
    assertCorrupt("original length", 3, wrapsTo200, STAGES, STORED, CHECKSUMS);
    assertCorrupt("sum of original", 3, new int[] {3, 100}, STAGES, STORED, CHECKSUMS);
  }

  @Test
  void stagesMustFit() {
    assertCorrupt("run of stages", 3, LENGTHS, new int[] {0, 1}, STORED, CHECKSUMS);
    assertCorrupt("run of stages", 3, LENGTHS, new int[] {4, 1}, STORED, CHECKSUMS);
    assertCorrupt("stages", 3, LENGTHS, new int[] {3, 2}, STORED, CHECKSUMS);
    assertCorrupt("stages", 3, LENGTHS, new int[] {3, 0x80}, STORED, CHECKSUMS);
  }

  @Test
  void storedLengthsMustFit() {
    assertCorrupt("end of the last", 3, LENGTHS, STAGES, new int[] {8, 9, 9}, CHECKSUMS);
    assertCorrupt("end of the last", 3, LENGTHS, STAGES, new int[] {8, 9, 11}, CHECKSUMS);
  }

  @Test
  void nothingMayBeMissing() {
    int[] endless = new int[12];
    Arrays.fill(endless, 0x80);
    assertCorrupt("run of stages", 3, LENGTHS, endless);
    assertCorrupt("frame CRCs", 3, LENGTHS, STAGES, STORED, new int[] {1, 0, 0, 0, 2, 0, 0, 0, 3});
    assertCorrupt("run of original", 3, new int[20]);
  }

  @Test
  void nothingMayFollow() {
    assertCorrupt("bytes behind", 3, LENGTHS, STAGES, STORED, CHECKSUMS, new int[] {0});
  }

  @Test
  void tableMustBeAsLongAsTheHeaderSays() {
    BlockHeader header = new BlockHeader(new int[] {17}, 1, 2, LOGICAL, TABLE_POSITION, 20);
    assertThatThrownBy(() -> FrameTable.parse(NAME, header, ByteBuffer.allocate(19)))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("frame table: expected 20 bytes, found 19");
  }

  private static BlockHeader parseHeader(long tablePosition, int tableLength, long logicalLength)
      throws IOException {
    BlockHeader header =
        new BlockHeader(new int[] {17}, 1, 2, logicalLength, tablePosition, tableLength);
    return BlockHeader.parse(NAME, ByteBuffer.wrap(header.encode(TestBlock.KEY)), TestBlock.KEY);
  }

  private static void assertHeader(long position, int length, long logical, String message) {
    assertThatThrownBy(() -> parseHeader(position, length, logical))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining(message);
  }

  @Test
  void theHeadersBoundsAreExact() throws IOException {
    int longest = BlockFormat.MAX_TABLE_LENGTH;
    assertThat(parseHeader(64, 14, 78).physicalLength()).isEqualTo(78);
    assertThat(parseHeader(64, longest, 64 + longest).tableLength()).isEqualTo(longest);
    assertHeader(63, 15, 78, "frame table position: expected at least 64, found 63");
    assertHeader(65, 13, 78, "frame table length");
    assertHeader(64, longest + 1, 64L + longest + 1, "frame table length");
    assertHeader(64, 15, 78, "physical end: expected at most 78, found 79");
  }

  @Test
  void aHeaderHas64BytesAndAMagicFour() throws IOException {
    byte[] raw = new BlockHeader(new int[] {17}, 1, 2, 100, 64, 14).encode(TestBlock.KEY);
    assertThat(BlockHeader.hasMagic(ByteBuffer.wrap(raw, 0, 4))).isTrue();
    assertThat(BlockHeader.hasMagic(ByteBuffer.wrap(raw, 0, 3))).isFalse();
    assertThat(BlockHeader.hasMagic(ByteBuffer.wrap(raw, 1, 63))).isFalse();
    assertThatThrownBy(() -> BlockHeader.parse(NAME, ByteBuffer.wrap(raw, 0, 63), null))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("header: expected 64 bytes, found 63");
    ByteBuffer inside = ByteBuffer.allocate(70);
    inside.position(6);
    inside.put(raw).position(6);
    assertThat(BlockHeader.parse(NAME, inside, TestBlock.KEY).logicalLength()).isEqualTo(100);
    assertThat(inside.position()).isEqualTo(6);
  }

  @Test
  void framesAreKnownByTheirNumbersAlone() throws CorruptBlockException {
    FrameTable table = parse(3, LENGTHS, STAGES, STORED, CHECKSUMS);
    assertThat(table.originalEnd(0)).isEqualTo(200);
    assertThat(table.originalEnd(2)).isEqualTo(500);
    assertThat(table.storedEnd(0)).isEqualTo(64 + 8);
    assertThat(table.storedEnd(2)).isEqualTo(TABLE_POSITION);
    for (int frame : new int[] {-1, 3}) {
      assertThatThrownBy(() -> table.originalPosition(frame))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessage("no frame " + frame + " of 3");
      assertThatThrownBy(() -> table.originalEnd(frame)).hasMessageContaining("no frame");
      assertThatThrownBy(() -> table.storedPosition(frame)).hasMessageContaining("no frame");
      assertThatThrownBy(() -> table.storedEnd(frame)).hasMessageContaining("no frame");
    }
  }
}
