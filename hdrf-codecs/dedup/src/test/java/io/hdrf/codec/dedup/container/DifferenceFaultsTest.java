/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.FaultyFiles;
import io.hdrf.io.InMemory;
import io.hdrf.io.LogCapture;
import io.hdrf.jni.ChunkDelta;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.log4j.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What fails with the bases of differences is told from what fails with other chunks. */
class DifferenceFaultsTest {

  private static final int LENGTH = 1000;

  @TempDir(factory = InMemory.class)
  Path scratch;

  private final Random random = TestSeed.random("faults of differences");
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
        Chunks.settings().containerSize(1 << 20).groupSize(60_000).groupMemory(1 << 20));
  }

  private static byte[] chunk(int number) {
    return Chunks.chunk(number, LENGTH);
  }

  private static byte[] similar(int number, int version) {
    byte[] chunk = chunk(number);
    chunk[LENGTH / 2] ^= (byte) (version + 1);
    return chunk;
  }

  private static ByteBuffer difference(int number, int version) {
    ByteBuffer chunk = Chunks.direct(similar(number, version));
    ByteBuffer delta = ByteBuffer.allocateDirect(LENGTH);
    assertThat(new ChunkDelta().encode(Chunks.direct(chunk(number)), chunk, delta)).isTrue();
    delta.flip();
    ByteBuffer kept = ByteBuffer.allocateDirect(DifferenceFormat.HEAD + delta.remaining());
    DifferenceFormat.put(chunk, delta, kept);
    return kept.flip();
  }

  private static long appendDifference(ChunkAppender appender, int number, int version, long base)
      throws IOException {
    byte[] name = Chunks.fingerprint(similar(number, version));
    return appender.appendDifference(name, 0, difference(number, version), LENGTH, base);
  }

  /** Seals container 0, which has chunks from 0 on. */
  private void fill(FrameChain tail, int count) throws IOException {
    try (ContainerStore store = open()) {
      try (ChunkAppender appender = store.appender(tail)) {
        for (int i = 0; i < count; i++) {
          Chunks.append(appender, chunk(i));
        }
      }
      store.sealIdle(0);
    }
  }

  private static BitSet numbers(int... numbers) {
    BitSet set = new BitSet();
    for (int number : numbers) {
      set.set(number);
    }
    return set;
  }

  /** Fills container 1 with differences to chunks 0 and 1, and then a whole one. */
  private void fillWithDifferences() throws IOException {
    try (ContainerStore store = open()) {
      try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
        appendDifference(appender, 0, 0, ChunkRef.pack(0, 0));
        appendDifference(appender, 0, 1, ChunkRef.pack(0, 0));
        Chunks.append(appender, chunk(7));
      }
      store.sealIdle(1);
    }
  }

  @Test
  void anUnreadableBaseIsNoDamageOfANeighbour() throws IOException {
    fill(Chunks.DEFLATE, 1);
    fillWithDifferences();
    files.damage(ContainerNames.file(dir, 0, ContainerNames.SEALED), 100);
    try (ContainerStore store = open()) {
      assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(1, 0), LENGTH))
          .isInstanceOf(IOException.class);
      assertThat(Chunks.read(store, ChunkRef.pack(1, 2), LENGTH)).isEqualTo(chunk(7));
      assertThat(store.damaged(1, numbers(0, 1, 2), Throttle.NONE)).isEqualTo(numbers(0, 1));
    }
    files.mend();
    files.damage(ContainerNames.file(dir, 1, ContainerNames.SEALED), 100);
    try (ContainerStore store = open()) {
      assertThat(store.damaged(1, numbers(0, 1, 2), Throttle.NONE)).isEqualTo(numbers(0, 1, 2));
    }
  }

  @Test
  void aDifferenceIsDamagedIfItsBaseIsMissing() throws IOException {
    fill(Chunks.DEFLATE, 1);
    fillWithDifferences();
    Files.delete(ContainerNames.file(dir, 0, ContainerNames.SEALED));
    try (ContainerStore store = open()) {
      assertThat(store.damaged(1, numbers(0, 1, 2, 3), Throttle.NONE)).isEqualTo(numbers(0, 1));
    }
  }

  /** The disk takes seconds for each. */
  @Test
  void anUnreadableGroupOfBasesIsNotTriedForEach() throws IOException {
    fill(Chunks.PLAIN, 50);
    long sector;
    try (ContainerStore store = open()) {
      ContainerDirectory content = store.directory(0);
      assertThat(content.groupCount()).isEqualTo(1);
      sector = content.groupEnd(0) - LENGTH / 2;
      try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
        for (int i = 0; i < 40; i++) {
          appendDifference(appender, i, 0, ChunkRef.pack(0, i));
        }
      }
      store.sealIdle(1);
    }
    files.damage(ContainerNames.file(dir, 0, ContainerNames.SEALED), sector);
    try (ContainerStore store = open()) {
      ByteBuffer read = ByteBuffer.allocateDirect(40 * LENGTH);
      long before = files.faults();
      store.read(1, 0, 40, read);
      assertThat(files.faults() - before).isLessThan(4);
      read.flip();
      for (int i = 0; i < 40; i++) {
        byte[] chunk = new byte[LENGTH];
        read.get(chunk);
        assertThat(chunk).isEqualTo(similar(i, 0));
      }
      assertThat(store.isBad(ChunkRef.pack(0, 0))).isFalse();
    }
  }

  /** A scrub would take hours where a disk takes seconds for each attempt. */
  @Test
  void aScrubTriesAnUnreadableGroupOfBasesOnce() throws IOException {
    fill(Chunks.DEFLATE, 50);
    try (ContainerStore store = open()) {
      try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
        for (int i = 0; i < 40; i++) {
          appendDifference(appender, i, 0, ChunkRef.pack(0, i));
        }
      }
      store.sealIdle(1);
    }
    files.damage(ContainerNames.file(dir, 0, ContainerNames.SEALED), 100);
    try (ContainerStore store = open()) {
      long before = files.faults();
      assertThat(store.check(1, Throttle.NONE).damagedChunks()).isZero();
      assertThat(files.faults() - before).isBetween(1L, 3L);
    }
  }

  /** Container 1 is as it was before it was sealed. */
  private void leaveOpen(byte[] written) throws IOException {
    Files.delete(ContainerNames.file(dir, 1, ContainerNames.SEALED));
    Files.write(ContainerNames.file(dir, 1, ContainerNames.OPEN), written);
    // It knows the files that it finds.
    files = new FaultyFiles(scratch, random);
  }

  /** As it was open when the process ended, without their fingerprints. */
  private void openWithDifferences(int count) throws IOException {
    Path file = ContainerNames.file(dir, 1, ContainerNames.OPEN);
    byte[] written;
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      for (int i = 0; i < count; i++) {
        appendDifference(appender, i, 0, ChunkRef.pack(0, i));
      }
      appender.force();
      written = Files.readAllBytes(file);
    }
    leaveOpen(written);
  }

  private static int named(ContainerStore store, int count) throws IOException {
    int named = 0;
    for (int i = 0; i < count; i++) {
      named += store.holds(ChunkRef.pack(1, i), Chunks.fingerprint(similar(i, 0)), 0) ? 1 : 0;
    }
    return named;
  }

  private static void mend(ContainerStore store, int seconds) {
    store.mend(TimeUnit.SECONDS.toNanos(seconds), Throttle.NONE);
  }

  /** They get them as soon as the bases can be read, at the first attempt or later. */
  @Test
  void fingerprintsWaitForTheBases() throws IOException {
    fill(Chunks.PLAIN, 5);
    openWithDifferences(5);
    files.damage(ContainerNames.file(dir, 0, ContainerNames.SEALED), 100);
    try (ContainerStore store = open()) {
      assertThat(named(store, 5)).isZero();
      mend(store, 0);
      mend(store, 10);
      assertThat(named(store, 5)).isLessThan(5);
      for (int i = 0; i < 5; i++) {
        assertThat(store.isBad(ChunkRef.pack(1, i))).isFalse();
      }
      files.mend();
      assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
      mend(store, 10 + 20);
      assertThat(named(store, 5)).isEqualTo(5);
    }
    try (ContainerStore store = open()) {
      assertThat(named(store, 5)).isEqualTo(5);
      assertThat(store.check(1, Throttle.NONE).isSound()).isTrue();
    }
  }

  /** A start may find a container that an earlier one has sealed, and had no time for more. */
  @Test
  void aScrubFindsWhatHasNoFingerprints() throws IOException {
    fill(Chunks.DEFLATE, 5);
    openWithDifferences(5);
    open().close();
    try (ContainerStore store = open()) {
      mend(store, 0);
      mend(store, 10);
      assertThat(store.pollFingerprinted()).isNull();
      assertThat(store.check(1, Throttle.NONE).isSound()).isTrue();
      mend(store, 20);
      mend(store, 30);
      assertThat(store.pollFingerprinted()).isEqualTo(1);
      assertThat(named(store, 5)).isEqualTo(5);
    }
  }

  /** Nor is the container read again for it. */
  @Test
  void aDifferenceWhoseBaseIsGoneGetsNoFingerprint() throws IOException {
    fill(Chunks.PLAIN, 2);
    openWithDifferences(2);
    Files.delete(ContainerNames.file(dir, 0, ContainerNames.SEALED));
    AtomicLong bytes = new AtomicLong();
    try (ContainerStore store = open()) {
      store.directory(1);
      store.mend(0, bytes::addAndGet);
      store.mend(TimeUnit.SECONDS.toNanos(10), bytes::addAndGet);
      long once = bytes.get();
      assertThat(once).isPositive();
      assertThat(store.directory(1).lacksFingerprint(0)).isTrue();
      store.check(1, Throttle.NONE);
      for (int seconds : new int[] {40, 200, 1000, 10_000}) {
        store.mend(TimeUnit.SECONDS.toNanos(seconds), bytes::addAndGet);
      }
      assertThat(bytes).hasValue(once);
    }
  }

  /** Container 1 was open: a group for each of some differences, and two of whole chunks. */
  private void openWithGroups(int count) throws IOException {
    Path file = ContainerNames.file(dir, 1, ContainerNames.OPEN);
    byte[] written;
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      for (int i = 0; i < count; i++) {
        appendDifference(appender, i, 0, ChunkRef.pack(0, i));
        appender.flush();
      }
      for (int i = 0; i < 60; i++) {
        Chunks.append(appender, chunk(100 + i));
        if (i == 9) {
          appender.flush();
        }
      }
      appender.force();
      written = Files.readAllBytes(file);
    }
    leaveOpen(written);
    open().close();
  }

  /** For hours. */
  private static void mendOften(ContainerStore store, Throttle throttle) {
    for (int seconds : new int[] {40, 200, 1000, 10_000, 20_000, 30_000}) {
      store.mend(TimeUnit.SECONDS.toNanos(seconds), throttle);
    }
  }

  /** The disk takes seconds for each attempt, and the container can't be written anew. */
  @Test
  void aContainerThatCannotBeReadWholeIsNotReadAgainForFingerprints() throws IOException {
    fill(Chunks.PLAIN, 2);
    openWithGroups(2);
    AtomicLong bytes = new AtomicLong();
    try (ContainerStore store = open()) {
      ContainerDirectory content = store.directory(1);
      assertThat(content.groupCount()).isEqualTo(4);
      // Neither where the differences are nor where what lies behind the groups is read.
      files.damage(ContainerNames.file(dir, 1, ContainerNames.SEALED), content.groupEnd(2) - 2000);
      store.mend(0, bytes::addAndGet);
      store.mend(TimeUnit.SECONDS.toNanos(10), bytes::addAndGet);
      long once = bytes.get();
      long faults = files.faults();
      assertThat(once).isPositive();
      assertThat(faults).isPositive();
      mendOften(store, bytes::addAndGet);
      assertThat(bytes).hasValue(once);
      assertThat(files.faults()).isEqualTo(faults);
      // Nor after a compaction that could not read it either.
      BitSet kept = content.numbers();
      kept.clear(content.number(content.chunkCount() - 1));
      assertThatThrownBy(() -> store.compact(1, (found, whole) -> kept, Throttle.NONE))
          .isInstanceOf(IOException.class);
      store.directory(1);
      mendOften(store, bytes::addAndGet);
      assertThat(bytes).hasValue(once);
      for (int i = 0; i < 2; i++) {
        assertThat(Chunks.read(store, ChunkRef.pack(1, i), LENGTH)).isEqualTo(similar(i, 0));
      }
    }
    files.mend();
    try (ContainerStore store = open()) {
      store.directory(1);
      mend(store, 0);
      mend(store, 10);
      assertThat(named(store, 2)).isEqualTo(2);
    }
  }

  /** Nothing makes it better but healing, for which it has no fingerprint. */
  @Test
  void aDamagedDifferenceIsNotReadAgainForItsFingerprint() throws IOException {
    fill(Chunks.PLAIN, 2);
    openWithGroups(2);
    Path sealed = ContainerNames.file(dir, 1, ContainerNames.SEALED);
    AtomicLong bytes = new AtomicLong();
    try (ContainerStore store = open()) {
      byte[] content = Files.readAllBytes(sealed);
      content[(int) store.directory(1).groupEnd(1) - 1] ^= 1;
      Files.write(sealed, content);
      store.mend(0, bytes::addAndGet);
      store.mend(TimeUnit.SECONDS.toNanos(10), bytes::addAndGet);
      long once = bytes.get();
      assertThat(once).isPositive();
      assertThat(named(store, 2)).isEqualTo(1);
      mendOften(store, bytes::addAndGet);
      assertThat(bytes).hasValue(once);
    }
  }

  /** What kept a difference from being given its fingerprint is gone with what nobody needs. */
  @Test
  void aDifferenceGetsItsFingerprintOnceItsDamagedNeighbourIsDropped() throws IOException {
    fill(Chunks.PLAIN, 2);
    Path file = ContainerNames.file(dir, 1, ContainerNames.OPEN);
    byte[] written;
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      Chunks.append(appender, chunk(7));
      appendDifference(appender, 0, 0, ChunkRef.pack(0, 0));
      appender.flush();
      Chunks.append(appender, chunk(8));
      appender.force();
      written = Files.readAllBytes(file);
    }
    leaveOpen(written);
    open().close();
    Path sealed = ContainerNames.file(dir, 1, ContainerNames.SEALED);
    try (ContainerStore store = open()) {
      byte[] content = Files.readAllBytes(sealed);
      content[(int) store.directory(1).groupEnd(0) - LENGTH / 2] ^= 1;
      Files.write(sealed, content);
      mend(store, 0);
      mend(store, 10);
      assertThat(store.directory(1).lacksFingerprint(1)).isTrue();
      store.compact(1, (found, whole) -> numbers(1, 2), Throttle.NONE);
      assertThat(store.check(1, Throttle.NONE).isSound()).isTrue();
      mendOften(store, Throttle.NONE);
      assertThat(store.directory(1).lacksFingerprints()).isFalse();
      assertThat(store.holds(ChunkRef.pack(1, 1), Chunks.fingerprint(similar(0, 0)), 0)).isTrue();
    }
  }

  /** It lacks them anew. */
  @Test
  void aDirectoryThatIsMadeAgainGetsItsFingerprintsAgain() throws IOException {
    fill(Chunks.PLAIN, 2);
    openWithDifferences(2);
    Path sealed = ContainerNames.file(dir, 1, ContainerNames.SEALED);
    try (LogCapture log = new LogCapture(Level.INFO, "ContainerMaintenance");
        ContainerStore store = open()) {
      store.directory(1);
      mend(store, 0);
      mend(store, 10);
      assertThat(named(store, 2)).isEqualTo(2);
      byte[] bytes = Files.readAllBytes(sealed);
      try (ChannelFile file = ChannelFile.open(sealed)) {
        bytes[(int) ContainerFooter.read(sealed, file).directoryPosition() + 20] ^= 1;
      }
      Files.write(sealed, bytes);
      assertThat(store.check(1, Throttle.NONE).isSound()).isFalse();
      mend(store, 20);
      mend(store, 30);
      assertThat(named(store, 2)).isEqualTo(2);
      assertThat(store.check(1, Throttle.NONE).isSound()).isTrue();
      String found = " with fingerprints that were found out";
      assertThat(log.messages())
          .containsExactly(
              sealed + ": the directory was completed" + found,
              sealed + ": the directory was made again" + found);
    }
  }

  /** What is no chunk gets no name. */
  @Test
  void wrongDifferencesGetNoFingerprints() throws IOException {
    fill(Chunks.DEFLATE, 2);
    Path file = ContainerNames.file(dir, 1, ContainerNames.OPEN);
    byte[] written;
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      appendDifference(appender, 0, 0, ChunkRef.pack(0, 0));
      appendDifference(appender, 1, 0, ChunkRef.pack(0, 0));
      appender.force();
      written = Files.readAllBytes(file);
    }
    leaveOpen(written);
    try (ContainerStore store = open()) {
      assertThat(named(store, 2)).isZero();
      mend(store, 0);
      mend(store, 10);
      assertThat(named(store, 2)).isEqualTo(1);
      ContainerDirectory content = store.directory(1);
      assertThat(content.lacksFingerprint(0)).isFalse();
      assertThat(content.lacksFingerprint(1)).isTrue();
      assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(1, 1), LENGTH))
          .isInstanceOf(CorruptFrameException.class);
    }
  }

  /** What is refused leaves nothing in the group. */
  @Test
  void refusedDifferencesHarmNoOtherChunk() throws IOException {
    List<Long> refs = new ArrayList<>();
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      refs.add(Chunks.append(appender, chunk(0)));
      byte[] name = Chunks.fingerprint(similar(0, 0));
      assertThatThrownBy(
              () -> appender.appendDifference(name, 1, difference(0, 0), LENGTH, refs.get(0)))
          .isInstanceOf(IndexOutOfBoundsException.class);
      for (long base : new long[] {-1, ChunkRef.pack(0, 1 << 20)}) {
        assertThatThrownBy(() -> appendDifference(appender, 0, 0, base))
            .isInstanceOf(IllegalArgumentException.class);
      }
      refs.add(Chunks.append(appender, chunk(1)));
    }
    try (ContainerStore store = open()) {
      Chunks.assertHas(store, refs.get(0), chunk(0));
      Chunks.assertHas(store, refs.get(1), chunk(1));
    }
  }

  /** Container 1. */
  private void appendAWrongChunkAmongDifferences(ContainerStore store) throws IOException {
    try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      for (int i = 0; i < 5; i++) {
        appendDifference(appender, 0, i, ChunkRef.pack(0, 0));
      }
      appender.append(Chunks.fingerprint(chunk(1)), 0, Chunks.direct(chunk(2)));
    }
    store.sealIdle(1);
  }

  /** Where all others are differences, these tell that the fingerprints are as they were. */
  @Test
  void aWrongChunkAmongDifferencesIsFound() throws IOException {
    fill(Chunks.DEFLATE, 1);
    try (ContainerStore store = open()) {
      appendAWrongChunkAmongDifferences(store);
      CheckedContainer checked = store.check(1, Throttle.NONE);
      assertThat(checked.damagedChunks()).isEqualTo(1);
      assertThat(store.isBad(ChunkRef.pack(1, 5))).isTrue();
      assertThat(store.isBad(ChunkRef.pack(1, 0))).isFalse();
    }
    try (ContainerStore other =
        ContainerStore.open(
            files.path(dir),
            files,
            Chunks.settings(),
            Chunks::chain,
            (chunk, dst, offset) -> {
              Chunks.fingerprint(chunk, dst, offset);
              dst[offset]++;
            })) {
      assertThatThrownBy(() -> other.check(1, Throttle.NONE))
          .hasMessageContaining("hdrf.dedup.fingerprint must not be changed");
      for (int i = 0; i < 6; i++) {
        assertThat(other.isBad(ChunkRef.pack(1, i))).isFalse();
      }
    }
  }

  /** None of them can be compared as long as their base can't be read. */
  @Test
  void theSettingIsNotBlamedWhereDifferencesCanNotBeCompared() throws IOException {
    fill(Chunks.DEFLATE, 1);
    try (ContainerStore store = open()) {
      appendAWrongChunkAmongDifferences(store);
      files.deleteIfExists(ContainerNames.file(dir, 0, ContainerNames.SEALED));
    }
    try (ContainerStore store = open()) {
      assertThatThrownBy(() -> store.check(1, Throttle.NONE))
          .hasMessageContaining("as far as they can be compared")
          .hasMessageNotContaining("hdrf.dedup.fingerprint");
    }
  }

  /** No CRC32C tells of the first, and no byte of the second is damaged. */
  @Test
  void wrongDifferencesAreFoundAndHealed() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      dir = scratch.resolve("wrong-" + (tail == Chunks.PLAIN));
      fill(tail, 2);
      try (ContainerStore store = open()) {
        try (ChunkAppender appender = store.appender(tail)) {
          appendDifference(appender, 0, 0, ChunkRef.pack(0, 0));
          byte[] name = Chunks.fingerprint(similar(0, 1));
          long base = ChunkRef.pack(0, 0);
          appender.appendDifference(name, 0, difference(0, 9), LENGTH, base);
          appendDifference(appender, 0, 2, ChunkRef.pack(0, 1));
          Chunks.append(appender, chunk(7));
        }
        store.sealIdle(1);
        assertThat(store.check(1, Throttle.NONE).damagedChunks()).isEqualTo(2);
        assertThat(store.damagedChunks(Throttle.NONE)).isEqualTo(Map.of(1L, numbers(1, 2)));
        ContainerDirectory content = store.directory(1);
        Replacements replacements = store.newReplacements(1 << 20);
        for (int i = 0; i < 4; i++) {
          boolean wrong = i == 1 || i == 2;
          assertThat(store.isBad(ChunkRef.pack(1, i))).isEqualTo(wrong);
          assertThat(store.isDamaged(1, i, 1)).isEqualTo(wrong);
          if (wrong) {
            ByteBuffer right = Chunks.direct(similar(0, i));
            assertThat(replacements.offer(content, i, right)).isTrue();
          }
        }
        store.compact(1, (found, whole) -> found.numbers(), replacements, Throttle.NONE);
        assertThat(store.check(1, Throttle.NONE).isSound()).isTrue();
        for (int i = 0; i < 3; i++) {
          Chunks.assertHas(store, ChunkRef.pack(1, i), similar(0, i));
        }
        assertThat(store.check(0, Throttle.NONE).isSound()).isTrue();
      }
    }
  }

  /** Whose bases lie there is looked at when it is its turn. */
  @Test
  void aCheckTellsDamageWhereItIs() throws IOException {
    fill(Chunks.DEFLATE, 1);
    fillWithDifferences();
    files.damage(ContainerNames.file(dir, 0, ContainerNames.SEALED), 100);
    try (ContainerStore store = open()) {
      assertThat(store.check(1, Throttle.NONE).isSound()).isTrue();
      assertThat(store.check(0, Throttle.NONE).damagedChunks()).isEqualTo(1);
      assertThat(store.damagedChunks(Throttle.NONE)).containsOnlyKeys(0L);
    }
    files.mend();
    Files.delete(ContainerNames.file(dir, 0, ContainerNames.SEALED));
    try (ContainerStore store = open()) {
      assertThat(store.check(1, Throttle.NONE).isSound()).isTrue();
    }
  }

  /** What is read of bases is paced, and a group of them is not read for each. */
  @Test
  void aCheckReadsBasesAtItsPace() throws IOException {
    fill(Chunks.DEFLATE, 5);
    try (ContainerStore store = open()) {
      try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
        for (int i = 0; i < 40; i++) {
          appendDifference(appender, i % 5, i, ChunkRef.pack(0, i % 5));
        }
      }
      store.sealIdle(1);
      long length = Files.size(ContainerNames.file(dir, 1, ContainerNames.SEALED));
      long[] paced = new long[1];
      assertThat(store.check(1, bytes -> paced[0] += bytes).bytesRead()).isEqualTo(length);
      assertThat(paced[0]).isEqualTo(length + store.directory(0).groupLength(0));
      assertThatThrownBy(
              () ->
                  store.check(
                      1,
                      bytes -> {
                        if (bytes == store.directory(0).groupLength(0)) {
                          throw new InterruptedIOException("for a test");
                        }
                      }))
          .isInstanceOf(InterruptedIOException.class);
      assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
    }
  }
}
