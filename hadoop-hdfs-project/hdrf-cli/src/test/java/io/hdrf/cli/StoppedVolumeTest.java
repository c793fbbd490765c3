/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.admin.JobKind;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoppedVolumeTest {
  private static final long BLOCK = 1073741825L + (7 << 16) + (3 << 8);

  @TempDir Path volume;
  private Path pool;

  @BeforeEach
  void makeVolume() throws IOException {
    pool = Files.createDirectories(volume.resolve("current").resolve("BP-1-127.0.0.1-2"));
    Files.writeString(volume.resolve("current").resolve("VERSION"), "storageID=DS-5\n");
  }

  private Path blockFile(long id) throws IOException {
    Path directory =
        Files.createDirectories(
            pool.resolve("current").resolve("finalized").resolve("subdir7").resolve("subdir3"));
    return directory.resolve("blk_" + id);
  }

  @Test
  void findsThePoolsOfHdrfAndTheirBlocks() throws IOException {
    assertThat(StoppedVolume.poolsOf(volume, line -> {})).as("without a superblock").isEmpty();
    Superblock.create(pool.resolve("hdrf"), LocalDurableFiles.INSTANCE);
    Files.write(blockFile(BLOCK), new byte[100]);
    Files.write(blockFile(BLOCK).resolveSibling("blk_" + BLOCK + "_1001.meta"), new byte[7]);
    List<StoppedVolume> pools = StoppedVolume.poolsOf(volume, line -> {});
    assertThat(pools).hasSize(1);
    StoppedVolume found = pools.get(0);
    assertThat(found.storageId()).isEqualTo("DS-5");
    assertThat(found.poolId()).isEqualTo("BP-1-127.0.0.1-2");
    assertThat(found.blockIds()).containsExactly(BLOCK);
    BlockRecord record = found.look(BLOCK, BlockRecord.NO_REASON);
    assertThat(record.isReduced()).isFalse();
    assertThat(record.logicalLength()).isEqualTo(100);
    assertThat(record.location()).isEqualTo("subdir7/subdir3");
    assertThat(found.look(BLOCK + 1, BlockRecord.NO_REASON)).isNull();
  }

  @Test
  void damagedBlockIsNoPlainOne() throws IOException {
    Superblock.create(pool.resolve("hdrf"), LocalDurableFiles.INSTANCE);
    byte[] damaged = new byte[100];
    System.arraycopy(new byte[] {(byte) 0x89, 'H', 'R', 'B', 1}, 0, damaged, 0, 5);
    Files.write(blockFile(BLOCK), damaged);
    StoppedVolume found = StoppedVolume.poolsOf(volume, line -> {}).get(0);
    assertThatThrownBy(() -> found.look(BLOCK, BlockRecord.NO_REASON))
        .hasMessageContaining("blk_" + BLOCK);
  }

  /** Writes a block of zeros in its reduced form. */
  private void writeReduced(Path file, long id) throws IOException {
    TagKey key = Superblock.readKey(pool.resolve("hdrf")).orElseThrow();
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.create(
            LocalDurableFiles.INSTANCE,
            file,
            new BlockRef(pool.getFileName().toString(), id),
            100_000,
            new int[] {1},
            key,
            100_000)) {
      writer.frame(100_000, 1, ByteBuffer.allocateDirect(10));
      writer.finish();
      writer.force();
    }
  }

  @Test
  void countsReducedBlocksWhereverTheyLie() throws IOException {
    Superblock.create(pool.resolve("hdrf"), LocalDurableFiles.INSTANCE);
    Files.write(blockFile(BLOCK), new byte[100_000]);
    assertThat(StoppedVolume.reducedBlocks(volume, () -> {}).get(0).total()).isZero();
    writeReduced(blockFile(BLOCK + 1), BLOCK + 1);
    writeReduced(blockFile(BLOCK + 2), BLOCK + 2);
    Path previous = Files.createDirectories(pool.resolve("previous").resolve("finalized"));
    writeReduced(previous.resolve("blk_" + (BLOCK + 3)), BLOCK + 3);
    Path trash = Files.createDirectories(pool.resolve("trash").resolve("finalized"));
    writeReduced(trash.resolve("blk_" + (BLOCK + 4)), BLOCK + 4);
    // Not this block's: neither reduced nor, without checksums, proved plain.
    Files.copy(blockFile(BLOCK + 1), blockFile(BLOCK + 5));
    writeReduced(pool.resolve("hdrf").resolve("blk_" + (BLOCK + 6)), BLOCK + 6);
    assertThat(StoppedVolume.reducedBlocks(volume, () -> {})).hasSize(1);
    ReducedBlocks count = StoppedVolume.reducedBlocks(volume, () -> {}).get(0);
    assertThat(count.directory()).isEqualTo(pool.resolve("hdrf").toString());
    assertThat(count.current()).isEqualTo(2);
    assertThat(count.elsewhere()).isEqualTo(2);
    assertThat(count.damaged()).isEqualTo(1);
    assertThat(count.total()).isEqualTo(5);
    Files.delete(pool.resolve("hdrf").resolve("superblock.0"));
    Files.delete(pool.resolve("hdrf").resolve("superblock.1"));
    assertThat(StoppedVolume.reducedBlocks(volume, () -> {}).get(0).damaged())
        .as("without the secret")
        .isEqualTo(5);
  }

  @Test
  void aDirectoryThatIsNotMountedIsNotCounted() throws IOException {
    Path gone = Files.createDirectories(volume.resolve("gone"));
    List<ReducedBlocks> counts = StoppedVolume.reducedBlocks(gone, () -> {});
    assertThat(counts).hasSize(1);
    assertThat(counts.get(0).directory()).isEqualTo(gone.toString());
    assertThat(counts.get(0).isCounted()).isFalse();
    assertThat(counts.get(0).obstacle()).contains("is it mounted?");
  }

  @Test
  void eachBlockFileIsToldOfOnce() throws IOException {
    Superblock.create(pool.resolve("hdrf"), LocalDurableFiles.INSTANCE);
    writeReduced(blockFile(BLOCK), BLOCK);
    AtomicInteger looked = new AtomicInteger();
    StoppedVolume.reducedBlocks(volume, looked::incrementAndGet);
    assertThat(looked).hasValue(1);
  }

  @Test
  void aPoolThatCantBeReadHidesNoOther() throws IOException {
    Superblock.create(pool.resolve("hdrf"), LocalDurableFiles.INSTANCE);
    Files.write(pool.resolve("hdrf").resolve("superblock.0"), new byte[5]);
    Files.write(pool.resolve("hdrf").resolve("superblock.1"), new byte[5]);
    Files.createDirectories(volume.resolve("current").resolve("BP-2-127.0.0.1-3"));
    List<ReducedBlocks> counts = StoppedVolume.reducedBlocks(volume, () -> {});
    assertThat(counts).hasSize(2).filteredOn(ReducedBlocks::isCounted).hasSize(1);
  }

  @Test
  void aStoppedDataNodeCountsAndDeclinesTheRest() throws IOException {
    Superblock.create(pool.resolve("hdrf"), LocalDurableFiles.INSTANCE);
    writeReduced(blockFile(BLOCK), BLOCK);
    Troubles troubles = new Troubles(Terminal.system());
    try (StoppedDataNode stopped =
        new StoppedDataNode("host", new Configuration(false), List.of(volume))) {
      JobReport report = JobReport.of(JobKind.INFLATE, List.of(stopped), true, true, troubles);
      assertThat(report.reducedBlocks()).isEqualTo(1);
      assertThat(report.isGood()).isFalse();
      assertThat(report.lines()).last().isEqualTo("1 blocks remain that stock HDFS can't read.");
      assertThatThrownBy(() -> stopped.startJob(JobKind.INFLATE, 0, 1))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("host does not run, and only a running DataNode can inflate");
      assertThatThrownBy(() -> stopped.stopJob(JobKind.INFLATE))
          .hasMessageContaining("host does not run");
      Files.delete(blockFile(BLOCK));
      JobReport plain = JobReport.of(JobKind.INFLATE, List.of(stopped), true, true, troubles);
      assertThat(plain.isGood()).isTrue();
      assertThat(plain.gaps()).isEmpty();
      assertThat(troubles.isEmpty()).isTrue();
    }
  }

  @Test
  void anotherDirectoryIsNamed() {
    assertThatThrownBy(() -> StoppedVolume.poolsOf(volume.resolve("nowhere"), line -> {}))
        .hasMessageContaining("nowhere is no volume of a DataNode");
  }
}
