/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.jni.ChunkDelta;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chunks that are kept as differences to others. */
class DifferencesInStoreTest {

  private static final int LENGTH = 1200;

  /** Five chunks. */
  private static final int LONGEST_GROUP = 5 * (LENGTH + 50);

  @TempDir Path dir;

  private final Random random = TestSeed.random("differences in a store");
  private final TreeMap<Long, byte[]> chunks = new TreeMap<>();

  /** Of each chunk that is a difference. */
  private final Map<Long, Long> bases = new TreeMap<>();

  private ContainerSettings settings =
      Chunks.settings().containerSize(40_000).groupSize(6_000).groupMemory(1 << 20);

  private ContainerStore store;

  @BeforeEach
  void open() throws IOException {
    store = Chunks.open(dir, LocalDurableFiles.INSTANCE, settings);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private void reopen() throws IOException {
    close();
    open();
  }

  private long appendWhole(ChunkAppender appender, long number) throws IOException {
    byte[] chunk = Chunks.chunk(number, LENGTH + random.nextInt(50));
    long ref = Chunks.append(appender, chunk);
    chunks.put(ref, chunk);
    return ref;
  }

  private byte[] similar(byte[] base) {
    byte[] chunk = base.clone();
    for (int i = 0; i <= random.nextInt(3); i++) {
      chunk[random.nextInt(chunk.length)] = (byte) random.nextInt();
    }
    return chunk;
  }

  private static ByteBuffer difference(byte[] base, byte[] chunk) {
    ByteBuffer delta = ByteBuffer.allocateDirect(chunk.length / 2);
    assertThat(new ChunkDelta().encode(Chunks.direct(base), Chunks.direct(chunk), delta)).isTrue();
    delta.flip();
    ByteBuffer difference = ByteBuffer.allocateDirect(DifferenceFormat.HEAD + delta.remaining());
    DifferenceFormat.put(Chunks.direct(chunk), delta, difference);
    return difference.flip();
  }

  private long appendDifference(ChunkAppender appender, long base) throws IOException {
    byte[] chunk = similar(chunks.get(base));
    ByteBuffer difference = difference(chunks.get(base), chunk);
    long ref =
        appender.appendDifference(Chunks.fingerprint(chunk), 0, difference, chunk.length, base);
    chunks.put(ref, chunk);
    bases.put(ref, base);
    return ref;
  }

  /** Fills containers with both, two in three as differences to any chunk before. */
  private void fill(FrameChain tail, int count) throws IOException {
    try (ChunkAppender appender = store.appender(tail)) {
      List<Long> whole = new ArrayList<>();
      long last = -1;
      for (int i = 0; i < count; i++) {
        if (whole.isEmpty() || random.nextInt(3) == 0) {
          whole.add(appendWhole(appender, random.nextLong()));
        } else {
          // Mostly neighbours, as versions of data are.
          int next = whole.indexOf(last) + 1;
          last =
              random.nextInt(4) > 0 && next < whole.size()
                  ? whole.get(next)
                  : whole.get(random.nextInt(whole.size()));
          appendDifference(appender, last);
        }
        if (random.nextInt(100) == 0) {
          appender.force();
        }
      }
      appender.force();
    }
  }

  private void assertReads() throws IOException {
    for (Map.Entry<Long, byte[]> chunk : chunks.entrySet()) {
      assertThat(Chunks.read(store, chunk.getKey(), chunk.getValue().length))
          .as(ChunkRef.toString(chunk.getKey()))
          .isEqualTo(chunk.getValue());
    }
    // Runs of any length, from anywhere.
    List<Long> refs = new ArrayList<>(chunks.keySet());
    for (int n = 0; n < 100; n++) {
      int first = random.nextInt(refs.size());
      int count = 1;
      int bytes = chunks.get(refs.get(first)).length;
      int most = 1 + random.nextInt(40);
      while (count < most
          && first + count < refs.size()
          && refs.get(first + count) == refs.get(first) + count) {
        bytes += chunks.get(refs.get(first + count)).length;
        count++;
      }
      ByteBuffer dst = ByteBuffer.allocateDirect(bytes);
      long ref = refs.get(first);
      store.read(ChunkRef.container(ref), ChunkRef.number(ref), count, dst);
      assertThat(dst.hasRemaining()).isFalse();
      dst.flip();
      for (int i = 0; i < count; i++) {
        byte[] read = new byte[chunks.get(ref + i).length];
        dst.get(read);
        assertThat(read).isEqualTo(chunks.get(ref + i));
      }
    }
  }

  private void assertFound() throws IOException {
    for (Map.Entry<Long, byte[]> chunk : chunks.entrySet()) {
      long ref = chunk.getKey();
      assertThat(store.holds(ref, Chunks.fingerprint(chunk.getValue()), 0)).isTrue();
      ContainerDirectory content = store.directory(ChunkRef.container(ref));
      int index = content.indexOf(ChunkRef.number(ref));
      // Another one may be the same by chance.
      int found = content.find(Chunks.fingerprint(chunk.getValue()), 0);
      assertThat(content.hasFingerprint(found, Chunks.fingerprint(chunk.getValue()), 0)).isTrue();
      assertThat(content.length(index)).isEqualTo(chunk.getValue().length);
      assertThat(store.baseIfHeld(ref, Chunks.fingerprint(chunk.getValue()), 0))
          .isEqualTo(bases.getOrDefault(ref, ContainerStore.WHOLE));
      assertThat(store.wholeChunk(ref, false)).isEqualTo(bases.getOrDefault(ref, ref));
      assertThat(store.lengthOfBase(ref, false))
          .isEqualTo(bases.containsKey(ref) ? -1 : chunk.getValue().length);
      assertThat(store.findDamage(ChunkRef.container(ref), ChunkRef.number(ref), 1)).isFalse();
    }
  }

  private void assertSound() throws IOException {
    for (ContainerInfo info : store.containers()) {
      assertThat(ContainerVerifier.verify(store, info.id()).problems()).isEmpty();
      CheckedContainer checked = store.check(info.id(), Throttle.NONE);
      if (checked != null) {
        assertThat(checked.damagedChunks()).isZero();
        assertThat(checked.damageBeside()).isNull();
      }
    }
    assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
  }

  @Test
  void differencesAreReadAndFound() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      fill(tail, 400);
      assertReads();
      assertFound();
      reopen();
      assertReads();
      assertFound();
      assertSound();
    }
    assertThat(bases).hasSizeGreaterThan(100);
  }

  /** Without a cache each base is read for its run, but read. */
  @Test
  void differencesAreReadWithoutACache() throws IOException {
    settings = settings.groupMemory(0).directoryMemory(0);
    reopen();
    fill(Chunks.DEFLATE, 300);
    assertReads();
    reopen();
    assertReads();
    assertFound();
  }

  /** Even where the cache has no room for any. */
  @Test
  void aFrameDecodesNoGroupOfBasesTwice() throws IOException {
    int count = 16;
    settings = settings.containerSize(1 << 20).groupMemory(0).baseMemory(count * LONGEST_GROUP);
    reopen();
    try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      for (int i = 0; i < 6 * count; i++) {
        appendWhole(appender, i);
      }
    }
    store.sealIdle(0);
    ContainerDirectory content = store.directory(0);
    assertThat(content.groupCount()).isGreaterThanOrEqualTo(count);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      for (int i = 0; i < 2 * count; i++) {
        int first = content.number(content.firstChunk(i % count));
        byte[] chunk = chunks.get(appendDifference(appender, ChunkRef.pack(0, first)));
        expected.write(chunk, 0, i < count ? 0 : chunk.length);
      }
    }
    store.sealIdle(1);
    Path file = ContainerNames.file(dir, 0, ContainerNames.SEALED);
    ByteBuffer all = ByteBuffer.allocateDirect(2 * count * (LENGTH + 50));
    try (RunReader reader = store.newRunReader()) {
      reader.read(1, 0, count, all);
      all.clear();
      Files.write(file, new byte[(int) Files.size(file)]);
      reader.read(1, count, count, all);
      byte[] read = new byte[all.flip().remaining()];
      all.get(read);
      assertThat(read).isEqualTo(expected.toByteArray());
    }
    all.clear();
    assertThatThrownBy(() -> store.read(1, count, count, all))
        .isInstanceOf(CorruptFrameException.class);
  }

  /** What is kept can be read again once the file is gone. */
  @Test
  void aReaderKeepsNoMoreBasesThanThereIsRoomFor() throws IOException {
    int count = 8;
    for (int kept : new int[] {2, 5}) {
      settings =
          settings
              .containerSize(1 << 20)
              .groupMemory(0)
              .baseMemory(kept == 2 ? 0 : kept * LONGEST_GROUP);
      reopen();
      long first;
      try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
        first = appendWhole(appender, 0);
        for (int i = 1; i < 8 * count; i++) {
          appendWhole(appender, i);
        }
      }
      long container = ChunkRef.container(first);
      store.sealIdle(container);
      ContainerDirectory content = store.directory(container);
      long[] differences = new long[count];
      try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
        for (int i = 0; i < count; i++) {
          int number = content.number(content.firstChunk(i));
          differences[i] = appendDifference(appender, ChunkRef.pack(container, number));
        }
      }
      store.sealIdle(ChunkRef.container(differences[0]));
      ByteBuffer chunk = ByteBuffer.allocateDirect(2 * LENGTH);
      try (RunReader reader = store.newRunReader()) {
        for (long ref : differences) {
          read(reader, ref, chunk);
        }
        Path file = ContainerNames.file(dir, container, ContainerNames.SEALED);
        Files.write(file, new byte[(int) Files.size(file)]);
        int readable = 0;
        for (int i = count - 1; i >= 0; i--) {
          try {
            read(reader, differences[i], chunk);
            readable++;
          } catch (CorruptFrameException e) {
            break;
          }
        }
        // Groups are shorter than the longest.
        assertThat(readable).isBetween(kept, kept == 2 ? 2 : kept + 1);
      }
    }
  }

  private static void read(RunReader reader, long ref, ByteBuffer chunk) throws IOException {
    chunk.clear();
    reader.read(ChunkRef.container(ref), ChunkRef.number(ref), 1, chunk);
  }

  /** Chunks of a group that is not written yet are no bases, but soon after. */
  @Test
  void aBaseIsFoundOnceItIsForced() throws IOException {
    try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      long ref = appendWhole(appender, 1);
      assertThat(store.lengthOfBase(ref, true)).isEqualTo(-1);
      appender.flush();
      assertThat(store.lengthOfBase(ref, false)).isEqualTo(-1);
      assertThat(store.lengthOfBase(ref, true)).isEqualTo(chunks.get(ref).length);
      long difference = appendDifference(appender, ref);
      appender.force();
      assertThat(store.lengthOfBase(ref, false)).isEqualTo(chunks.get(ref).length);
      assertThat(store.lengthOfBase(difference, true)).isEqualTo(-1);
      assertThat(store.lengthOfBase(ChunkRef.pack(77, 1), true)).isEqualTo(-1);
      store.markBad(ref);
      assertThat(store.lengthOfBase(ref, true)).isEqualTo(-1);
    }
  }

  /** Compactions keep differences with their bases, in every order. */
  @Test
  void compactionsKeepDifferences() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      fill(tail, 300);
      reopen();
      for (int round = 0; round < 4; round++) {
        // What goes is chosen first; then bases of what stays stay.
        chunks.keySet().removeIf(ref -> random.nextInt(4) == 0 && !bases.containsValue(ref));
        bases.keySet().retainAll(chunks.keySet());
        List<ContainerInfo> infos = new ArrayList<>();
        store.containers().forEach(infos::add);
        for (ContainerInfo info : infos) {
          BitSet live = new BitSet();
          chunks.keySet().stream()
              .filter(ref -> ChunkRef.container(ref) == info.id())
              .forEach(ref -> live.set(ChunkRef.number(ref)));
          if (info.sealed()) {
            store.compact(info.id(), (content, whole) -> live, Throttle.NONE);
          }
          assertReads();
        }
        assertFound();
        assertSound();
      }
    }
  }

  /** A crash leaves what was forced; differences are read, and found once they have names. */
  @Test
  void openContainersAreRecovered() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      Path copy = Files.createDirectory(dir.resolve("copy-" + (tail == Chunks.PLAIN)));
      try (ChunkAppender appender = store.appender(tail)) {
        List<Long> own = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
          own.add(appendWhole(appender, random.nextLong()));
          appendDifference(appender, own.get(random.nextInt(own.size())));
        }
        appender.force();
        try (var files = Files.list(dir)) {
          for (Path file : files.filter(Files::isRegularFile).toList()) {
            Files.copy(file, copy.resolve(file.getFileName()));
          }
        }
      }
      close();
      store = Chunks.open(copy, LocalDurableFiles.INSTANCE, settings);
      assertReads();
      int named = 0;
      for (Map.Entry<Long, byte[]> chunk : chunks.entrySet()) {
        boolean found = store.holds(chunk.getKey(), Chunks.fingerprint(chunk.getValue()), 0);
        assertThat(found || bases.containsKey(chunk.getKey())).isTrue();
        named += found ? 1 : 0;
      }
      assertThat(named).isLessThan(chunks.size());
      assertThat(store.findDamage(0, 0, 10)).isFalse();
      assertSound();
      assertThat(store.pollFingerprinted()).isNull();
      mend(0);
      mend(RepairQueue.FIRST_SECONDS);
      assertThat(store.pollFingerprinted()).isEqualTo(ChunkRef.container(chunks.lastKey()));
      assertThat(store.pollFingerprinted()).isNull();
      assertFound();
      store.close();
      store = Chunks.open(copy, LocalDurableFiles.INSTANCE, settings);
      assertReads();
      assertFound();
      assertSound();
      store.close();
      open();
    }
  }

  private void mend(int seconds) {
    store.mend(TimeUnit.SECONDS.toNanos(seconds), Throttle.NONE);
  }

  /** A lost directory is made again, and so is the file. */
  @Test
  void aDirectoryIsMadeAgain() throws IOException {
    fill(Chunks.DEFLATE, 200);
    close();
    Path first = ContainerNames.file(dir, 0, ContainerNames.SEALED);
    byte[] bytes = Files.readAllBytes(first);
    for (int i = bytes.length - 300; i < bytes.length; i++) {
      bytes[i] ^= 0x55;
    }
    Files.write(first, bytes);
    open();
    assertReads();
    ContainerDirectory content = store.directory(0);
    assertThat(content.differences().count()).isPositive();
    for (int i = 0; i < content.chunkCount(); i++) {
      assertThat(content.lacksFingerprint(i)).isEqualTo(content.isDifference(i));
    }
    mend(0);
    mend(RepairQueue.FIRST_SECONDS);
    reopen();
    assertReads();
    assertFound();
    assertSound();
  }

  /** To rewrite it would take away for good what the disk may read another time. */
  @Test
  void whatMayHaveMoreIsNotRewrittenForFingerprints() throws IOException {
    fill(Chunks.PLAIN, 200);
    close();
    Path first = ContainerNames.file(dir, 0, ContainerNames.SEALED);
    byte[] bytes = Files.readAllBytes(first);
    bytes[bytes.length / 2] ^= 1;
    for (int i = bytes.length - 300; i < bytes.length; i++) {
      bytes[i] ^= 0x55;
    }
    Files.write(first, bytes);
    open();
    assertThat(store.directory(0).lacksFingerprints()).isTrue();
    assertThat(store.mayHaveMore(0)).isTrue();
    mend(0);
    mend(RepairQueue.FIRST_SECONDS);
    assertThat(first).hasBinaryContent(bytes);
    assertThat(store.check(0, Throttle.NONE).isSound()).isFalse();
    mend(2 * RepairQueue.FIRST_SECONDS);
    mend(3 * RepairQueue.FIRST_SECONDS);
    assertThat(first).hasBinaryContent(bytes);
  }

  /** Changes a chunk's stored bytes; chunks are stored as they are. */
  private void damage(long ref) throws IOException {
    reopen();
    ContainerDirectory content = store.directory(ChunkRef.container(ref));
    int index = content.indexOf(ChunkRef.number(ref));
    int group = content.groupOf(index);
    long position = content.groupPosition(group) + content.headerLength(group);
    for (int i = content.firstChunk(group); i < index; i++) {
      position += content.keptLength(i);
    }
    close();
    Path file = ContainerNames.file(dir, ChunkRef.container(ref), ContainerNames.SEALED);
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) position + content.keptLength(index) - 1] ^= 1;
    Files.write(file, bytes);
    open();
  }

  private void assertDamaged(long ref) {
    assertThatThrownBy(() -> Chunks.read(store, ref, chunks.get(ref).length))
        .isInstanceOf(CorruptFrameException.class);
  }

  @Test
  void aDamagedBaseDamagesWhatNeedsIt() throws IOException {
    long base;
    long other;
    long difference;
    try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      base = appendWhole(appender, 1);
      other = appendWhole(appender, 2);
      difference = appendDifference(appender, base);
    }
    damage(base);
    assertDamaged(difference);
    assertThat(store.isBad(base)).isTrue();
    assertThat(store.isBad(difference)).isFalse();
    assertThat(store.lengthOfBase(base, true)).isEqualTo(-1);
    Chunks.assertHas(store, other, chunks.get(other));
    assertThat(store.damagedChunks(Throttle.NONE)).containsOnlyKeys(0L);
    assertThat(store.findDamage(0, ChunkRef.number(difference), 1)).isTrue();
  }

  @Test
  void aDamagedDifferenceIsFound() throws IOException {
    long base;
    long difference;
    try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      base = appendWhole(appender, 1);
      difference = appendDifference(appender, base);
    }
    damage(difference);
    CheckedContainer checked = store.check(0, Throttle.NONE);

    assertThat(checked.damagedChunks()).isEqualTo(1);
    assertDamaged(difference);
    assertThat(store.isBad(difference)).isTrue();
    Chunks.assertHas(store, base, chunks.get(base));
  }

  /** It is then a whole chunk. */
  @Test
  void aDamagedDifferenceIsReplaced() throws IOException {
    long difference;
    try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      difference = appendDifference(appender, appendWhole(appender, 1));
      appendDifference(appender, chunks.firstKey());
    }
    damage(difference);
    assertDamaged(difference);
    ContainerDirectory content = store.directory(0);
    Replacements replacements = store.newReplacements(1 << 20);
    int index = content.indexOf(ChunkRef.number(difference));
    assertThat(replacements.offer(content, index, Chunks.direct(chunks.get(difference)))).isTrue();
    CompactionResult result =
        store.compact(0, (found, whole) -> found.numbers(), replacements, Throttle.NONE);
    assertThat(result.replaced().get(ChunkRef.number(difference))).isTrue();
    bases.remove(difference);
    assertReads();
    assertFound();
    assertSound();
  }

  @Test
  void aMissingBaseIsNoDamageOfTheFile() throws IOException {
    long difference;
    try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      difference = appendDifference(appender, appendWhole(appender, 1));
      appendWhole(appender, 2);
    }
    reopen();
    BitSet live = new BitSet();
    live.set(ChunkRef.number(difference));
    store.compact(0, (found, whole) -> live, Throttle.NONE);
    assertThatThrownBy(() -> Chunks.read(store, difference, LENGTH + 100))
        .isInstanceOf(MissingChunkException.class);
    assertThat(store.isBad(difference)).isFalse();
    assertThat(store.check(0, Throttle.NONE).damagedChunks()).isZero();
    // Of a container that is gone, too.
    bases.clear();
    chunks.clear();
    long later;
    try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      later = appendWhole(appender, 3);
      byte[] base = chunks.get(later);
      ByteBuffer d = difference(base, base);
      later =
          appender.appendDifference(
              Chunks.fingerprint(base), 0, d, base.length, ChunkRef.pack(1_000_000, 3));
    }
    long lost = later;
    assertThatThrownBy(() -> Chunks.read(store, lost, LENGTH + 100))
        .isInstanceOf(MissingChunkException.class);
  }

  /** A chain of differences could be endless, or a ring. */
  @Test
  void aBaseIsNoDifference() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      try (ChunkAppender appender = store.appender(tail)) {
        long base = appendWhole(appender, 1);
        long first = appendDifference(appender, base);
        long second = appendDifference(appender, first);
        appender.flush();
        assertThatThrownBy(() -> Chunks.read(store, second, LENGTH + 100))
            .isInstanceOf(CorruptFrameException.class)
            .hasMessageContaining("a base of another, and a difference itself");
        assertThat(store.isBad(second)).isFalse();
        assertThat(Chunks.read(store, first, LENGTH + 100)).isEqualTo(chunks.get(first));
      }
    }
  }

  /** One to another chunk than its own base makes another chunk. */
  @Test
  void aWrongBaseIsFoundOut() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      try (ChunkAppender appender = store.appender(tail)) {
        long base = appendWhole(appender, 1);
        byte[] chunk = similar(chunks.get(base));
        byte[] wrong = chunks.get(base).clone();
        wrong[wrong.length / 3] ^= 1;
        long other = Chunks.append(appender, wrong);
        ByteBuffer difference = difference(chunks.get(base), chunk);
        long ref =
            appender.appendDifference(
                Chunks.fingerprint(chunk), 0, difference, chunk.length, other);
        appender.flush();
        chunks.put(ref, chunk);
        assertDamaged(ref);
        assertThat(store.isBad(ref)).isTrue();
        assertThat(store.isBad(other)).isFalse();
      }
    }
  }

  /**
   * The bytes of a difference are right and make another chunk: healing replaces it all the same.
   */
  @Test
  void aDifferenceThatCantBeMadeIsReplaced() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      long ref;
      try (ChunkAppender appender = store.appender(tail)) {
        long base = appendWhole(appender, 1);
        byte[] chunk = similar(chunks.get(base));
        byte[] wrong = chunks.get(base).clone();
        wrong[wrong.length / 3] ^= 1;
        long other = Chunks.append(appender, wrong);
        ByteBuffer difference = difference(chunks.get(base), chunk);
        byte[] name = Chunks.fingerprint(chunk);
        ref = appender.appendDifference(name, 0, difference, chunk.length, other);
        appendWhole(appender, 3);
        chunks.put(ref, chunk);
      }
      reopen();
      long container = ChunkRef.container(ref);
      int number = ChunkRef.number(ref);
      assertDamaged(ref);
      BitSet some = store.directory(container).numbers();
      some.clear(some.length() - 1);
      chunks.remove(chunks.lastKey());
      store.compact(container, (found, whole) -> some, Throttle.NONE);
      assertThat(store.isBad(ref)).as("after a compaction without another copy").isTrue();
      ContainerDirectory content = store.directory(container);
      Replacements replacements = store.newReplacements(1 << 20);
      assertThat(
              replacements.offer(content, content.indexOf(number), Chunks.direct(chunks.get(ref))))
          .isTrue();
      CompactionResult result =
          store.compact(container, (found, whole) -> some, replacements, Throttle.NONE);
      assertThat(result.replaced().get(number)).isTrue();
      assertThat(store.isBad(ref)).isFalse();
      assertThat(store.isDamaged(container, number, 1)).isFalse();
      assertThat(store.needsDamagedBase(container, number, 1)).isFalse();
      assertReads();
    }
  }

  /** A block that needs a difference needs its base, unless the difference was healed. */
  @Test
  void whatNeedsADamagedBaseIsTold() throws IOException {
    long base;
    long difference;
    try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      base = appendWhole(appender, 1);
      // Another group, which can be made anew without the base.
      appender.flush();
      difference = appendDifference(appender, base);
    }
    damage(base);
    assertDamaged(difference);
    int number = ChunkRef.number(difference);
    assertThat(store.isDamaged(0, number, 1)).isFalse();
    assertThat(store.needsDamagedBase(0, number, 1)).isTrue();
    ContainerDirectory content = store.directory(0);
    Replacements replacements = store.newReplacements(1 << 20);
    assertThat(
            replacements.offer(
                content, content.indexOf(number), Chunks.direct(chunks.get(difference))))
        .isTrue();
    store.compact(0, (found, whole) -> found.numbers(), replacements, Throttle.NONE);
    Chunks.assertHas(store, difference, chunks.get(difference));
    assertThat(store.isDamaged(0, ChunkRef.number(base), 1)).isTrue();
    assertThat(store.isDamaged(0, number, 1)).isFalse();
    assertThat(store.needsDamagedBase(0, number, 1)).isFalse();
  }

  /** What healing would replace is no base. */
  @Test
  void aBaseIsComparedWithItsFingerprint() throws IOException {
    try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      long sound = appendWhole(appender, 1);
      byte[] changed = chunks.get(sound).clone();
      changed[7] ^= 1;
      appender.flush();
      assertThat(store.matchesFingerprint(sound, true, Chunks.direct(chunks.get(sound)))).isTrue();
      assertThat(store.matchesFingerprint(sound, true, Chunks.direct(changed))).isFalse();
      assertThat(store.matchesFingerprint(sound, false, Chunks.direct(chunks.get(sound))))
          .isFalse();
      assertThat(store.matchesFingerprint(ChunkRef.pack(99, 1), true, Chunks.direct(changed)))
          .isFalse();
    }
  }

  @Test
  void whatIsNoDifferenceIsNotTaken() throws IOException {
    try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      byte[] name = new byte[32];
      for (int length : new int[] {1, 10}) {
        assertThatThrownBy(
                () -> appender.appendDifference(name, 0, Chunks.direct(new byte[10]), length, 7))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }
}
