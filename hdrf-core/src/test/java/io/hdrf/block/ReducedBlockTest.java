/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.BytesFile;
import io.hdrf.io.CrashableFiles;
import io.hdrf.io.InMemory;
import io.hdrf.io.PowerLoss;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReducedBlockTest {

  @TempDir(factory = InMemory.class)
  Path dir;

  private Path file() {
    return dir.resolve("blk_1073741825");
  }

  private static TestBlock equalFrames(int frames, int length) {
    int[] lengths = new int[frames];
    Arrays.fill(lengths, length);
    int[] stages = new int[frames];
    Arrays.fill(stages, 1);
    return new TestBlock(lengths, new Random(1).longs(frames).toArray(), stages);
  }

  private ReducedBlockWriter writer(long length, long limit) throws IOException {
    return ReducedBlockWriter.create(
        LocalDurableFiles.INSTANCE,
        file(),
        TestBlock.ID,
        length,
        ToyFrames.CHAIN,
        TestBlock.KEY,
        limit);
  }

  @Test
  void randomBlocksReadBackByAnyPieces() throws IOException {
    Random random = TestSeed.random("randomBlocks");
    for (int round = 0; round < 200; round++) {
      int frames = 1 + random.nextInt(round % 10 == 0 ? 2000 : 20);
      TestBlock block = TestBlock.random(random, frames, 200, 200 + random.nextInt(3000));
      byte[] data = block.data();
      long physical = block.write(file());
      assertThat(Files.size(file())).isEqualTo(data.length);
      try (ReducedBlock reduced = TestBlock.open(file())) {
        assertThat(reduced.physicalLength()).isEqualTo(physical).isLessThanOrEqualTo(data.length);
        assertThat(reduced.logicalLength()).isEqualTo(data.length);
        assertThat(reduced.frames().frameCount()).isEqualTo(frames);
        assertThat(reduced.header().chainIds()).isEqualTo(ToyFrames.CHAIN);
        assertReads(reduced, data, 0, data.length);
        for (int i = 0; i < 20; i++) {
          int position = random.nextInt(data.length);
          assertReads(reduced, data, position, random.nextInt(data.length));
        }
        assertReads(reduced, data, data.length - 1, 2);
        assertThat(BlockReads.read(reduced, data.length, ByteBuffer.allocate(1), ToyFrames.CODEC))
            .isZero();
      }
      Files.delete(file());
    }
  }

  private static void assertReads(ReducedBlock reduced, byte[] data, int position, int length)
      throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(length + 6);
    dst.position(3).limit(length + 3);
    int expected = Math.min(length, data.length - position);
    assertThat(BlockReads.read(reduced, position, dst, ToyFrames.CODEC)).isEqualTo(expected);
    assertThat(dst.position()).isEqualTo(3 + expected);
    assertThat(Arrays.copyOfRange(dst.array(), 3, 3 + expected))
        .isEqualTo(Arrays.copyOfRange(data, position, position + expected));
  }

  /** A block that was inflated and reduced again may have the same header and other references. */
  @Test
  void anotherFileOfTheSameBlockIsNotInPlace() throws IOException {
    int[] lengths = {1000, 1000};
    new TestBlock(lengths, new long[] {1L << 40, 2L << 40}, new int[] {1, 1}).write(file());
    Path other = file().resolveSibling("other");
    new TestBlock(lengths, new long[] {3L << 40, 4L << 40}, new int[] {1, 1}).write(other);
    try (ReducedBlock reduced = TestBlock.open(file())) {
      assertThat(reduced.isInPlace()).isTrue();
      Files.move(other, file(), StandardCopyOption.REPLACE_EXISTING);
      assertThat(reduced.isInPlace()).isFalse();
      Files.delete(file());
      assertThat(reduced.isInPlace()).isFalse();
    }
  }

  @Test
  void blocksBeyond4GiB() throws IOException {
    int frameLength = (16 << 20) - 4321;
    TestBlock block = equalFrames(320, frameLength);
    assertThat(block.length).isGreaterThan(5_000_000_000L);
    long physical = block.write(file());
    assertThat(physical).isLessThan(64 + 320 * (8 + 5) + 30);
    try (ReducedBlock reduced = TestBlock.open(file())) {
      assertThat(Files.size(file())).isEqualTo(block.length);
      for (long position :
          new long[] {0, Integer.MAX_VALUE - 5L, 0xFFFFFFFFL - 5, 1L << 32, block.length - 10}) {
        ByteBuffer dst = ByteBuffer.allocate(10);
        assertThat(BlockReads.read(reduced, position, dst, ToyFrames.CODEC)).isEqualTo(10);
        int frame = (int) (position / frameLength);
        assertThat(reduced.frames().frameAt(position)).isEqualTo(frame);
        byte[] data = ToyFrames.data(block.numbers[frame], frameLength);
        int inFrame = (int) (position % frameLength);
        assertThat(dst.array()).isEqualTo(Arrays.copyOfRange(data, inFrame, inFrame + 10));
      }
    }
  }

  @Test
  void longestFrame() throws IOException {
    TestBlock block = equalFrames(3, 1 << 30);
    block.write(file());
    try (ReducedBlock reduced = TestBlock.open(file())) {
      assertThat(reduced.frames().maxOriginalLength()).isEqualTo(1 << 30);
      assertThat(reduced.frames().frameAt((1L << 31) - 1)).isEqualTo(1);
      assertThat(reduced.frames().originalPosition(2)).isEqualTo(1L << 31);
    }
  }

  @Test
  void longestBlock() {
    int[] frames = {1 << 30};
    FrameTable.Builder builder = new FrameTable.Builder();
    for (int i = 0; i < 1 << 18; i++) {
      builder.add(frames[0] - (i == 0 ? 1 : 0), 0, 1, 0);
    }
    assertThat(BlockFormat.MAX_LOGICAL_LENGTH).isEqualTo((1L << 48) - 1);
    BlockHeader header =
        new BlockHeader(
            new int[] {0xFFFF, 1, 2, 3},
            -1,
            -1,
            BlockFormat.MAX_LOGICAL_LENGTH,
            64,
            (int) builder.encodedLength());
    try {
      BlockHeader parsed =
          BlockHeader.parse(dir, ByteBuffer.wrap(header.encode(TestBlock.KEY)), TestBlock.KEY);
      assertThat(parsed.logicalLength()).isEqualTo(BlockFormat.MAX_LOGICAL_LENGTH);
      assertThat(parsed.chainIds()).containsExactly(0xFFFF, 1, 2, 3);
      assertThat(parsed.poolHash()).isEqualTo(-1);
      FrameTable table = FrameTable.parse(dir, parsed, builder.encode());
      assertThat(table.frameAt(BlockFormat.MAX_LOGICAL_LENGTH - 1)).isEqualTo((1 << 18) - 1);
      assertThat(table.frameAt((1L << 47) - 2)).isEqualTo((1 << 17) - 1);
      assertThat(table.frameAt((1L << 47) - 1)).isEqualTo(1 << 17);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shortestFileHasAtMost100Bytes() throws IOException {
    for (int length : new int[] {100, 127, 128, 1 << 20, 1 << 30}) {
      assertThat(equalFrames(1, length).write(file())).isLessThanOrEqualTo(100);
      Files.delete(file());
    }
  }

  @Test
  void equalFramesCostSevenBytesEach() throws IOException {
    int frames = 1024;
    TestBlock block = equalFrames(frames, 128 << 10);
    // 8 stored bytes, 1 for their length, 4 for the CRC.
    assertThat(block.write(file())).isLessThanOrEqualTo(64 + frames * (8 + 5) + 20);
  }

  @Test
  void manyTinyFrames() throws IOException {
    TestBlock block = equalFrames(100_000, 14);
    byte[] data = block.data();
    block.write(file());
    try (ReducedBlock reduced = TestBlock.open(file())) {
      assertThat(reduced.frames().frameCount()).isEqualTo(100_000);
      assertReads(reduced, data, 699_993, 5000);
      assertThat(ToyFrames.compare(reduced, data).isOk()).isTrue();
    }
  }

  @Test
  void framesMayStoreNothing() throws IOException {
    try (ReducedBlockWriter writer = writer(1000, 1000)) {
      writer.frame(600, 1, ByteBuffer.allocateDirect(0));
      writer.frame(400, 1, ByteBuffer.allocateDirect(0));
      writer.finish();
    }
    try (ReducedBlock reduced = TestBlock.open(file())) {
      ByteBuffer dst = ByteBuffer.allocateDirect(1000);
      int n =
          BlockReads.read(
              reduced,
              0,
              dst,
              ToyFrames.codec(
                  (stored, frame) -> {
                    assertThat(stored.remaining()).isZero();
                    while (frame.hasRemaining()) {
                      frame.put((byte) 3);
                    }
                  }));
      assertThat(n).isEqualTo(1000);
    }
  }

  @Test
  void framesLongerThanTheBuffer() throws IOException {
    int mib = 1 << 20;
    int[] lengths = {100, mib, 3 * mib + 1, 5, mib - 1, mib + 1, 7 * mib};
    int[] stages = {0, 0, 0, 0, 0, 0, 1};
    TestBlock block = new TestBlock(lengths, new long[] {1, 2, 3, 4, 5, 6, 7}, stages);
    block.write(file());
    try (ReducedBlock reduced = TestBlock.open(file())) {
      assertThat(ToyFrames.compare(reduced, block.data()).isOk()).isTrue();
    }
  }

  @Test
  void stopsAsSoonAsTheLimitIsPassed() throws IOException {
    Random random = TestSeed.random("limit");
    for (int round = 0; round < 100; round++) {
      TestBlock block = TestBlock.random(random, 1 + random.nextInt(30), 100, 1000);
      long physical = block.write(file());
      Files.delete(file());
      for (long limit : new long[] {physical - 1, physical}) {
        try (ReducedBlockWriter writer = writer(block.length, limit)) {
          block.writeFrames(writer);
          assertThat(limit).isEqualTo(physical);
          assertThat(writer.finish()).isEqualTo(physical);
        } catch (NotSmallerException e) {
          assertThat(limit).isEqualTo(physical - 1);
        }
        Files.delete(file());
      }
    }
  }

  @Test
  void neverLongerThanTheBlock() throws IOException {
    try (ReducedBlockWriter writer = writer(1000, Long.MAX_VALUE)) {
      assertThatThrownBy(() -> ToyFrames.write(writer, 1, 1000, 0))
          .isInstanceOf(NotSmallerException.class);
    }
  }

  @Test
  void tableHasALimit() throws IOException {
    ByteBuffer nothing = ByteBuffer.allocateDirect(0);
    long length = 1L << 40;
    try (ReducedBlockWriter writer = writer(length, length)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < BlockFormat.MAX_TABLE_LENGTH / 5; i++) {
                  writer.frame(1000, 1, nothing);
                }
              })
          .isInstanceOf(NotSmallerException.class);
    }
  }

  @Test
  void setsTheLengthFirstAndWritesTheHeaderLast() throws IOException {
    CrashableFiles files = new CrashableFiles(dir);
    TestBlock block = equalFrames(10, 500);
    block.write(files, dir.resolve("f"), TestBlock.ID, TestBlock.KEY);
    List<String> log = files.log();
    assertThat(log).hasSize(4);
    assertThat(log.get(0)).isEqualTo("create f");
    assertThat(log.get(1)).isEqualTo("setLength f 5000");
    assertThat(log.get(2)).startsWith("write f 64+");
    assertThat(log.get(3)).isEqualTo("write f 0+64");
  }

  @Test
  void unfinishedFileIsNoReducedBlock() throws IOException {
    try (ReducedBlockWriter writer = writer(5000, 5000)) {
      ToyFrames.write(writer, 1, 2000, 1);
      assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
    }
    try (ChannelFile file = ChannelFile.open(file())) {
      assertThat(BlockProbe.examine(file(), file, TestBlock.ID, TestBlock.KEY).kind())
          .isEqualTo(BlockProbe.Kind.PLAIN);
    }
    assertThatThrownBy(() -> TestBlock.open(file()))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("magic");
  }

  @Test
  void finishedFileCanBeReadThroughTheWriter() throws IOException {
    TestBlock block = equalFrames(10, 500);
    try (ReducedBlockWriter writer = writer(5000, 5000)) {
      block.writeFrames(writer);
      writer.finish();
      writer.force();
      DurableFile open = writer.file();
      ReducedBlock reduced = ReducedBlock.open(file(), open, TestBlock.ID, TestBlock.KEY);
      assertReads(reduced, block.data(), 0, 5000);
    }
  }

  /** A file need not be probed before. */
  @Test
  void fileOfAnotherBlockIsNotOpened() throws IOException {
    TestBlock block = equalFrames(10, 500);
    try (ReducedBlockWriter writer = writer(5000, 5000)) {
      block.writeFrames(writer);
      writer.finish();
      for (BlockRef other :
          List.of(
              new BlockRef(TestBlock.ID.poolId(), 5),
              new BlockRef("BP-1", TestBlock.ID.blockId()))) {
        assertThatThrownBy(() -> ReducedBlock.open(file(), writer.file(), other, TestBlock.KEY))
            .isInstanceOf(CorruptBlockException.class);
      }
    }
  }

  @Test
  void refusesWhatIsNoFrame() throws IOException {
    ByteBuffer stored = ByteBuffer.allocateDirect(8);
    try (ReducedBlockWriter writer = writer(1000, 1000)) {
      for (int length : new int[] {0, -1, 1001}) {
        assertThatThrownBy(() -> writer.frame(length, 1, stored))
            .isInstanceOf(IllegalArgumentException.class);
      }
      for (int stages : new int[] {-1, 2}) {
        assertThatThrownBy(() -> writer.frame(100, stages, stored))
            .isInstanceOf(IllegalArgumentException.class);
      }
      writer.frame(1000, 1, stored);
      writer.finish();
      assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> writer.frame(1, 1, stored))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void refusesWhatIsNoBlock() {
    for (long length : new long[] {0, -1, 1L << 48}) {
      assertThatThrownBy(() -> writer(length, length)).isInstanceOf(IllegalArgumentException.class);
    }
    for (int[] chain : new int[][] {{}, {0}, {0x10000}, {1, 0}, {1, 2, 3, 4, 5}}) {
      assertThatThrownBy(
              () ->
                  ReducedBlockWriter.create(
                      LocalDurableFiles.INSTANCE,
                      file(),
                      TestBlock.ID,
                      1000,
                      chain,
                      TestBlock.KEY,
                      1000))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(file()).doesNotExist();
    assertThat(BlockFormat.MAX_CHAIN_LENGTH).isEqualTo(SchemeChain.MAX_LENGTH);
  }

  @Test
  void closedTwiceIsClosedOnce() throws IOException {
    ReducedBlockWriter writer = writer(1000, 1000);
    writer.close();
    writer.close();
    assertThatThrownBy(() -> writer.frame(1, 1, ByteBuffer.allocateDirect(8)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void everyFlippedBitOfAFrameIsFound() throws IOException {
    TestBlock block = equalFrames(2, 500);
    block.write(file());
    byte[] raw = Files.readAllBytes(file());
    byte[] data = block.data();
    for (int bit = 0; bit < 8 * (64 + 2 * 8 + 40); bit++) {
      byte[] bad = raw.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      ByteBuffer dst = ByteBuffer.allocate(data.length);
      try {
        BlockReads.read(
            ReducedBlock.open(file(), new BytesFile(bad), TestBlock.ID, TestBlock.KEY),
            0,
            dst,
            ToyFrames.CODEC);
        assertThat(dst.array()).isEqualTo(data);
        assertThat(bit / 8).as("behind the physical end").isGreaterThan(64 + 16 + 15);
      } catch (CorruptBlockException e) {
        assertThat(e.getMessage()).startsWith(file().toString());
        assertThat(e.file()).isEqualTo(file().toString());
      }
    }
  }

  @Test
  void damagedFrameLeavesTheOthersReadable() throws IOException {
    TestBlock block = equalFrames(3, 500);
    block.write(file());
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {9, 9}), 64 + 8 + 3);
    }
    try (ReducedBlock reduced = TestBlock.open(file())) {
      assertReads(reduced, block.data(), 0, 500);
      assertThat(BlockReads.read(reduced, 1000, ByteBuffer.allocate(500), ToyFrames.CODEC))
          .isEqualTo(500);
      assertThatThrownBy(
              () -> BlockReads.read(reduced, 999, ByteBuffer.allocate(9), ToyFrames.CODEC))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("CRC32C of frame 1");
    }
  }

  @Test
  void decoderThatFailsOrStopsEarlyMakesTheBlockCorrupt() throws IOException {
    equalFrames(1, 500).write(file());
    try (ReducedBlock reduced = TestBlock.open(file())) {
      ByteBuffer stored = ByteBuffer.allocateDirect(8);
      ByteBuffer dst = ByteBuffer.allocateDirect(600);
      dst.position(50);
      ChainCodec failing =
          ToyFrames.codec(
              (from, to) -> {
                to.put((byte) 1);
                throw new CorruptFrameException("bad");
              });
      assertThatThrownBy(() -> reduced.readFrame(0, failing, stored, dst))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("frame 0 can't be decoded: bad")
          .hasCauseInstanceOf(CorruptFrameException.class);
      assertThat(dst.position()).isEqualTo(50);
      assertThat(dst.limit()).isEqualTo(600);
      ChainCodec early = ToyFrames.codec((from, to) -> to.put((byte) 1));
      assertThatThrownBy(() -> reduced.readFrame(0, early, stored, dst))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("decoded 1 of 500 bytes");
      ChainCodec unavailable =
          ToyFrames.codec(
              (from, to) -> {
                throw new IOException("store is down");
              });
      assertThatThrownBy(() -> reduced.readFrame(0, unavailable, stored, dst))
          .isExactlyInstanceOf(IOException.class)
          .hasMessage("store is down");
      reduced.readFrame(0, ToyFrames.CODEC, stored, dst);
      assertThat(dst.position()).isEqualTo(550);
    }
  }

  @Test
  void checksRangesOfFrames() throws IOException {
    equalFrames(2, 500).write(file());
    try (ReducedBlock reduced = TestBlock.open(file())) {
      FrameTable frames = reduced.frames();
      for (int frame : new int[] {-1, 2}) {
        assertThatThrownBy(() -> frames.originalLength(frame))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> frames.storedLength(frame))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      for (long position : new long[] {-1, 1000}) {
        assertThatThrownBy(() -> frames.frameAt(position))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      assertThatThrownBy(
              () -> BlockReads.read(reduced, -1, ByteBuffer.allocate(1), ToyFrames.CODEC))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** The swap, as in a reduction. */
  @Test
  void replacedBlockIsWholeAfterAnyPowerLoss() throws Exception {
    TestBlock block = equalFrames(5, 3000);
    byte[] data = block.data();
    PowerLoss.everywhere(
        dir,
        TestSeed.random("replaced").nextLong(),
        24,
        directory -> Files.write(directory.resolve("blk_1"), data),
        (directory, files) -> {
          Path temporary = directory.resolve("temporary");
          try (ReducedBlockWriter writer =
              ReducedBlockWriter.create(
                  files,
                  temporary,
                  TestBlock.ID,
                  block.length,
                  ToyFrames.CHAIN,
                  TestBlock.KEY,
                  block.length)) {
            block.writeFrames(writer);
            writer.finish();
            writer.force();
          }
          files.rename(temporary, directory.resolve("blk_1"));
        },
        (directory, finished) -> {
          Path path = directory.resolve("blk_1");
          try (ChannelFile file = ChannelFile.open(path)) {
            if (BlockProbe.examine(path, file, TestBlock.ID, TestBlock.KEY).kind()
                == BlockProbe.Kind.PLAIN) {
              assertThat(Files.readAllBytes(path)).isEqualTo(data);
            } else {
              assertReads(TestBlock.open(path), data, 0, data.length);
            }
          }
        });
  }

  @Test
  void writerPassesOnWhatTheDiskReports() throws IOException {
    TestBlock block = equalFrames(5, 3000);
    for (int operation = 1; operation <= 4; operation++) {
      CrashableFiles files = new CrashableFiles(dir).failAt(operation, "No space left on device");
      Path path = dir.resolve("f" + operation);
      assertThatThrownBy(() -> block.write(files, path, TestBlock.ID, TestBlock.KEY))
          .isInstanceOf(IOException.class)
          .hasMessage("No space left on device");
    }
  }

  @Test
  void framesThatFollowEachOtherAreReadAtOnce() throws IOException {
    TestBlock block = TestBlock.random(new Random(2), 9, 100, 900);
    block.write(file());
    byte[] data = block.data();
    int[] reads = new int[1];
    BytesFile counted =
        new BytesFile(Files.readAllBytes(file())) {
          @Override
          public int read(ByteBuffer dst, long position) throws IOException {
            reads[0]++;
            return super.read(dst, position);
          }
        };
    ReducedBlock reduced = ReducedBlock.open(file(), counted, TestBlock.ID, TestBlock.KEY);
    FrameTable frames = reduced.frames();
    ByteBuffer stored = ByteBuffer.allocateDirect(9 * 900);
    for (int first = 0; first < 9; first++) {
      for (int count = 1; first + count <= 9; count++) {
        ByteBuffer dst = ByteBuffer.allocateDirect(9 * 900 + 3);
        dst.position(3);
        reads[0] = 0;
        reduced.readFrames(first, count, ToyFrames.CODEC, stored, dst);
        assertThat(reads[0]).isEqualTo(1);
        assertThat(dst.limit()).isEqualTo(9 * 900 + 3);
        byte[] got = new byte[dst.position() - 3];
        dst.get(3, got);
        assertThat(got)
            .isEqualTo(
                Arrays.copyOfRange(
                    data,
                    (int) frames.originalPosition(first),
                    (int) frames.originalEnd(first + count - 1)));
      }
    }
  }

  @Test
  void damageOfOneOfTheFramesReadAtOnceLeavesThePosition() throws IOException {
    equalFrames(3, 500).write(file());
    byte[] raw = Files.readAllBytes(file());
    raw[64 + 2 * 8] ^= 1;
    ReducedBlock reduced =
        ReducedBlock.open(file(), new BytesFile(raw), TestBlock.ID, TestBlock.KEY);
    ByteBuffer dst = ByteBuffer.allocateDirect(1600);
    dst.position(7);
    assertThatThrownBy(
            () -> reduced.readFrames(0, 3, ToyFrames.CODEC, ByteBuffer.allocateDirect(100), dst))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("CRC32C of frame 2");
    assertThat(dst.position()).isEqualTo(7);
    assertThat(dst.limit()).isEqualTo(1600);
  }

  /** A file from which bytes are gone since it was opened. */
  @Test
  void whatIsMissingIsNamed() throws IOException {
    equalFrames(2, 500).write(file());
    int[] readable = {Integer.MAX_VALUE};
    BytesFile shrinking =
        new BytesFile(Files.readAllBytes(file())) {
          @Override
          public int read(ByteBuffer dst, long position) throws IOException {
            int limit = dst.limit();
            int left = (int) Math.max(0, readable[0] - position);
            dst.limit(dst.position() + Math.min(dst.remaining(), left));
            int n = super.read(dst, position);
            dst.limit(limit);
            return n;
          }
        };
    ReducedBlock reduced = ReducedBlock.open(file(), shrinking, TestBlock.ID, TestBlock.KEY);
    readable[0] = 64 + 8 + 3;
    ByteBuffer stored = ByteBuffer.allocateDirect(100);
    assertThatThrownBy(() -> reduced.readStored(1, stored))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("frame 1: expected 8 bytes, found 3");
    assertThat(stored.limit()).isEqualTo(100);
    ByteBuffer dst = ByteBuffer.allocateDirect(1000);
    assertThatThrownBy(() -> reduced.readFrames(0, 2, ToyFrames.CODEC, stored, dst))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("frame 1: expected 8 bytes, found 3");
    assertThatThrownBy(() -> ReducedBlock.open(file(), shrinking, TestBlock.ID, TestBlock.KEY))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("frame table: expected ")
        .hasMessageContaining("found 0");
  }

  @Test
  void storedBytesAreReadWhereTheBufferStands() throws IOException {
    TestBlock block = equalFrames(2, 500);
    block.write(file());
    try (ReducedBlock reduced = TestBlock.open(file())) {
      assertThat(reduced.name()).isEqualTo(file());
      ByteBuffer dst = ByteBuffer.allocateDirect(30).order(java.nio.ByteOrder.LITTLE_ENDIAN);
      dst.position(5);
      reduced.readStored(1, dst);
      assertThat(dst.position()).isEqualTo(13);
      assertThat(dst.limit()).isEqualTo(30);
      assertThat(dst.getLong(5)).isEqualTo(block.numbers[1]);
    }
  }

  @Test
  void framesThatLieInAFileAlreadyAreListedAndOthersFollow() throws IOException {
    TestBlock block = equalFrames(3, 500);
    byte[] data = block.data();
    ByteBuffer first = ByteBuffer.allocateDirect(8).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    first.putLong(0, block.numbers[0]);
    DurableFile file = LocalDurableFiles.INSTANCE.create(file());
    file.write(first.duplicate(), ReducedBlockWriter.FRAMES_START);
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.resume(file, TestBlock.ID, 1500, ToyFrames.CHAIN, TestBlock.KEY, 1500)) {
      writer.written(500, 8, 1, io.hdrf.jni.Crc32c.update(0, first));
      assertThat(writer.hasAllFrames()).isFalse();
      ToyFrames.write(writer, block.numbers[1], 500, 1);
      assertThatThrownBy(() -> writer.written(500, 8, 1, 0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("frames were appended");
      ToyFrames.write(writer, block.numbers[2], 500, 1);
      assertThat(writer.hasAllFrames()).isTrue();
      writer.finish();
    }
    assertThat(Files.size(file())).isEqualTo(1500);
    try (ReducedBlock reduced = TestBlock.open(file())) {
      assertReads(reduced, data, 0, 1500);
    }
  }

  @Test
  void listedFramesCountForTheLimit() throws IOException {
    try (ReducedBlockWriter writer = writer(1000, 200)) {
      assertThatThrownBy(() -> writer.written(1000, 130, 1, 0))
          .isInstanceOf(NotSmallerException.class);
    }
    Files.delete(file());
    try (ReducedBlockWriter writer = writer(1L << 33, 1L << 33)) {
      writer.written(1 << 30, 1 << 30, 1, 0);
      assertThatThrownBy(() -> writer.written(1 << 30, (1 << 30) + 1, 1, 0))
          .isInstanceOf(NotSmallerException.class);
    }
  }

  /** Counts files that are open. */
  private static final class OpenFile extends io.hdrf.io.ForwardingFile {
    private final AtomicInteger closed;
    private int forced;

    OpenFile(DurableFile file, AtomicInteger closed) {
      super(file);
      this.closed = closed;
    }

    @Override
    public void force() throws IOException {
      forced++;
      super.force();
    }

    @Override
    public void close() throws IOException {
      closed.incrementAndGet();
      super.close();
    }
  }

  @Test
  void aFileThatCanNotBecomeABlockIsClosed() throws IOException {
    AtomicInteger closed = new AtomicInteger();
    DurableFile file = new OpenFile(LocalDurableFiles.INSTANCE.create(file()), closed);
    assertThatThrownBy(
            () ->
                ReducedBlockWriter.resume(file, TestBlock.ID, 0, ToyFrames.CHAIN, TestBlock.KEY, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(closed).hasValue(1);
  }

  @Test
  void forcingAndClosingReachTheFile() throws IOException {
    AtomicInteger closed = new AtomicInteger();
    OpenFile file = new OpenFile(LocalDurableFiles.INSTANCE.create(file()), closed);
    ReducedBlockWriter writer =
        ReducedBlockWriter.resume(file, TestBlock.ID, 500, ToyFrames.CHAIN, TestBlock.KEY, 500);
    ToyFrames.write(writer, 1, 500, 1);
    writer.finish();
    assertThat(file.forced).isZero();
    writer.force();
    assertThat(file.forced).isEqualTo(1);
    assertThat(closed).hasValue(0);
    long idle = io.hdrf.spi.io.BufferPool.shared().idleBytes();
    writer.close();
    assertThat(io.hdrf.spi.io.BufferPool.shared().idleBytes()).isEqualTo(idle + (1 << 20));
    assertThat(closed).hasValue(1);
  }

  @Test
  void theLongestFrameAndTheLongestBlockMayBeListed() throws IOException {
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.resume(
            new BoundlessFile(),
            TestBlock.ID,
            BlockFormat.MAX_LOGICAL_LENGTH,
            ToyFrames.CHAIN,
            TestBlock.KEY,
            Long.MAX_VALUE)) {
      writer.written(1 << 30, 1 << 30, 1, 0);
      assertThatThrownBy(() -> writer.written((1 << 30) + 1, 1, 1, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("bytes at 1073741824 of ");
      assertThatThrownBy(writer::finish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("frames of 1073741824 bytes");
    }
  }

  /** A file of any length, which takes no space. */
  private static final class BoundlessFile implements DurableFile {
    @Override
    public void write(ByteBuffer src, long position) {
      src.position(src.limit());
    }

    @Override
    public void setLength(long length) {}

    @Override
    public int read(ByteBuffer dst, long position) {
      return 0;
    }

    @Override
    public long length() {
      return Long.MAX_VALUE;
    }

    @Override
    public void force() {}

    @Override
    public void close() {}
  }

  @Test
  void theLastFrameMustNotPassTheBlocksEnd() throws IOException {
    try (ReducedBlockWriter writer = writer(1000, 1000)) {
      writer.written(600, 8, 1, 0);
      assertThatThrownBy(() -> writer.written(401, 8, 1, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a frame of 401 bytes at 600 of 1000 bytes");
      writer.written(400, 8, 1, 0);
      writer.finish();
      assertThatThrownBy(writer::finish).hasMessage("the file was finished");
    }
    Files.delete(file());
    ReducedBlockWriter closed = writer(1000, 1000);
    closed.close();
    assertThatThrownBy(() -> closed.written(1, 1, 1, 0)).hasMessage("the file was closed");
  }

  @Test
  void closingABlockClosesItsFile() throws IOException {
    equalFrames(2, 500).write(file());
    int[] closed = new int[1];
    BytesFile file =
        new BytesFile(Files.readAllBytes(file())) {
          @Override
          public void close() {
            closed[0]++;
          }
        };
    ReducedBlock.open(file(), file, TestBlock.ID, TestBlock.KEY).close();
    assertThat(closed[0]).isEqualTo(1);
    assertThatThrownBy(() -> ReducedBlock.open(file(), file, TestBlock.ID, TestBlock.key(1)))
        .isInstanceOf(CorruptBlockException.class);
    assertThat(closed[0]).as("the caller's, where opening failed").isEqualTo(1);
  }
}
