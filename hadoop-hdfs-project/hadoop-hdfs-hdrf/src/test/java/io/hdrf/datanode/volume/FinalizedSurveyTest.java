/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.sample.StoreScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Surveys of a volume whose superblock, or a scheme that it needs, is missing. */
class FinalizedSurveyTest {

  private static final String POOL = "BP-1";
  private static final int CRC32C = 2;
  private static final int NONE = 0;

  @TempDir Path pool;

  private void require() throws IOException {
    new FinalizedSurvey(pool, POOL, SchemeRegistry.of(List.of()))
        .requireNoReducedBlocks(pool.resolve("hdrf"));
  }

  private Path block(int checksumType) throws IOException {
    Path directory = Files.createDirectories(pool.resolve("current/finalized/subdir0/subdir0"));
    // Version 1, the type, 512 bytes a checksum.
    Files.write(
        directory.resolve("blk_1_1001.meta"), new byte[] {0, 1, (byte) checksumType, 0, 0, 2, 0});
    return directory.resolve("blk_1");
  }

  /** Earlier versions reduced blocks without checksums, too. */
  @ParameterizedTest
  @ValueSource(ints = {CRC32C, NONE})
  void reducedBlocksKeepTheVolumeFromStarting(int checksumType) throws IOException {
    reducedBlock(checksumType, 7);
    assertThatThrownBy(this::require)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is a reduced block, but the volume's superblock is missing");
  }

  private void reducedBlock(int checksumType, int... chain) throws IOException {
    Path file = block(checksumType);
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.create(
            LocalDurableFiles.INSTANCE,
            file,
            new BlockRef(POOL, 1),
            10_000,
            chain,
            new TagKey(new byte[TagKey.LENGTH]),
            10_000)) {
      writer.frame(10_000, 1, ByteBuffer.allocateDirect(100));
      writer.finish();
    }
  }

  /** A rollback would put back what only the lost secret opens. */
  @ParameterizedTest
  @ValueSource(strings = {"previous", "trash"})
  void neitherDoThoseThatAreKeptForARollbackLetItStart(String kept) throws IOException {
    reducedBlock(CRC32C, 7);
    Files.createDirectory(pool.resolve(kept));
    Files.move(pool.resolve("current/finalized"), pool.resolve(kept).resolve("finalized"));
    assertThatThrownBy(this::require).hasMessageContaining("is a reduced block");
    SchemeRegistry none = SchemeRegistry.of(List.of());
    assertThat(new FinalizedSurvey(pool, POOL, none).countBlocksWith(7)).isEqualTo(1);
  }

  /**
   * Stock HDFS keeps a volume in service where a block has a bad sector or another's permissions.
   */
  @Test
  void aBlockThatCantBeReadDoesNotKeepTheVolumeFromStarting() throws IOException {
    Path block = block(CRC32C);
    for (int i = 2; i < 5; i++) {
      Files.write(block.resolveSibling("blk_" + i), new byte[1000]);
    }
    makeUnreadable(block);
    require();
    assertThatThrownBy(
            () -> {
              Files.delete(block);
              reducedBlock(CRC32C, 7);
              makeUnreadable(block.resolveSibling("blk_2"));
              require();
            })
        .hasMessageContaining("is a reduced block");
  }

  /** What was reduced before the superblock was lost must not look damaged later. */
  @Test
  void whereHdrfWasBeforeAllBlocksMustBeReadable() throws IOException {
    Path block = block(CRC32C);
    for (int i = 2; i < 5; i++) {
      Files.write(block.resolveSibling("blk_" + i), new byte[1000]);
    }
    Files.createDirectories(pool.resolve("hdrf"));
    makeUnreadable(block);
    require();
    Files.createDirectories(pool.resolve("hdrf/tmp"));
    assertThatThrownBy(this::require)
        .hasMessageContaining("1 of 4 blocks")
        .hasMessageContaining("superblock is missing")
        .hasRootCauseInstanceOf(AccessDeniedException.class);
  }

  /** They are out of reach without the scheme, and not damaged. */
  @Test
  void whatCantBeReadDoesNotHideWhatNeedsAScheme() throws IOException {
    reducedBlock(CRC32C, 7);
    for (int i = 2; i < 5; i++) {
      makeUnreadable(pool.resolve("current/finalized/subdir0/subdir0/blk_" + i));
    }
    FinalizedSurvey survey = new FinalizedSurvey(pool, POOL, SchemeRegistry.of(List.of()));
    assertThat(survey.countBlocksWith(7)).isEqualTo(1);
    assertThat(survey.countBlocksWith(8)).isZero();
  }

  /** Of such a disk the few others tell nothing. */
  @Test
  void whereMostBlocksCantBeReadTheVolumeDoesNotStart() throws IOException {
    Path block = block(CRC32C);
    makeUnreadable(block);
    assertThatThrownBy(this::require).hasMessageContaining("1 of 1 blocks");
  }

  /** Puts a file there that not even root may read. */
  private static void makeUnreadable(Path file) throws IOException {
    Path written = Path.of("/sys/bus/platform/drivers_probe");
    assumeTrue(Files.exists(written) && Files.size(written) >= 1000);
    Files.deleteIfExists(file);
    Files.createSymbolicLink(file, written);
    assertThatThrownBy(() -> Files.readAllBytes(file)).isInstanceOf(AccessDeniedException.class);
  }

  /** HDFS writes into them, and HDRF into its own. */
  @ParameterizedTest
  @ValueSource(strings = {"current/rbw", "tmp", "hdrf"})
  void unfinishedFilesAreNotLookedAt(String unfinished) throws IOException {
    reducedBlock(CRC32C, 7);
    Files.move(pool.resolve("current/finalized"), pool.resolve(unfinished));
    require();
  }

  /** As editors make to lock a file. */
  @ParameterizedTest
  @ValueSource(strings = {"current/.#VERSION", "current/finalized/.#notes", ".#notes"})
  void aHiddenLinkThatLeadsNowhereDoesNotKeepTheVolumeFromStarting(String link) throws IOException {
    Files.write(block(CRC32C), new byte[1000]);
    Files.createSymbolicLink(pool.resolve(link), Path.of("root@host.4711:1790000000"));
    require();
  }

  private PoolSlice open(SchemeRegistry registry) throws IOException {
    return PoolSlice.open(
        pool,
        "DS-1",
        POOL,
        SchemeChain.parse("chain", "none", registry),
        registry,
        new Configuration(false),
        LocalDurableFiles.INSTANCE,
        bytes -> {},
        MemoryBudget.unlimited(),
        (file, id, why) -> {},
        scheme -> ChunkLookup.NONE);
  }

  /** The block's chain does not name the scheme, but its chunks may need it. */
  @Test
  void aSchemeThatOnlyAStoreNeedsIsMissed() throws IOException {
    StoreScheme store = new StoreScheme();
    HookedScheme tail = new HookedScheme("tail", 65100, 1);
    Path hdrf = pool.resolve("hdrf");
    Superblock superblock = Superblock.create(hdrf, LocalDurableFiles.INSTANCE);
    superblock.recordScheme(store.id(), store.name());
    superblock.recordScheme(tail.id(), tail.name());
    SchemeRegistry without = SchemeRegistry.of(List.of(store));
    reducedBlock(CRC32C, store.id());
    // Without a store there is nothing in it.
    open(without).close();
    Files.createDirectories(hdrf.resolve(store.name()));
    assertThatThrownBy(() -> open(without))
        .hasMessageContaining("has 1 blocks that need the scheme \"tail\" (id 65100)");
    assertThat(new FinalizedSurvey(pool, POOL, without).countBlocksThatNeed(tail, "a.class.of.its"))
        .isEqualTo(1);
    open(SchemeRegistry.of(List.of(store, tail))).close();
    // No block of the store: nothing needs what is left in it.
    Files.delete(pool.resolve("current/finalized/subdir0/subdir0/blk_1"));
    open(without).close();
  }

  /** The volume does not start anyway; with millions of blocks a count of all takes hours. */
  @Test
  void noMoreBlocksAreCountedThanTell() throws IOException {
    reducedBlock(CRC32C, 7);
    Path block = pool.resolve("current/finalized/subdir0/subdir0/blk_1");
    // The same block again and again.
    Path subdir = Files.createDirectories(pool.resolve("current/finalized/subdir0/subdir1"));
    for (int i = 0; i < 2 * FinalizedSurvey.MAX_COUNTED; i++) {
      Path directory = Files.createDirectories(subdir.resolve("d" + i));
      Files.createLink(directory.resolve("blk_1"), block);
    }
    long count = new FinalizedSurvey(pool, POOL, SchemeRegistry.of(List.of())).countBlocksWith(7);
    assertThat(count).isEqualTo(FinalizedSurvey.MAX_COUNTED);
    assertThat(FinalizedSurvey.words(count)).isEqualTo("at least 1000");
    assertThat(FinalizedSurvey.words(999)).isEqualTo("999");
  }

  @Test
  void plainBlocksDoNot() throws IOException {
    Files.write(block(NONE), new byte[10_000]);
    require();
  }
}
