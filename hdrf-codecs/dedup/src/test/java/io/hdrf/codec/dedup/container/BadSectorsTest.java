/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.FaultyFiles;
import io.hdrf.io.InMemory;
import io.hdrf.io.WatchedFileSystem;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.LogManager;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An unreadable sector costs as little as possible, and only as long as it lasts. */
class BadSectorsTest {

  private static final int CHUNKS = 60;
  private static final int PAGE = 4 << 10;
  private static final int SECTOR = 512;
  private static final String DISK_ERROR = "Input/output error";

  @TempDir(factory = InMemory.class)
  Path scratch;

  private final Random random = TestSeed.random("bad sectors");
  private FaultyFiles files;
  private Path dir;

  @BeforeEach
  void start() throws IOException {
    files = new FaultyFiles(scratch, random);
    dir = scratch.resolve("containers");
  }

  private ContainerStore open() throws IOException {
    return Chunks.open(
        files.path(dir),
        files,
        Chunks.settings().containerSize(1 << 20).groupSize(4000).groupMemory(0));
  }

  private Path file(String suffix) {
    return ContainerNames.file(dir, 0, suffix);
  }

  private static byte[] chunk(int number) {
    return Chunks.chunk(number, 900);
  }

  private ContainerDirectory fill(FrameChain tail) throws IOException {
    try (ContainerStore store = open()) {
      try (ChunkAppender appender = store.appender(tail)) {
        for (int i = 0; i < CHUNKS; i++) {
          Chunks.append(appender, chunk(i));
        }
      }
      store.sealIdle(0);
      return store.directory(0);
    }
  }

  /** Returns the numbers of the chunks that can't be read; all others are right. */
  private static BitSet unreadable(ContainerStore store) {
    BitSet failed = new BitSet();
    for (int i = 0; i < CHUNKS; i++) {
      try {
        assertThat(Chunks.read(store, ChunkRef.pack(0, i), 900)).isEqualTo(chunk(i));
      } catch (IOException e) {
        failed.set(i);
      }
    }
    return failed;
  }

  private static BitSet notHeld(ContainerStore store) throws IOException {
    BitSet missing = new BitSet();
    for (int i = 0; i < CHUNKS; i++) {
      missing.set(i, !store.holds(ChunkRef.pack(0, i), Chunks.fingerprint(chunk(i)), 0));
    }
    return missing;
  }

  private static BitSet chunksOf(ContainerDirectory content, int group) {
    BitSet chunks = new BitSet();
    chunks.set(content.firstChunk(group), content.endChunk(group));
    return chunks;
  }

  /** What the header says is in the directory, too. */
  @Test
  void theHeaderOfAPlainGroupCostsTheChunksInItsSector() throws IOException {
    ContainerSettings large =
        ContainerSettings.of(Chunks.IDENTITY).groupSize(CHUNKS * 900).groupMemory(0);
    try (ContainerStore store = Chunks.open(files.path(dir), files, large);
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      for (int i = 0; i < CHUNKS; i++) {
        Chunks.append(appender, chunk(i));
      }
    }
    files.damage(file(ContainerNames.SEALED), 100);
    try (ContainerStore store = Chunks.open(files.path(dir), files, large)) {
      BitSet lost = unreadable(store);
      assertThat(lost.cardinality()).isLessThanOrEqualTo(PAGE / 900 + 1);
      assertThat(notHeld(store)).isEqualTo(lost);
      int first = lost.length();
      ByteBuffer run = ByteBuffer.allocateDirect((CHUNKS - first) * 900);
      store.read(0, first, CHUNKS - first, run);
      run.flip();
      for (int i = first; i < CHUNKS; i++) {
        byte[] read = new byte[900];
        run.get(read);
        assertThat(read).isEqualTo(chunk(i));
      }
      files.mend();
      assertThat(unreadable(store).isEmpty()).isTrue();
      assertThat(notHeld(store).isEmpty()).isTrue();
    }
  }

  @Test
  void aGroupIsLeftAloneUntilItReadsWell() throws IOException {
    ContainerDirectory content = fill(Chunks.DEFLATE);
    int group = random.nextInt(content.groupCount());
    BitSet lost = chunksOf(content, group);
    files.damage(
        file(ContainerNames.SEALED), content.groupPosition(group) + content.groupLength(group) / 2);
    try (ContainerStore store = open()) {
      assertThat(notHeld(store).isEmpty()).isTrue();
      ByteBuffer all = ByteBuffer.allocateDirect(CHUNKS * 900);
      assertThatThrownBy(() -> store.read(0, 0, CHUNKS, all))
          .isNotInstanceOf(CorruptFrameException.class)
          .hasMessageStartingWith(DISK_ERROR);
      assertThat(notHeld(store)).isEqualTo(lost);
      assertThat(unreadable(store)).isEqualTo(lost);
      assertThat(notHeld(store)).isEqualTo(lost);
      files.mend();
      assertThat(unreadable(store).isEmpty()).isTrue();
      assertThat(notHeld(store).isEmpty()).isTrue();
    }
  }

  /** A disk takes seconds for each attempt. */
  @Test
  void aBadSectorIsNotReadForEveryChunkOfAGroup() throws IOException {
    ContainerSettings large =
        ContainerSettings.of(Chunks.IDENTITY).groupSize(CHUNKS * 900).groupMemory(0);
    try (ContainerStore store = Chunks.open(files.path(dir), files, large);
        ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      for (int i = 0; i < CHUNKS; i++) {
        Chunks.append(appender, chunk(i));
      }
    }
    files.damage(file(ContainerNames.SEALED), 10_000);
    try (ContainerStore store = Chunks.open(files.path(dir), files, large)) {
      assertThat(store.check(0, Throttle.NONE).damagedChunks()).isEqualTo(CHUNKS);
      assertThat(files.faults()).isBetween(1L, 4L);
      long before = files.faults();
      assertThat(store.damagedChunks(Throttle.NONE).get(0L).cardinality()).isEqualTo(CHUNKS);
      assertThat(files.faults() - before).isBetween(1L, 2L);
      assertThat(notHeld(store).cardinality()).isEqualTo(CHUNKS);
    }
  }

  /** Nothing has read the container since. */
  @Test
  void noBlockIsSuspectedForAnErrorThatHasPassed() throws IOException {
    ContainerDirectory content = fill(Chunks.DEFLATE);
    int last = content.groupCount() - 1;
    files.damage(file(ContainerNames.SEALED), content.groupEnd(last) - SECTOR / 2);
    try (ContainerStore store = open()) {
      store.check(0, Throttle.NONE);
      assertThat(store.damagedChunks(Throttle.NONE).get(0L).get(CHUNKS - 1)).isTrue();
      files.mend();
      assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
      assertThat(notHeld(store).isEmpty()).isTrue();
    }
  }

  /** The directory would tell what the group's damaged header said. */
  @Test
  void aGroupWhoseHeaderIsDamagedWhereTheDirectoryCantBeReadNow() throws IOException {
    ContainerDirectory content = fill(Chunks.DEFLATE);
    try (ContainerStore store = open()) {
      long ref = ChunkRef.pack(0, content.number(content.firstChunk(1)));
      Chunks.read(store, ref, 900);
      try (RandomAccessFile bytes =
          new RandomAccessFile(file(ContainerNames.SEALED).toFile(), "rw")) {
        bytes.seek(content.groupPosition(1) + 20);
        int value = bytes.read();
        bytes.seek(content.groupPosition(1) + 20);
        bytes.write(~value);
      }
      files.damage(file(ContainerNames.SEALED), content.groupEnd(content.groupCount() - 1) + 700);
      assertThatThrownBy(() -> Chunks.read(store, ref, 900))
          .isNotInstanceOf(CorruptFrameException.class)
          .hasMessageStartingWith(DISK_ERROR);
      assertThat(store.isBad(ref)).isTrue();
      files.mend();
      assertThat(Chunks.read(store, ref, 900)).isEqualTo(chunk(ChunkRef.number(ref)));
      assertThat(store.isBad(ref)).isFalse();
    }
  }

  @Test
  void chunksThatAreStoredAsTheyAre() throws IOException {
    ContainerDirectory content = fill(Chunks.PLAIN);
    files.damage(file(ContainerNames.SEALED), content.groupPosition(1) + 600);
    try (ContainerStore store = open()) {
      BitSet lost = unreadable(store);
      assertThat(lost.cardinality()).isBetween(1, 2);
      assertThat(notHeld(store)).isEqualTo(lost);
    }
  }

  /** The directory is made again from the groups, and written where it can be read. */
  @Test
  void aDirectoryAndAFooter() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      ContainerDirectory content = fill(tail);
      long length = Files.size(file(ContainerNames.SEALED));
      long directory = content.groupEnd(content.groupCount() - 1);
      for (long position : new long[] {directory + 700, length - 50}) {
        files.damage(file(ContainerNames.SEALED), position);
        try (ContainerStore store = open()) {
          assertThat(store.containers().iterator().next().problem()).isNull();
          assertThat(unreadable(store).isEmpty()).isTrue();
          assertThat(notHeld(store).isEmpty()).isTrue();
          store.mend(0, Throttle.NONE);
          store.mend(TimeUnit.SECONDS.toNanos(RepairQueue.FIRST_SECONDS), Throttle.NONE);
          // The repaired file lies elsewhere.
          assertThat(ContainerVerifier.verify(store, 0).problems()).isEmpty();
        }
      }
      files.deleteIfExists(file(ContainerNames.SEALED));
    }
  }

  /**
   * It is not damage, for which a replica would be deleted; and it ends when the sector reads well.
   */
  @Test
  void aSealedContainerOfWhichTheDiskCouldNotReadAllIsReadAgain() throws IOException {
    ContainerDirectory content = fill(Chunks.DEFLATE);
    int last = content.groupCount() - 1;
    files.damage(file(ContainerNames.SEALED), content.groupEnd(last) - SECTOR / 2);
    try (ContainerStore store = open()) {
      assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(0, CHUNKS - 1), 900))
          .isNotInstanceOf(CorruptFrameException.class)
          .hasMessageStartingWith(DISK_ERROR);
      assertThat(unreadable(store)).isEqualTo(chunksOf(content, last));
      assertThat(store.mayHaveMore(0)).isTrue();
      mend(store, 1);
      assertThat(unreadable(store)).isEqualTo(chunksOf(content, last));
      files.mend();
      mend(store, 3);
      assertThat(unreadable(store).isEmpty()).isTrue();
      assertThat(notHeld(store).isEmpty()).isTrue();
      assertThat(store.mayHaveMore(0)).isFalse();
    }
  }

  @Test
  void anOpenContainerWhoseHeaderTheDiskCouldNotReadIsReadAgain() throws IOException {
    fillSmallGroups();
    files.damage(file(ContainerNames.OPEN), 0);
    try (ContainerStore store = open()) {
      assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(0, 0), 900))
          .isNotInstanceOf(CorruptFrameException.class)
          .hasMessageContaining(DISK_ERROR);
      mend(store, 1);
      assertThat(unreadable(store).cardinality()).isEqualTo(CHUNKS);
      assertThat(store.isDamaged(0, 0, 1)).isTrue();
      files.mend();
      mend(store, 3);
      assertThat(store.isDamaged(0, 0, 1)).isFalse();
      assertThat(unreadable(store).isEmpty()).isTrue();
      assertThat(notHeld(store).isEmpty()).isTrue();
      assertThat(store.sealIdle(0)).isTrue();
    }
  }

  /** Like a sealed one: not damage, and only as long as it lasts. */
  @Test
  void anOpenContainerOfWhichTheDiskCouldNotReadAllIsReadAgain() throws IOException {
    fillSmallGroups();
    files.damage(file(ContainerNames.OPEN), PAGE - SECTOR);
    try (ContainerStore store = open()) {
      BitSet lost = unreadable(store);
      files.mend();
      mend(store, 1);
      mend(store, 3);
      assertThat(unreadable(store))
          .as("unreadable for ever; at first " + lost)
          .isEqualTo(new BitSet());
    }
  }

  @Test
  void whatTheDiskCouldNotReadOfAnOpenContainerIsNoDamage() throws IOException {
    fillSmallGroups();
    files.damage(file(ContainerNames.OPEN), PAGE - SECTOR);
    try (ContainerStore store = open()) {
      int lost = unreadable(store).nextSetBit(0);
      // MissingChunkException is what DedupCodec.decode makes a CorruptFrameException of.
      assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(0, lost), 900))
          .isNotInstanceOf(MissingChunkException.class)
          .isNotInstanceOf(CorruptFrameException.class)
          .hasMessageStartingWith(DISK_ERROR);
    }
  }

  /** Whatever else fails meanwhile. */
  @Test
  void anOpenContainerIsReadAgainUntilThatIsDone() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (FaultyFiles.Fault fault : FaultyFiles.Fault.values()) {
      for (int n = 1; n < 400; n++) {
        fillSmallGroups();
        files.damage(file(ContainerNames.OPEN), 0);
        long faults = 0;
        try (ContainerStore store = open()) {
          files.mend();
          store.mend(0, Throttle.NONE);
          faults = files.faults();
          files.fail(fault, n, 1);
          store.mend(TimeUnit.HOURS.toNanos(1), Throttle.NONE);
          faults = files.faults() - faults;
          files.heal();
          for (int hour = 3; hour < 20; hour += 2) {
            mend(store, hour);
          }
          BitSet failed = unreadable(store);
          if (!failed.isEmpty()) {
            wrong.add(fault + " " + n + ": " + failed.cardinality() + " unreadable");
          }
        } catch (IOException e) {
          wrong.add(fault + " " + n + ": close: " + e);
        }
        files.heal();
        try (ContainerStore store = open()) {
          BitSet failed = unreadable(store);
          if (!failed.isEmpty()) {
            wrong.add(fault + " " + n + ": after a restart " + failed.cardinality());
          }
        }
        files.deleteIfExists(file(ContainerNames.OPEN));
        files.deleteIfExists(file(ContainerNames.SEALED));
        if (faults == 0) {
          break;
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Only a collection knows that no block needs what can't be read. */
  @Test
  void aDamagedContainerIsNotSealedThoughTheSecondLookEndedHalfway() throws IOException {
    fillSmallGroups();
    Path open = file(ContainerNames.OPEN);
    long middle = Files.size(open) / 2;
    files.damage(open, middle);
    try (ContainerStore store = open()) {
      files.mend();
      try (RandomAccessFile bytes = new RandomAccessFile(open.toFile(), "rw")) {
        bytes.seek(middle);
        int old = bytes.read();
        bytes.seek(middle);
        bytes.write(old ^ 1);
      }
      mend(store, 0);
      AppenderSkeleton noMemory =
          new AppenderSkeleton() {
            @Override
            protected void append(LoggingEvent event) {
              if (event.getRenderedMessage().contains("It is left as it is until")) {
                throw new OutOfMemoryError("as the test wants it");
              }
            }

            @Override
            public void close() {}

            @Override
            public boolean requiresLayout() {
              return false;
            }
          };
      LogManager.getRootLogger().addAppender(noMemory);
      try {
        mend(store, 1);
      } finally {
        LogManager.getRootLogger().removeAppender(noMemory);
      }
      for (int hour = 3; hour < 20; hour += 2) {
        mend(store, hour);
      }
      assertThat(open).exists();
    }
  }

  /** A disk may take minutes for each sector that it can't read. */
  @Test
  void whoReadsWhatIsSoundDoesNotWaitWhileTheRestIsLookedForAgain() throws Exception {
    ContainerDirectory content = fill(Chunks.DEFLATE);
    files.damage(
        file(ContainerNames.SEALED), content.groupEnd(content.groupCount() - 1) - SECTOR / 2);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Thread[] mender = new Thread[1];
    try (ContainerStore store =
        ContainerStore.open(
            files.path(dir),
            files,
            Chunks.settings().containerSize(1 << 20).groupSize(4000).groupMemory(0),
            Chunks::chain,
            (chunk, dst, offset) -> {
              if (Thread.currentThread() == mender[0]) {
                entered.countDown();
                try {
                  go.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              }
              Chunks.fingerprint(chunk, dst, offset);
            })) {
      assertThat(Chunks.read(store, ChunkRef.pack(0, 0), 900)).isEqualTo(chunk(0));
      assertThat(store.mayHaveMore(0)).isTrue();
      mender[0] = new Thread(() -> mend(store, 1));
      mender[0].start();
      entered.await();
      Future<byte[]> read =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return Chunks.read(store, ChunkRef.pack(0, 0), 900);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      try {
        assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo(chunk(0));
      } finally {
        go.countDown();
        mender[0].join();
      }
    }
  }

  /** The process has too many files open when the store is opened. */
  @Test
  void anOpenContainerThatCouldNotBeOpenedForTheMomentIsReadAgain() throws IOException {
    fillSmallGroups();
    boolean[] full = {true};
    try (ContainerStore store = openWhereFilesAre(full)) {
      assertThat(unreadable(store).cardinality()).isEqualTo(CHUNKS);
      full[0] = false;
      mend(store, 1);
      mend(store, 3);
      assertThat(unreadable(store).cardinality()).isZero();
    }
  }

  /**
   * @param full whether an open container's file can't be opened
   */
  private ContainerStore openWhereFilesAre(boolean[] full) throws IOException {
    WatchedFileSystem watched =
        new WatchedFileSystem(
            new WatchedFileSystem.Watch() {
              @Override
              public void opening(Path path) throws IOException {
                if (full[0] && path.toString().endsWith(ContainerNames.OPEN)) {
                  throw new FileSystemException(path.toString(), null, "Too many open files");
                }
              }

              @Override
              public int reading(Path path, long position, int length) {
                return length;
              }
            });
    return Chunks.open(
        watched.path(dir),
        files,
        Chunks.settings().containerSize(1 << 20).groupSize(4000).groupMemory(0));
  }

  /** It may have been found, and needed, meanwhile; what is sealed then is all that is left. */
  @Test
  void whatWasReadOnceIsNotGivenUpForWhatIsReadNow() throws IOException {
    fillSmallGroups();
    files.damage(file(ContainerNames.OPEN), 5 * PAGE - SECTOR);
    try (ContainerStore store = open()) {
      BitSet lost = store.directory(0).numbers();
      assertThat(lost.cardinality()).isEqualTo(CHUNKS - 2);
      files.mend();
      files.damage(file(ContainerNames.OPEN), 3 * PAGE - SECTOR);
      mend(store, 1);
      lost.andNot(store.directory(0).numbers());
      assertThat(lost).isEqualTo(new BitSet());
      files.mend();
      mend(store, 3);
      assertThat(notHeld(store)).isEqualTo(new BitSet());
    }
  }

  /** A second look finds nothing sound behind it, as behind a torn write. */
  @Test
  void whatWasReadOnceIsNotCutOffAsTorn() throws IOException {
    ContainerDirectory content = fillSmallGroups();
    Path open = file(ContainerNames.OPEN);
    files.damage(open, 3 * PAGE - SECTOR);
    try (ContainerStore store = open()) {
      assertThat(store.directory(0).indexOf(CHUNKS - 1)).isNotNegative();
      files.mend();
      try (RandomAccessFile bytes = new RandomAccessFile(open.toFile(), "rw")) {
        bytes.seek(content.groupPosition(content.groupCount() - 1) + 20);
        bytes.write(~bytes.read());
      }
      mend(store, 1);
      mend(store, 3);
      assertThat(open).hasSize(content.groupEnd(content.groupCount() - 1));
      assertThat(store.mayHaveMore(0)).isTrue();
    }
  }

  /** Before any attempt of its own is due. */
  @Test
  void whatAnOpenContainerLackedIsReadAgainBeforeItIsTold() throws IOException {
    fillSmallGroups();
    files.damage(file(ContainerNames.OPEN), 5 * PAGE - SECTOR);
    try (ContainerStore store = open()) {
      BitSet lost = unreadable(store);
      assertThat(store.lacked(0, 0, CHUNKS)).isEqualTo(lost);
      assertThat(store.damagedChunks(Throttle.NONE)).isEqualTo(Map.of(0L, lost));
      files.mend();
      assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
    }
  }

  /** A collection, which begins so, does not suspect blocks for an error that has passed. */
  @ParameterizedTest
  @ValueSource(longs = {0, 5 * PAGE - SECTOR})
  void whatAnOpenContainerLackedIsReadAgainBeforeItIsLookedFor(long badSector) throws IOException {
    fillSmallGroups();
    files.damage(file(ContainerNames.OPEN), badSector);
    try (ContainerStore store = open()) {
      assertThat(unreadable(store).isEmpty()).isFalse();
      files.mend();
      assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
      assertThat(store.lacked(0, 0, CHUNKS).isEmpty()).isTrue();
    }
  }

  @Test
  void anEmptyContainerThatCouldNotBeOpenedForTheMomentGoes() throws IOException {
    files.createDirectories(files.path(dir));
    ContainerHeader header = new ContainerHeader(0, Chunks.IDENTITY, new int[0], 0, 0);
    try (DurableFile empty = files.create(file(ContainerNames.OPEN))) {
      empty.write(ByteBuffer.wrap(header.encode().array()), 0);
    }
    boolean[] full = {true};
    try (ContainerStore store = openWhereFilesAre(full)) {
      assertThat(store.containers().iterator().next().problem()).isNotNull();
      full[0] = false;
      mend(store, 1);
      assertThat(store.containers()).isEmpty();
      assertThat(file(ContainerNames.OPEN)).doesNotExist();
    }
  }

  /** Mends at a time when all earlier attempts are due again. */
  private static void mend(ContainerStore store, int hour) {
    store.mend(0, Throttle.NONE);
    store.mend(TimeUnit.HOURS.toNanos(hour), Throttle.NONE);
  }

  /** Where neither header nor footer can be read, a volume must not start without the scheme. */
  @Test
  void aChainThatCantBeReadMayHaveAnyScheme() throws IOException {
    files.createDirectories(files.path(dir));
    byte[] header = new ContainerHeader(0, 0, new int[0], 0, 0).encode().array();
    for (String suffix : List.of(ContainerNames.SEALED, ContainerNames.OPEN)) {
      try (DurableFile small = files.create(file(suffix))) {
        small.write(ByteBuffer.wrap(header), 0);
      }
      assertThat(ContainerStore.mayNeed(files.path(dir), Chunks.DEFLATE_ID)).isFalse();
      files.damage(file(suffix), 0);
      assertThat(ContainerStore.mayNeed(files.path(dir), Chunks.DEFLATE_ID)).isTrue();
      files.mend();
      assertThat(ContainerStore.mayNeed(files.path(dir), Chunks.DEFLATE_ID)).isFalse();
    }
  }

  /** A restart after the disk has recovered finds all again. */
  @Test
  void anOpenContainer() throws IOException {
    ContainerDirectory content = fill(Chunks.DEFLATE);
    for (int group : new int[] {1, content.groupCount() - 1}) {
      byte[] bytes = Files.readAllBytes(file(ContainerNames.SEALED));
      files.deleteIfExists(file(ContainerNames.SEALED));
      int end = (int) content.groupEnd(content.groupCount() - 1);
      try (DurableFile open = files.create(file(ContainerNames.OPEN))) {
        open.write(ByteBuffer.wrap(bytes, 0, end), 0);
      }
      files.damage(
          file(ContainerNames.OPEN),
          content.groupPosition(group) + content.headerLength(group) + 5);
      try (ContainerStore store = open()) {
        assertThat(unreadable(store)).isEqualTo(chunksOf(content, group));
      }
      files.mend();
      try (ContainerStore store = open()) {
        assertThat(unreadable(store).isEmpty()).isTrue();
        assertThat(notHeld(store).isEmpty()).isTrue();
      }
    }
  }

  /** Where a group's header can't be read, the next group is looked for right behind the sector. */
  @Test
  void groupsBehindAHeaderInAnOpenContainer() throws IOException {
    ContainerDirectory content = fillSmallGroups();
    files.damage(file(ContainerNames.OPEN), PAGE - SECTOR);
    BitSet lost = new BitSet();
    for (int g = 0; content.groupPosition(g) < PAGE; g++) {
      if (content.groupEnd(g) > PAGE - SECTOR) {
        lost.or(chunksOf(content, g));
      }
    }
    try (ContainerStore store = open()) {
      assertThat(unreadable(store)).isEqualTo(lost);
    }
  }

  private ContainerDirectory fillSmallGroups() throws IOException {
    ContainerStore killed = open();
    ChunkAppender appender = killed.appender(Chunks.PLAIN);
    for (int i = 0; i < CHUNKS; i++) {
      Chunks.append(appender, chunk(i));
      appender.flush();
    }
    appender.force();
    files.closeAll();
    return killed.directory(0);
  }
}
