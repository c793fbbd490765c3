/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.io.CrashableFiles;
import io.hdrf.io.FaultyFiles;
import io.hdrf.io.PowerLoss;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Damaged chunks are replaced in a rewritten container, or nothing changes. */
class ContainerHealTest extends OneContainerTestCase {

  private static final int MAX_BYTES = 1 << 20;

  private final Random random = TestSeed.random("container heal");

  /** Returns what a check finds damaged, or the disk can't read. */
  private static BitSet damaged(ContainerStore store) throws IOException {
    store.check(0, Throttle.NONE);
    return store.damagedChunks(Throttle.NONE).getOrDefault(0L, new BitSet());
  }

  private static Replacements replacements(ContainerStore store, BitSet numbers)
      throws IOException {
    ContainerDirectory content = store.directory(0);
    Replacements found = store.newReplacements(MAX_BYTES);
    for (int n = numbers.nextSetBit(0); n >= 0; n = numbers.nextSetBit(n + 1)) {
      assertThat(found.offer(content, content.indexOf(n), Chunks.direct(chunk(n)))).isTrue();
    }
    return found;
  }

  private static CompactionResult heal(ContainerStore store, Replacements replacements)
      throws IOException {
    return store.compact(0, (content, whole) -> content.numbers(), replacements, Throttle.NONE);
  }

  private static void assertAllIsRight(ContainerStore store) throws IOException {
    assertThat(store.check(0, Throttle.NONE).isSound()).isTrue();
    assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
    assertThat(ContainerVerifier.verify(store, 0).problems()).isEmpty();
    for (int i = 0; i < CHUNKS; i++) {
      Chunks.assertHas(store, ChunkRef.pack(0, i), chunk(i));
    }
  }

  @Test
  void anyDamagedChunkIsReplaced() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      byte[] good = fill(tail);
      ContainerDirectory content;
      try (ContainerStore store = open()) {
        content = store.directory(0);
      }
      int end = (int) content.groupEnd(content.groupCount() - 1);
      int healed = 0;
      for (int position = 0; position < end; position++) {
        byte[] bad = good.clone();
        bad[position] ^= (byte) (1 << random.nextInt(8));
        try (ContainerStore store = open()) {
          for (int i = 0; i < CHUNKS; i++) {
            Chunks.assertHas(store, ChunkRef.pack(0, i), chunk(i));
          }
          Files.write(file, bad);
          BitSet damaged = damaged(store);
          if (!damaged.isEmpty()) {
            CompactionResult result = heal(store, replacements(store, damaged));
            assertThat(result.replaced()).as("position %d", position).isEqualTo(damaged);
            assertThat(result.damagedGroups()).isZero();
            assertAllIsRight(store);
            healed++;
          }
        }
        if (healed > 0) {
          try (ContainerStore store = open()) {
            if (damaged(store).isEmpty() && position % 16 == 0) {
              for (int i = 0; i < CHUNKS; i++) {
                Chunks.assertHas(store, ChunkRef.pack(0, i), chunk(i));
              }
            }
          }
        }
        Files.write(file, good);
      }
      assertThat(healed).isGreaterThan(end / 2);
      Files.delete(file);
    }
  }

  /** It reads well, and is none of those that a group must have. */
  @Test
  void aChunkThatNobodyNeedsAndThatIsNotItsFingerprintKeepsNoOtherFromBeingHealed()
      throws IOException {
    int wrong = 1;
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      try (ContainerStore store = open()) {
        try (ChunkAppender appender = store.appender(tail)) {
          for (int i = 0; i < CHUNKS; i++) {
            byte[] bytes = chunk(i);
            byte[] fingerprint = Chunks.fingerprint(bytes);
            // Changed in memory.
            bytes[5] ^= (byte) (i == wrong ? 1 : 0);
            appender.append(fingerprint, 0, Chunks.direct(bytes));
          }
        }
        store.sealIdle(0);
        assertThat(store.findDamage(0, wrong, 1)).isTrue();
        ContainerDirectory content = store.directory(0);
        byte[] bad = Files.readAllBytes(file);
        int group = content.groupOf(wrong);
        // The last chunk of its group, or all of them.
        bad[(int) content.groupEnd(group) - 3] ^= 1;
        Files.write(file, bad);
        BitSet needed = new BitSet();
        needed.set(0, CHUNKS);
        needed.clear(wrong);
        BitSet damaged = damaged(store);
        assertThat(damaged.get(wrong)).isTrue();
        damaged.clear(wrong);
        assertThat(damaged.isEmpty()).isFalse();
        BitSet dead = new BitSet();
        dead.set(wrong);
        BitSet gone = store.damaged(0, dead, Throttle.NONE);
        assertThat(gone).isEqualTo(dead);
        needed.andNot(gone);
        CompactionResult result =
            store.compact(0, (all, whole) -> needed, replacements(store, damaged), Throttle.NONE);
        assertThat(result.replaced()).isEqualTo(damaged);
        for (int i = needed.nextSetBit(0); i >= 0; i = needed.nextSetBit(i + 1)) {
          Chunks.assertHas(store, ChunkRef.pack(0, i), chunk(i));
        }
        assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
      }
      Files.delete(file);
    }
  }

  /** A group whose chunks are there in part only is no better and no worse than before. */
  @Test
  void aGroupOfWhichNotAllIsThereStaysAsItIs() throws IOException {
    byte[] bad = fill(Chunks.DEFLATE);
    try (ContainerStore store = open()) {
      ContainerDirectory content = store.directory(0);
      bad[(int) content.groupPosition(1) + content.headerLength(1) + 3] ^= 1;
      bad[(int) content.groupPosition(3) + content.headerLength(3) + 3] ^= 1;
      Files.write(file, bad);
      BitSet damaged = damaged(store);
      BitSet third = new BitSet();
      third.set(content.firstChunk(3), content.endChunk(3));
      BitSet some = (BitSet) damaged.clone();
      some.clear(content.firstChunk(1));
      byte[] stored =
          Arrays.copyOfRange(bad, (int) content.groupPosition(1), (int) content.groupEnd(1));
      CompactionResult result = heal(store, replacements(store, some));
      assertThat(result.replaced()).isEqualTo(third);
      assertThat(result.damagedGroups()).isEqualTo(1);
      damaged.andNot(third);
      assertThat(store.damagedChunks(Throttle.NONE).get(0L)).isEqualTo(damaged);
      ContainerDirectory after = store.directory(0);
      byte[] now = Files.readAllBytes(file);
      assertThat(Arrays.copyOfRange(now, (int) after.groupPosition(1), (int) after.groupEnd(1)))
          .isEqualTo(stored);
      heal(store, replacements(store, damaged));
      assertAllIsRight(store);
    }
  }

  @Test
  void bytesThatAreNotTheChunksAreNotTaken() throws IOException {
    fill(Chunks.PLAIN);
    try (ContainerStore store = open()) {
      ContainerDirectory content = store.directory(0);
      Replacements found = store.newReplacements(1000);
      byte[] wrong = chunk(5);
      wrong[wrong.length - 1] ^= 1;
      assertThat(found.offer(content, 5, Chunks.direct(wrong))).isFalse();
      assertThat(found.offer(content, 5, Chunks.direct(chunk(6)))).as("another chunk").isFalse();
      assertThat(found.offer(content, 5, Chunks.direct(Arrays.copyOf(chunk(5), 104)))).isFalse();
      assertThat(found.offer(content, 5, Chunks.direct(Arrays.copyOf(chunk(5), 106)))).isFalse();
      assertThat(found.isEmpty()).isTrue();
      assertThat(found.offer(content, 5, Chunks.direct(chunk(5)))).isTrue();
      assertThat(found.hasRoomFor(895)).isTrue();
      assertThat(found.hasRoomFor(896)).isFalse();
      found.remove(5);
      assertThat(found.hasRoomFor(1000)).isTrue();
    }
  }

  /** As where memory changes between the look and the write. */
  @Test
  void whatWasWrittenIsComparedWithTheFingerprints() throws IOException {
    byte[] bad = fill(Chunks.PLAIN);
    AtomicBoolean lies = new AtomicBoolean();
    byte[] wrong = chunk(5);
    wrong[17] ^= 1;
    try (ContainerStore store =
        ContainerStore.open(
            dir,
            LocalDurableFiles.INSTANCE,
            settings(),
            Chunks::chain,
            (bytes, dst, offset) -> fingerprint(bytes, dst, offset, lies.get(), wrong))) {
      ContainerDirectory content = store.directory(0);
      int group = content.groupOf(5);
      Arrays.fill(
          bad,
          (int) content.groupPosition(group) + content.headerLength(group),
          (int) content.groupEnd(group),
          (byte) 0);
      Files.write(file, bad);
      BitSet damaged = damaged(store);
      assertThat(damaged.get(5)).isTrue();
      damaged.clear(5);
      Replacements found = replacements(store, damaged);
      lies.set(true);
      assertThat(found.offer(content, 5, Chunks.direct(wrong))).isTrue();
      lies.set(false);
      assertThatThrownBy(() -> heal(store, found))
          .isInstanceOf(CorruptFileException.class)
          .hasMessageContaining("fingerprint of chunk 5");
      assertThat(file).hasBinaryContent(bad);
      damaged.set(5);
      heal(store, replacements(store, damaged));
      assertAllIsRight(store);
    }
  }

  private static void fingerprint(
      ByteBuffer bytes, byte[] dst, int offset, boolean lies, byte[] wrong) {
    boolean isWrong = lies && bytes.duplicate().equals(ByteBuffer.wrap(wrong));
    byte[] right = Chunks.fingerprint(isWrong ? chunk(5) : copy(bytes));
    System.arraycopy(right, 0, dst, offset, Fingerprinter.LENGTH);
  }

  private static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return copy;
  }

  @Test
  void aSectorThatCannotBeReadIsReplaced() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      FaultyFiles files = new FaultyFiles(scratch, random);
      ContainerSettings small = settings().groupSize(4000).groupMemory(0);
      try (ContainerStore store = Chunks.open(files.path(dir), files, small)) {
        fill(store, tail);
        ContainerDirectory content = store.directory(0);
        files.damage(file, content.groupPosition(0) + content.groupLength(0) / 2);
        BitSet damaged = damaged(store);
        assertThat(damaged.isEmpty()).isFalse();
        BitSet some = (BitSet) damaged.clone();
        some.clear(some.nextSetBit(0));
        byte[] before = Files.readAllBytes(file);
        assertThatThrownBy(() -> heal(store, replacements(store, some)))
            .as("nothing is written that would lose what may be read another time")
            .hasMessageContaining("Input/output error");
        assertThat(file).hasBinaryContent(before);
        heal(store, replacements(store, damaged));
        assertAllIsRight(store);
      }
      Files.delete(file);
    }
  }

  @Test
  void damagedHeadersAreMadeAgain() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      byte[] good = fill(tail);
      try (ContainerStore store = open()) {
        ContainerDirectory content = store.directory(0);
        for (int position : new int[] {3, (int) content.groupPosition(2) + 5}) {
          byte[] bad = Files.readAllBytes(file);
          bad[position] ^= 1;
          Files.write(file, bad);
          CheckedContainer checked = store.check(0, Throttle.NONE);
          assertThat(checked.isHeaderDamaged()).isTrue();
          store.mend(0, Throttle.NONE);
          store.mend(TimeUnit.SECONDS.toNanos(RepairQueue.FIRST_SECONDS), Throttle.NONE);
          assertThat(store.check(0, Throttle.NONE).isHeaderDamaged()).as("not told").isTrue();
          store.mendHeaders(0);
          store.mend(0, Throttle.NONE);
          store.mend(TimeUnit.SECONDS.toNanos(RepairQueue.FIRST_SECONDS), Throttle.NONE);
          assertAllIsRight(store);
        }
        assertThat(Files.size(file)).isEqualTo(good.length);
      }
      Files.delete(file);
    }
  }

  /** Else it would be written again and again, as far as the disk reads. */
  @Test
  void headersBesideABadSectorAreLeftUntilTheNextCheck() throws IOException {
    FaultyFiles files = new FaultyFiles(scratch, random);
    try (ContainerStore store = Chunks.open(files.path(dir), files, settings())) {
      fill(store, Chunks.DEFLATE);
      ContainerDirectory content = store.directory(0);
      files.damage(file, content.groupPosition(1) + 3);
      long[] written = new long[1];
      for (int i = 0; i < 4; i++) {
        if (i == 0) {
          store.mendHeaders(0);
          store.mend(0, Throttle.NONE);
        }
        store.mend(
            TimeUnit.SECONDS.toNanos((i + 1) * 2L * RepairQueue.LAST_SECONDS),
            bytes -> written[0] += bytes);
        if (i == 0) {
          assertThat(written[0]).isPositive();
          written[0] = 0;
        }
      }
      assertThat(written[0]).isZero();
      store.mendHeaders(0);
      store.mend(0, Throttle.NONE);
      files.mend();
      store.mend(TimeUnit.SECONDS.toNanos(RepairQueue.FIRST_SECONDS), bytes -> written[0] += bytes);
      assertThat(written[0]).isPositive();
      assertAllIsRight(store);
    }
  }

  /** The directory in memory is one of the time when the disk could not read all. */
  @Test
  void whatIsSoundIsNotDamagedBeforeTheDirectoryIsReadAgain() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      FaultyFiles files = new FaultyFiles(scratch, random);
      try (ContainerStore store = Chunks.open(files.path(dir), files, settings())) {
        fill(store, tail);
        ContainerDirectory content = store.directory(0);
        files.damage(file, content.groupEnd(content.groupCount() - 1) - 10);
        store.check(0, Throttle.NONE);
        assertThat(store.mayHaveMore(0)).isTrue();
        files.mend();
        store.check(0, Throttle.NONE);
        assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
        for (int i = 0; i < CHUNKS; i++) {
          Chunks.assertHas(store, ChunkRef.pack(0, i), chunk(i));
        }
        assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
      }
      Files.delete(file);
    }
  }

  /** At each step, and each operation may fail, too. */
  @Test
  void aPowerLossLeavesItAsItWasOrHealed() throws Exception {
    byte[] bad = fill(Chunks.DEFLATE);
    ContainerDirectory content;
    try (ContainerStore store = open()) {
      content = store.directory(0);
    }
    bad[(int) content.groupPosition(1) + content.headerLength(1) + 3] ^= 1;
    BitSet damaged = new BitSet();
    damaged.set(content.firstChunk(1), content.endChunk(1));
    Files.delete(file);
    PowerLoss.everywhere(
        Files.createDirectories(scratch.resolve("power")),
        random.nextLong(),
        4,
        directory -> {
          Files.createDirectories(directory.resolve("containers"));
          Files.write(
              ContainerNames.file(directory.resolve("containers"), 0, ContainerNames.SEALED), bad);
        },
        (directory, files) -> {
          try (ContainerStore store =
              Chunks.open(directory.resolve("containers"), files, settings())) {
            heal(store, replacements(store, damaged));
          }
        },
        (directory, finished) -> {
          try (ContainerStore store =
              Chunks.open(
                  directory.resolve("containers"), new CrashableFiles(directory), settings())) {
            BitSet now = damaged(store);
            assertThat(now.isEmpty() || (!finished && now.equals(damaged))).isTrue();
            for (int i = now.nextClearBit(0); i < CHUNKS; i = now.nextClearBit(i + 1)) {
              Chunks.assertHas(store, ChunkRef.pack(0, i), chunk(i));
            }
            heal(store, replacements(store, damaged));
            assertAllIsRight(store);
          }
        });
  }

  /** A reader gets right bytes or an error, before, during and after. */
  @Test
  void readersGoOnWhileItIsHealed() throws Exception {
    byte[] good = fill(Chunks.DEFLATE);
    AtomicBoolean ends = new AtomicBoolean();
    try (ContainerStore store = open()) {
      ContainerDirectory content = store.directory(0);
      byte[] bad = good.clone();
      bad[(int) content.groupPosition(1) + content.headerLength(1) + 3] ^= 1;
      BitSet lost = new BitSet();
      lost.set(content.firstChunk(1), content.endChunk(1));
      CompletableFuture<Long> reader =
          CompletableFuture.supplyAsync(() -> readUntil(store, lost, ends));
      for (int i = 0; i < 50; i++) {
        Path damagedFile = dir.resolve("damaged");
        Files.write(damagedFile, bad);
        // In one step, so that readers always find one.
        Files.move(damagedFile, file, StandardCopyOption.ATOMIC_MOVE);
        BitSet damaged = damaged(store);
        assertThat(damaged).isEqualTo(lost);
        heal(store, replacements(store, damaged));
        assertThat(store.check(0, Throttle.NONE).isSound()).isTrue();
      }
      ends.set(true);
      assertThat(reader.get()).isPositive();
      assertAllIsRight(store);
    }
  }

  private static long readUntil(ContainerStore store, BitSet lost, AtomicBoolean ends) {
    long reads = 0;
    while (!ends.get()) {
      for (int i = 0; i < CHUNKS; i++) {
        try {
          assertThat(Chunks.read(store, ChunkRef.pack(0, i), CHUNKS + 100)).isEqualTo(chunk(i));
          reads++;
        } catch (CorruptFrameException e) {
          assertThat(lost.get(i)).isTrue();
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      }
    }
    return reads;
  }
}
