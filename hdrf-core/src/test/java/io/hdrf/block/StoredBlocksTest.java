/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.BytesFile;
import io.hdrf.io.WatchedFileSystem;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.scheme.UnreadableBlocksException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredBlocksTest {

  private static final String POOL = "BP-1-127.0.0.1-1";

  @TempDir Path pool;

  private final List<Path> unreadable = new ArrayList<>();
  private final Map<Long, StoredBlocks.FileCheck> seemDamaged = new HashMap<>();
  private StoredBlocks.PlainCheck proof = (path, file) -> false;
  private StoredBlocks blocks;
  private StoredPayloads payloads;
  private int scheme;

  @BeforeEach
  void open() throws IOException {
    write("current/finalized/subdir0/subdir0", 1, -1);
    write("current/finalized/subdir0/subdir1", 5, -1);
    Path any = pool.resolve("current/finalized/subdir0/subdir0/blk_1");
    try (ChannelFile file = ChannelFile.open(any)) {
      scheme =
          BlockProbe.examine(any, file, new BlockRef(POOL, 1), TestBlock.KEY)
              .header()
              .chainIds()[0];
    }
    blocks =
        new StoredBlocks(
            pool,
            pool.resolve("hdrf"),
            POOL,
            TestBlock.KEY,
            (path, file) -> proof.isProvedPlain(path, file),
            LocalDurableFiles.INSTANCE,
            new StoredBlocks.UnreadableListener() {
              @Override
              public void unreadable(Path file, long id, IOException why) {
                unreadable.add(file);
              }

              @Override
              public void damaged(long id, StoredBlocks.FileCheck check, IOException why) {
                seemDamaged.put(id, check);
              }
            });
    payloads = blocks.payloads(scheme);
  }

  /**
   * A reduced block.
   *
   * @param flipped which of its bytes is damaged; -1: none
   */
  private Path write(String directory, long id, int flipped) throws IOException {
    Path path = pool.resolve(directory).resolve("blk_" + id);
    Files.createDirectories(path.getParent());
    TestBlock.random(new Random(3), 5, 100, 1000)
        .write(LocalDurableFiles.INSTANCE, path, new BlockRef(POOL, id), TestBlock.KEY);
    if (flipped >= 0) {
      byte[] bytes = Files.readAllBytes(path);
      bytes[flipped] ^= 1;
      Files.write(path, bytes);
    }
    return path;
  }

  @Test
  void aFileThatCanNotBeReadHidesNoReducedOne() throws IOException {
    WatchedFileSystem watched =
        new WatchedFileSystem(
            new WatchedFileSystem.Watch() {
              @Override
              public void opening(Path path) throws IOException {
                if (path.endsWith("blk_1")) {
                  throw new FileSystemException(path.toString(), null, "Input/output error");
                }
              }

              @Override
              public int reading(Path path, long position, int length) {
                return length;
              }
            });
    StoredBlocks.Count count =
        new StoredBlocks(
                watched.path(pool),
                pool.resolve("hdrf"),
                POOL,
                TestBlock.KEY,
                (path, file) -> false)
            .countReduced();
    assertThat(count.current()).isOne();
    assertThat(count.obstacle()).contains("blk_1", "Input/output error");
    assertThat(blocks.countReduced().obstacle()).isEmpty();
  }

  /** As where the disk can't read a directory. */
  @Test
  void whatCanNotBeLookedAtHidesNoReducedOne() throws IOException {
    long before = blocks.countReduced().current();
    assertThat(before).isPositive();
    Files.write(pool.resolve("current/finalized/blk_9999999999999999999"), new byte[1000]);
    Files.createSymbolicLink(pool.resolve("previous"), pool.resolve("nowhere"));
    for (int subdir = 1; subdir < 32; subdir++) {
      // Some come before the blocks.
      Path link = pool.resolve("current/finalized/subdir" + subdir);
      Files.createSymbolicLink(link, pool.resolve("nowhere"));
    }
    StoredBlocks.Count count = blocks.countReduced();
    assertThat(count.current()).isEqualTo(before);
    assertThat(count.obstacle()).contains("leads nowhere");
  }

  @Test
  void allBlocksThatCanNotBeReadAreNamedAndTheOthersShown() throws IOException {
    Path tag = write("current/finalized/subdir0/subdir0", 2, 60);
    Path frame = write("current/finalized/subdir0/subdir0", 3, 70);
    Path trash = write("trash/finalized/subdir0/subdir0", 4, 20);
    TreeSet<Long> shown = new TreeSet<>();
    assertThatThrownBy(() -> payloads.forEach((id, length, payload) -> shown.add(id)))
        .isInstanceOfSatisfying(
            UnreadableBlocksException.class, e -> assertThat(e.count()).isEqualTo(3))
        .hasMessageContaining(tag.toString())
        .hasMessageContaining(frame.toString())
        .hasMessageContaining(trash.toString());
    assertThat(unreadable).containsExactlyInAnyOrder(tag, frame, trash);
    assertThat(shown).contains(1L, 5L);
  }

  /** Whatever was known of the block. */
  @Test
  void aBlockThatSeemsDamagedIsReadAgain() throws IOException {
    Path file = write("current/finalized/subdir0/subdir0", 2, -1);
    AtomicInteger asked = new AtomicInteger();
    IOException why = new IOException("for a test");
    payloads.damaged(2, payload -> asked.incrementAndGet() == 3, why);
    assertThat(seemDamaged.get(2L).isDamaged(file)).isTrue();
    assertThat(asked).as("frames").hasValue(3);
    payloads.damaged(2, payload -> false, why);
    assertThat(seemDamaged.get(2L).isDamaged(file)).isFalse();
    assertThat(seemDamaged.get(2L).isDamaged(file.resolveSibling("blk_9"))).isFalse();
    payloads.damaged(
        2,
        payload -> {
          throw new IOException("it can't be told");
        },
        why);
    assertThatThrownBy(() -> seemDamaged.get(2L).isDamaged(file))
        .hasMessageContaining("it can't be told");
    blocks.payloads(scheme + 1).damaged(2, payload -> true, why);
    assertThat(seemDamaged.get(2L).isDamaged(file)).as("of another scheme").isFalse();
    Files.delete(file);
    write("current/finalized/subdir0/subdir0", 2, 60);
    payloads.damaged(2, payload -> true, why);
    assertThatThrownBy(() -> seemDamaged.get(2L).isDamaged(file))
        .isInstanceOf(CorruptFileException.class);
  }

  /** Otherwise its chunks would be collected. */
  @Test
  void damagedBlockWhoseChecksumsAreMissingIsNotTakenForDeleted() throws IOException {
    Path damaged = write("current/finalized/subdir0/subdir0", 2, 20);
    proof =
        (path, file) -> {
          throw new NoSuchFileException(path + "_*.meta");
        };
    assertThatThrownBy(() -> payloads.forEach((id, length, payload) -> {}))
        .isInstanceOf(UnreadableBlocksException.class)
        .hasMessageContaining(damaged.toString());
    assertThat(blocks.countReduced().damaged()).isEqualTo(1);
    // HDFS moves the checksums first.
    boolean[] moved = new boolean[1];
    proof =
        (path, file) -> {
          if (!moved[0]) {
            moved[0] = true;
            throw new NoSuchFileException(path + "_*.meta");
          }
          return true;
        };
    payloads.forEach((id, length, payload) -> {});
    proof =
        (path, file) -> {
          Files.delete(path);
          throw new NoSuchFileException(path.toString());
        };
    payloads.forEach((id, length, payload) -> {});
    assertThat(blocks.countReduced().damaged()).isZero();
  }

  /** Its first bytes and its checksums are read from one file. */
  @Test
  void aLookAlikeThatIsReducedMeanwhileIsNotDamaged() throws IOException {
    Path lookAlike = write("current/finalized/subdir0/subdir0", 2, 60);
    byte[] data = Files.readAllBytes(lookAlike);
    Path reduced = write("elsewhere", 2, -1);
    byte[] meta = MetaFiles.of(DataChecksum.Type.CRC32C, 512, data);
    proof =
        (path, file) -> {
          if (Files.exists(reduced)) {
            Files.move(reduced, path, StandardCopyOption.REPLACE_EXISTING);
          }
          return BlockVerifier.provesPlain(file, MetaFiles.open(meta), false);
        };
    payloads.forEach((id, length, payload) -> {});
    assertThat(reduced).doesNotExist();
    assertThat(unreadable).isEmpty();
  }

  @Test
  void whatHdfsStillWritesIsNotLookedAt() throws IOException {
    write("current/rbw", 2, 60);
    write("tmp", 3, 60);
    write("current/lazypersist", 4, 60);
    TreeSet<Long> shown = new TreeSet<>();
    payloads.forEach((id, length, payload) -> shown.add(id));
    assertThat(shown).containsExactly(1L, 5L);
    assertThat(unreadable).isEmpty();
  }

  @Test
  void onlyWhatAVisitorSaysOfTheFrameIsTheBlocks() {
    assertThatThrownBy(
            () ->
                payloads.forEach(
                    (id, length, payload) -> {
                      throw new CorruptFrameException("no recipe");
                    }))
        .isInstanceOfSatisfying(
            UnreadableBlocksException.class, e -> assertThat(e.count()).isEqualTo(2));
    unreadable.clear();
    assertThatThrownBy(
            () ->
                payloads.forEach(
                    (id, length, payload) -> {
                      throw new IOException("a store is full");
                    }))
        .isNotInstanceOf(UnreadableBlocksException.class)
        .hasMessage("a store is full");
    assertThat(unreadable).isEmpty();
  }

  @Test
  void blockWithoutChecksumsIsPlainWhateverItBeginsWith() throws IOException {
    byte[] lookAlike = Files.readAllBytes(write("model", 9, 60));
    byte[] meta = MetaFiles.of(DataChecksum.Type.NULL, 512, lookAlike);
    assertThat(BlockVerifier.provesPlain(new BytesFile(lookAlike), MetaFiles.open(meta), false))
        .isTrue();
    assertThat(BlockVerifier.provesPlain(new BytesFile(lookAlike), MetaFiles.open(meta), true))
        .isFalse();
    // A checksum type that was damaged does not prove a damaged block plain.
    byte[] damaged = MetaFiles.of(DataChecksum.Type.CRC32C, 512, lookAlike);
    damaged[2] = 0;
    assertThat(BlockVerifier.provesPlain(new BytesFile(lookAlike), MetaFiles.open(damaged), false))
        .isFalse();
  }

  private StoredBlocks stored(StoredBlocks.PlainCheck check) {
    return new StoredBlocks(pool, pool.resolve("hdrf"), POOL, TestBlock.KEY, check);
  }

  @Test
  void reducedBlocksAreCountedWhereTheyLie() throws IOException {
    write("current/finalized/subdir0/subdir0", 2, 60);
    write("current/rbw", 3, -1);
    write("previous/finalized/subdir0/subdir0", 4, -1);
    write("trash/finalized/subdir0/subdir0", 6, -1);
    write("trash/finalized/subdir0/subdir0", 7, -1);
    write("hdrf", 8, -1);
    Path plain = pool.resolve("current/finalized/subdir0/subdir0/blk_9");
    Files.write(plain, new byte[1000]);
    Files.copy(
        pool.resolve("current/finalized/subdir0/subdir0/blk_1"),
        plain.resolveSibling("blk_1_1001.meta"));
    StoredBlocks.Count count = stored((path, file) -> false).countReduced();
    assertThat(count.current()).isEqualTo(2);
    assertThat(count.elsewhere()).isEqualTo(3);
    assertThat(count.damaged()).isEqualTo(1);
    assertThat(stored((path, file) -> true).countReduced().damaged()).isZero();
  }

  @Test
  void whatIsProvedPlainIsNotDamaged() throws IOException {
    Path lookAlike = write("current/finalized/subdir0/subdir0", 2, 60);
    List<Path> asked = new ArrayList<>();
    TreeSet<Long> shown = new TreeSet<>();
    stored((path, file) -> asked.add(path))
        .payloads(ToyFrames.CHAIN[0])
        .forEach((id, length, payload) -> shown.add(id));
    assertThat(asked).containsExactly(lookAlike);
    assertThat(shown).containsExactly(1L, 5L);
  }

  @Test
  void blocksOfOtherSchemesAreNotShown() throws IOException {
    stored((path, file) -> false)
        .payloads(ToyFrames.CHAIN[0] + 1)
        .forEach(
            (id, length, payload) -> {
              throw new AssertionError(id);
            });
  }

  /** A block that moves into the trash meanwhile is shown twice rather than never. */
  @Test
  void blocksInServiceComeFirst() throws IOException {
    for (String directory : new String[] {"a", "b", "trash", "previous", "z"}) {
      write(directory, 100, -1);
    }
    List<Long> shown = new ArrayList<>();
    payloads.forEach((id, length, payload) -> shown.add(id));
    assertThat(shown.subList(0, 10)).containsOnly(1L, 5L);
    assertThat(shown.subList(10, shown.size())).containsOnly(100L);
  }

  /** HDFS makes it when it moves the first block there, after a rolling upgrade was prepared. */
  @Test
  void aBlockIsNotMissedThatMovesIntoATrashMadeMeanwhile() throws IOException {
    TreeSet<Long> shown = new TreeSet<>();
    payloads.forEach(
        (id, length, payload) -> {
          if (shown.isEmpty()) {
            Path trash = Files.createDirectories(pool.resolve("trash/finalized"));
            for (Path file : blockFiles()) {
              if (!file.endsWith("blk_" + id)) {
                Files.move(file, trash.resolve(file.getFileName()));
              }
            }
          }
          shown.add(id);
        });
    assertThat(shown).containsExactly(1L, 5L);
  }

  /** As HDFS takes the trash away when a rolling upgrade is finalized. */
  @Test
  void aDirectoryMayGoMeanwhile() throws IOException {
    Path trash = pool.resolve("trash/finalized/subdir0");
    Files.createDirectories(trash);
    for (Path file : blockFiles()) {
      Files.move(file, trash.resolve(file.getFileName()));
    }
    TreeSet<Long> shown = new TreeSet<>();
    payloads.forEach(
        (id, length, payload) -> {
          shown.add(id);
          FileUtil.fullyDelete(pool.resolve("trash").toFile());
        });
    assertThat(shown).hasSize(1);
  }

  private List<Path> blockFiles() throws IOException {
    try (Stream<Path> files = Files.walk(pool.resolve("current/finalized"))) {
      return files.filter(file -> file.getFileName().toString().matches("blk_[15]")).toList();
    }
  }

  /** A replaced or deleted block may not come back with the power. */
  @Test
  void whatWasSeenIsForced() throws IOException {
    Set<Path> forced = new HashSet<>();
    DurableFiles files =
        (DurableFiles)
            Proxy.newProxyInstance(
                DurableFiles.class.getClassLoader(),
                new Class<?>[] {DurableFiles.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("forceDirectory");
                  forced.add((Path) arguments[0]);
                  return null;
                });
    new StoredBlocks(
            pool,
            pool.resolve("hdrf"),
            POOL,
            TestBlock.KEY,
            (path, file) -> false,
            files,
            (file, id, why) -> {})
        .payloads(scheme)
        .forEach((id, length, payload) -> {});
    for (Path file : blockFiles()) {
      for (Path at = file.getParent(); !at.equals(pool); at = at.getParent()) {
        assertThat(forced).contains(at);
      }
    }
  }

  @Test
  void framesAreShownInOrderWithTheirLengths() throws IOException {
    TestBlock block = TestBlock.random(new Random(3), 5, 100, 1000);
    List<Integer> lengths = new ArrayList<>();
    List<Integer> stored = new ArrayList<>();
    payloads.forEach(
        (id, length, payload) -> {
          if (id == 5) {
            lengths.add(length);
            stored.add(payload.remaining());
          }
        });
    assertThat(lengths)
        .containsExactly(Arrays.stream(block.lengths).boxed().toArray(Integer[]::new));
    for (int i = 0; i < 5; i++) {
      assertThat(stored.get(i))
          .isEqualTo(block.stages[i] == 0 ? block.lengths[i] : ToyFrames.STORED);
    }
  }

  @Test
  void blocksDeletedMeanwhileAreNoError() throws IOException {
    for (long id = 10; id < 20; id++) {
      write("current/finalized/subdir0/subdir0", id, -1);
    }
    TreeSet<Long> shown = new TreeSet<>();
    payloads.forEach(
        (id, length, payload) -> {
          shown.add(id);
          for (long other = 10; other < 20; other++) {
            Files.deleteIfExists(
                pool.resolve("current/finalized/subdir0/subdir0").resolve("blk_" + other));
          }
        });
    assertThat(shown).contains(5L);
    assertThat(unreadable).isEmpty();
  }

  @Test
  void aFewOfManyUnreadableBlocksAreNamed() throws IOException {
    Path one = write("current/finalized/subdir0/subdir0", 100, 60);
    assertThatThrownBy(() -> payloads.forEach((id, length, payload) -> {}))
        .hasMessageStartingWith("1 block file can't be read: " + one + ": ")
        .hasMessageNotContaining("others")
        .hasCauseInstanceOf(CorruptBlockException.class);
    for (int id = 101; id < 105; id++) {
      write("current/finalized/subdir0/subdir0", id, 60);
    }
    assertThatThrownBy(() -> payloads.forEach((id, length, payload) -> {}))
        .hasMessageStartingWith("5 block files can't be read: ")
        .hasMessageNotContaining("others");
    write("current/finalized/subdir0/subdir0", 105, 60);
    assertThatThrownBy(() -> payloads.forEach((id, length, payload) -> {}))
        .hasMessageStartingWith("6 block files can't be read: ")
        .hasMessageEndingWith(" and others")
        .satisfies(e -> assertThat(e.getMessage().split("; ")).hasSize(5));
  }

  @Test
  void whoIsInterruptedStops() {
    InterruptedIOException interrupted = new InterruptedIOException();
    assertThatThrownBy(
            () ->
                payloads.forEach(
                    (id, length, payload) -> {
                      throw interrupted;
                    }))
        .isSameAs(interrupted);
    assertThat(unreadable).isEmpty();
  }

  @Test
  void buffersAreGivenBack() throws IOException {
    long idle = TestBlock.idleWithSpares(100, 1000);
    payloads.forEach((id, length, payload) -> {});
    assertThat(BufferPool.shared().idleBytes()).isEqualTo(idle);
  }

  /** Stock HDFS follows links: such a block is in service as any other. */
  @Test
  void blocksBehindLinksAreShownToo(@TempDir Path otherDisk) throws IOException {
    Path moved = pool.resolve("current/finalized/subdir0/subdir1");
    Files.move(moved, otherDisk.resolve("subdir1"));
    Files.createSymbolicLink(moved, otherDisk.resolve("subdir1"));
    TreeSet<Long> shown = new TreeSet<>();
    payloads.forEach((id, length, payload) -> shown.add(id));
    assertThat(shown).containsExactly(1L, 5L);
  }

  /** Chunks of blocks that are not shown are collected. */
  @Test
  void aDirectoryThatCantBeLookedAtIsNotLeftOut() throws IOException {
    write("previous/finalized/subdir0/subdir0", 7, -1);
    for (String name : List.of("previous", "current")) {
      WatchedFileSystem disk =
          new WatchedFileSystem(
              new WatchedFileSystem.Watch() {
                @Override
                public void opening(Path path) {}

                @Override
                public int reading(Path path, long position, int length) {
                  return length;
                }

                @Override
                public void looking(Path path) throws IOException {
                  if (path.equals(pool.resolve(name))) {
                    throw new IOException("Input/output error");
                  }
                }
              });
      Path seen = disk.path(pool);
      StoredPayloads all =
          new StoredBlocks(seen, seen.resolve("hdrf"), POOL, TestBlock.KEY, (path, file) -> false)
              .payloads(scheme);
      TreeSet<Long> shown = new TreeSet<>();
      assertThatThrownBy(() -> all.forEach((id, length, payload) -> shown.add(id)))
          .as(name + ": shown " + shown)
          .isInstanceOf(IOException.class);
    }
  }
}
