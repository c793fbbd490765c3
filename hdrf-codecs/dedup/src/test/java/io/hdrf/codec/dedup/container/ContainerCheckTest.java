/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.WatchedFileSystem;
import io.hdrf.io.WatchedPath;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** What a check of a whole container finds, and what becomes of it. */
class ContainerCheckTest extends OneContainerTestCase {

  private final Random random = TestSeed.random("container check");

  private static BitSet notHeld(ContainerStore store) throws IOException {
    BitSet missing = new BitSet();
    for (int i = 0; i < CHUNKS; i++) {
      missing.set(i, !store.holds(ChunkRef.pack(0, i), Chunks.fingerprint(chunk(i)), 0));
    }
    return missing;
  }

  @Test
  void aSoundContainerIsReadOnce() throws IOException {
    byte[] good = fill(Chunks.DEFLATE);
    long[] paced = new long[1];
    try (ContainerStore store = open()) {
      CheckedContainer checked = store.check(0, bytes -> paced[0] += bytes);
      assertThat(checked.isSound()).isTrue();
      assertThat(checked.bytesRead()).isEqualTo(good.length);
      assertThat(paced[0]).isEqualTo(good.length);
      assertThat(store.isLoaded(0)).as("in the place of others").isFalse();
      assertThat(store.next(-1)).isZero();
      assertThat(store.next(0)).isEqualTo(-1);
      assertThat(store.check(1, Throttle.NONE)).as("gone").isNull();
    }
  }

  /** Readers have loaded it before, and hold what was in it decoded. */
  @Test
  void anyChangedByteIsFound() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      byte[] good = fill(tail);
      for (int position = 0; position < good.length; position++) {
        byte[] bad = good.clone();
        bad[position] ^= (byte) (1 << random.nextInt(8));
        try (ContainerStore store = open()) {
          for (int i = 0; i < CHUNKS; i++) {
            Chunks.assertHas(store, ChunkRef.pack(0, i), chunk(i));
          }
          Files.write(file, bad);
          CheckedContainer checked = store.check(0, Throttle.NONE);
          assertThat(checked.isSound()).as("position %d", position).isFalse();
          assertThat(notHeld(store).cardinality())
              .as("position %d", position)
              .isEqualTo(checked.damagedChunks())
              .isLessThanOrEqualTo(6);
        }
        Files.write(file, good);
      }
      Files.delete(file);
    }
  }

  @Test
  void aDamagedDirectoryIsMadeAgain() throws IOException {
    byte[] good = fill(Chunks.DEFLATE);
    byte[] bad = good.clone();
    bad[good.length - 200] ^= 1;
    try (ContainerStore store = open()) {
      store.directory(0);
      Files.write(file, bad);
      CheckedContainer checked = store.check(0, Throttle.NONE);
      assertThat(checked.damageBeside()).isEqualTo("its directory");
      assertThat(checked.damagedChunks()).isZero();
      store.mend(0, Throttle.NONE);
      store.mend(TimeUnit.SECONDS.toNanos(RepairQueue.FIRST_SECONDS), Throttle.NONE);
      assertThat(store.check(0, Throttle.NONE).isSound()).isTrue();
      assertThat(notHeld(store).isEmpty()).isTrue();
    }
  }

  @Test
  void damagedChunksAreToldUntilTheyReadWell() throws IOException {
    byte[] good = fill(Chunks.DEFLATE);
    byte[] bad = good.clone();
    try (ContainerStore store = open()) {
      assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
      ContainerDirectory content = store.directory(0);
      bad[(int) content.groupPosition(1) + content.headerLength(1) + 3] ^= 1;
      Files.write(file, bad);
      store.check(0, Throttle.NONE);
      BitSet lost = new BitSet();
      lost.set(content.firstChunk(1), content.endChunk(1));
      assertThat(store.damagedChunks(Throttle.NONE)).isEqualTo(Map.of(0L, lost));
      Files.write(file, good);
      assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
      assertThat(notHeld(store).isEmpty()).isTrue();
    }
  }

  @Test
  void aWholeFileThatIsLost() throws IOException {
    byte[] good = fill(Chunks.PLAIN);
    try (ContainerStore store = open()) {
      store.directory(0);
      Files.write(file, new byte[good.length]);
      CheckedContainer checked = store.check(0, Throttle.NONE);
      assertThat(checked.damageBeside()).startsWith("all of it");
      BitSet damaged = store.damagedChunks(Throttle.NONE).get(0L);
      assertThat(damaged.nextClearBit(0)).isGreaterThanOrEqualTo(CHUNKS);
      assertThat(notHeld(store).cardinality()).isEqualTo(CHUNKS);
    }
  }

  /** Chunks that can't be found any more, as their header is gone too. */
  @Test
  void chunksThatADirectoryLost() throws IOException {
    byte[] good = fill(Chunks.PLAIN);
    byte[] bad = good.clone();
    try (ContainerStore store = open()) {
      ContainerDirectory content = store.directory(0);
      Arrays.fill(bad, (int) content.groupPosition(1), (int) content.groupEnd(1), (byte) 0);
      bad[good.length - 200] ^= 1;
      Files.write(file, bad);
      CheckedContainer checked = store.check(0, Throttle.NONE);
      assertThat(checked.damageBeside()).isEqualTo("its directory");
      BitSet damaged = store.damagedChunks(Throttle.NONE).get(0L);
      for (int i = 0; i < CHUNKS; i++) {
        assertThat(damaged.get(i)).isEqualTo(content.groupOf(i) == 1);
      }
    }
  }

  @Test
  void itEndsWhenItShall() throws IOException {
    fill(Chunks.PLAIN);
    try (ContainerStore store = open()) {
      int[] calls = new int[1];
      assertThatThrownBy(
              () ->
                  store.check(
                      0,
                      bytes -> {
                        if (++calls[0] == 3) {
                          throw new InterruptedIOException("for a test");
                        }
                      }))
          .isInstanceOf(InterruptedIOException.class);
      assertThat(calls[0]).isEqualTo(3);
      assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
    }
  }

  /** Compressed, these are fewer bytes than a container takes. */
  @Test
  void aWholeFileOfManyChunksThatIsLost() throws IOException {
    int count = 140_000;
    ContainerSettings large = Chunks.settings().containerSize(64 << 20).groupSize(1 << 20);
    try (ContainerStore store = Chunks.open(dir, LocalDurableFiles.INSTANCE, large);
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      for (int i = 0; i < count; i++) {
        Chunks.append(appender, Chunks.chunk(i, 20));
      }
    }
    try (ContainerStore store = Chunks.open(dir, LocalDurableFiles.INSTANCE, large)) {
      Files.write(file, new byte[100_000]);
      store.check(0, Throttle.NONE);
      BitSet damaged = store.damagedChunks(Throttle.NONE).get(0L);
      assertThat(damaged.nextClearBit(0)).isGreaterThanOrEqualTo(count);
    }
  }

  /** No CRC tells of it: memory was at fault before it was written. */
  @Test
  void aChunkThatIsNotWhatItsFingerprintSaysIsTold() throws IOException {
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      for (int i = 0; i < CHUNKS; i++) {
        byte[] wrong = chunk(i);
        wrong[7] ^= (byte) (i == 5 ? 1 : 0);
        appender.append(Chunks.fingerprint(chunk(i)), 0, Chunks.direct(wrong));
      }
    }
    try (ContainerStore store = open()) {
      assertThat(store.check(0, Throttle.NONE).damagedChunks()).isEqualTo(1);
      BitSet fifth = new BitSet();
      fifth.set(5);
      assertThat(store.damagedChunks(Throttle.NONE)).isEqualTo(Map.of(0L, fifth));
      assertThat(notHeld(store)).isEqualTo(fifth);
    }
  }

  /** The setting is another one than it was. */
  @Test
  void anotherFingerprintFunctionIsNoDamage() throws IOException {
    fill(Chunks.PLAIN);
    try (ContainerStore store = openWithOtherFingerprints()) {
      assertThatThrownBy(() -> store.check(0, Throttle.NONE))
          .hasMessageContaining("hdrf.dedup.fingerprint");
      assertThat(store.isBad(ChunkRef.pack(0, 0))).isFalse();
      assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
    }
  }

  private ContainerStore openWithOtherFingerprints() throws IOException {
    return ContainerStore.open(
        dir,
        LocalDurableFiles.INSTANCE,
        Chunks.settings(),
        Chunks::chain,
        (chunk, dst, offset) -> {
          Chunks.fingerprint(chunk, dst, offset);
          dst[offset] ^= 1;
        });
  }

  /** Its library may be broken: all DataNodes that have it would report all that they hold. */
  @Test
  void whereASchemeDecodesNothingNothingIsDamaged() throws IOException {
    fill(Chunks.DEFLATE);
    HookedScheme scheme = new HookedScheme("deflate", Chunks.DEFLATE_ID, 1);
    scheme.afterDecode =
        frame -> {
          throw new CorruptFrameException("the library is broken");
        };
    FrameChain broken = FrameChain.of(List.of(scheme), new Configuration(false));
    try (ContainerStore store =
        ContainerStore.open(
            dir,
            LocalDurableFiles.INSTANCE,
            Chunks.settings(),
            ids -> broken,
            Chunks::fingerprint)) {
      assertThatThrownBy(() -> store.check(0, Throttle.NONE))
          .hasMessageContaining("can't be decoded");
      assertThat(store.isBad(ChunkRef.pack(0, 0))).isFalse();
      assertThat(store.damagedChunks(Throttle.NONE)).isEmpty();
    }
  }

  @Test
  void withAnotherFingerprintFunctionCrcsTellOfDamage() throws IOException {
    byte[] bytes = fill(Chunks.PLAIN);
    try (ContainerStore store = openWithOtherFingerprints()) {
      ContainerDirectory content = store.directory(0);
      int group = content.groupOf(content.indexOf(5));
      bytes[(int) (content.groupPosition(group) + content.groupLength(group)) - 1] ^= 1;
      Files.write(file, bytes);
      int last = content.number(content.endChunk(group) - 1);
      assertThat(store.check(0, Throttle.NONE).damagedChunks()).isEqualTo(1);
      for (int i = 0; i < CHUNKS; i++) {
        assertThat(store.isBad(ChunkRef.pack(0, i))).as("chunk %d", i).isEqualTo(i == last);
      }
    }
  }

  @Test
  void aFileThatIsGoneIsDamage() throws IOException {
    fill(Chunks.PLAIN);
    try (ContainerStore store = open()) {
      store.directory(0);
      Files.delete(file);
      CheckedContainer checked = store.check(0, Throttle.NONE);
      assertThat(checked).isNotNull();
      assertThat(checked.isSound()).isFalse();
      BitSet damaged = store.damagedChunks(Throttle.NONE).get(0L);
      assertThat(damaged.nextClearBit(0)).isGreaterThanOrEqualTo(CHUNKS);
    }
  }

  /** Its new file has the name, and nobody has been told. */
  @Test
  void aContainerThatIsRewrittenJustNowIsSound() throws Exception {
    fill(Chunks.PLAIN);
    Thread checking = Thread.currentThread();
    AtomicReference<ContainerStore> opened = new AtomicReference<>();
    AtomicBoolean compacting = new AtomicBoolean();
    CountDownLatch renamed = new CountDownLatch(1);
    CountDownLatch checked = new CountDownLatch(1);
    AtomicReference<CompletableFuture<Void>> compaction = new AtomicReference<>();
    WatchedFileSystem system =
        new WatchedFileSystem(
            new WatchedFileSystem.Watch() {
              @Override
              public void opening(Path path) {}

              @Override
              public int reading(Path path, long position, int length) {
                if (Thread.currentThread() == checking
                    && opened.get() != null
                    && compacting.compareAndSet(false, true)) {
                  compaction.set(CompletableFuture.runAsync(() -> dropHalf(opened.get())));
                  await(renamed);
                }
                return length;
              }
            });
    RealFiles files =
        new RealFiles() {
          @Override
          public void forceDirectory(Path directory) throws IOException {
            if (compacting.get()) {
              renamed.countDown();
              await(checked);
            }
            super.forceDirectory(directory);
          }
        };
    try (ContainerStore store =
        Chunks.open(
            system.path(dir), files, Chunks.settings().containerSize(1 << 20).groupSize(600))) {
      opened.set(store);
      CheckedContainer found = store.check(0, Throttle.NONE);
      checked.countDown();
      compaction.get().get();
      assertThat(found == null || found.isSound())
          .as(found == null ? "" : found.damagedChunks() + " chunks, " + found.damageBeside())
          .isTrue();
      assertThat(store.directory(0).chunkCount()).isEqualTo(CHUNKS / 2);
    }
  }

  private static void dropHalf(ContainerStore store) {
    try {
      store.compact(
          0,
          (content, whole) -> {
            BitSet live = new BitSet();
            for (int i = 0; i < CHUNKS; i += 2) {
              live.set(i);
            }
            return live;
          },
          Throttle.NONE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** For paths of a {@link WatchedFileSystem}. */
  private static class RealFiles extends ForwardingFiles {
    RealFiles() {
      super(LocalDurableFiles.INSTANCE);
    }

    @Override
    public DurableFile create(Path path) throws IOException {
      return super.create(WatchedPath.real(path));
    }

    @Override
    public DurableFile open(Path path) throws IOException {
      return super.open(WatchedPath.real(path));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      super.rename(WatchedPath.real(from), WatchedPath.real(to));
    }

    @Override
    public void deleteIfExists(Path path) throws IOException {
      super.deleteIfExists(WatchedPath.real(path));
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
      super.createDirectories(WatchedPath.real(directory));
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
      super.forceDirectory(WatchedPath.real(directory));
    }
  }
}
