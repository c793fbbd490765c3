/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.Chunks;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.delta.FeatureBatch;
import io.hdrf.codec.dedup.delta.RecentBases;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.WatchedFileSystem;
import io.hdrf.io.WatchedPath;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockDifferencesTest {

  private static final int LENGTH = 5000;
  private static final int CHUNKS = 4;

  @TempDir Path directory;

  private final Random random = TestSeed.random("differences of a block");

  private byte[] noise() {
    byte[] bytes = new byte[LENGTH];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] changed(byte[] chunk) {
    byte[] bytes = chunk.clone();
    bytes[LENGTH / 2]++;
    return bytes;
  }

  /** Looks for a base for each chunk of a block, of which the first comes behind a known one. */
  private static long[] find(BlockDifferences differences, long before, byte[]... block) {
    ByteBuffer data = ByteBuffer.allocateDirect(block.length * LENGTH);
    int[] cuts = new int[block.length];
    long[] refs = new long[block.length];
    for (int i = 0; i < block.length; i++) {
      data.put(block[i]);
      cuts[i] = data.position();
      refs[i] = -1;
    }
    differences.beginBlock();
    differences.take(data.flip(), cuts, block.length, refs);
    differences.known(before);
    for (int i = 0; i < block.length; i++) {
      refs[i] = differences.find(i, Chunks.direct(block[i]), -1);
    }
    return refs;
  }

  /** It would be healed one day, and take the difference with it. */
  @Test
  void whatIsNotAsItsFingerprintSaysIsNoBase() throws IOException {
    byte[][] old = {noise(), noise(), noise()};
    MemoryBudget memory = MemoryBudget.unlimited();
    try (ContainerStore store =
            Chunks.open(
                directory, LocalDurableFiles.INSTANCE, Chunks.settings().containerSize(1 << 20));
        RecentBases table = new RecentBases(1 << 10, memory)) {
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        Chunks.append(appender, old[0]);
        appender.append(Chunks.fingerprint(changed(old[1])), 0, Chunks.direct(old[1]));
        Chunks.append(appender, old[2]);
        appender.force();
      }
      BlockDifferences differences =
          new BlockDifferences(
              store,
              new ChunkPins(),
              table,
              new FrameBases(store, new ContainerCap(0, 1)),
              new DedupCounters());
      byte[] wrong = changed(changed(old[1]));
      assertThat(find(differences, ChunkRef.pack(0, 0), wrong)).containsExactly(-1);
      assertThat(find(differences, ChunkRef.pack(0, 1), changed(old[2])))
          .containsExactly(ChunkRef.pack(0, 2));
    }
  }

  /** A power loss would take it away, and the block with it. */
  @Test
  void whatAnotherBlockHasWrittenIsABaseOnceItIsDurable() throws IOException {
    byte[][] old = {noise(), noise()};
    MemoryBudget memory = MemoryBudget.unlimited();
    try (ContainerStore store =
            Chunks.open(
                directory, LocalDurableFiles.INSTANCE, Chunks.settings().containerSize(1 << 20));
        RecentBases table = new RecentBases(1 << 10, memory);
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      Chunks.append(appender, old[0]);
      appender.force();
      long base = Chunks.append(appender, old[1]);
      appender.flush();
      BlockDifferences differences =
          new BlockDifferences(
              store,
              new ChunkPins(),
              table,
              new FrameBases(store, new ContainerCap(0, 1)),
              new DedupCounters());
      assertThat(find(differences, base - 1, changed(old[1]))).containsExactly(-1);
      appender.force();
      assertThat(find(differences, base - 1, changed(old[1]))).containsExactly(base);
    }
  }

  /** There is memory for one directory. Each base lies in a container of its own. */
  @Test
  void directoriesAreReadOnlyOfSomeContainersInWhichBasesMayBe() throws IOException {
    int bases = 40;
    byte[][] old = new byte[bases][];
    long[] refs = new long[bases];
    try (ContainerStore store =
        Chunks.open(directory, LocalDurableFiles.INSTANCE, Chunks.settings())) {
      for (int i = 0; i < bases; i++) {
        old[i] = noise();
        try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
          refs[i] = Chunks.append(appender, old[i]);
        }
        store.sealIdle(ChunkRef.container(refs[i]));
      }
    }
    Set<Path> read = new HashSet<>();
    WatchedFileSystem watched =
        new WatchedFileSystem(
            new WatchedFileSystem.Watch() {
              @Override
              public void opening(Path path) {}

              @Override
              public int reading(Path path, long position, int length) {
                read.add(path);
                return length;
              }
            });
    ForwardingFiles files =
        new ForwardingFiles(LocalDurableFiles.INSTANCE) {
          @Override
          public void createDirectories(Path path) throws IOException {
            super.createDirectories(WatchedPath.real(path));
          }

          @Override
          public void forceDirectory(Path path) throws IOException {
            super.forceDirectory(WatchedPath.real(path));
          }
        };
    try (ContainerStore store =
            Chunks.open(
                watched.path(directory),
                files,
                Chunks.settings().directoryMemory(0).maxOpenFiles(1));
        RecentBases table = new RecentBases(1 << 20, MemoryBudget.unlimited())) {
      FeatureBatch batch = new FeatureBatch(table);
      for (int i = 0; i < bases; i++) {
        batch.take(Chunks.direct(old[i]), new int[] {0}, new int[] {LENGTH}, 1);
        long[] superFeatures = new long[FeatureBatch.SUPER_FEATURES];
        long[] places = new long[FeatureBatch.SUPER_FEATURES];
        batch.superFeatures(0, superFeatures, 0);
        Arrays.fill(places, refs[i]);
        table.add(superFeatures, places.length, places);
      }
      byte[][] block = new byte[bases][];
      for (int i = 0; i < block.length; i++) {
        block[i] = changed(old[i]);
      }
      for (int capped : new int[] {0, 2}) {
        ContainerCap cap = new ContainerCap(capped, 4);
        FrameBases frameBases = new FrameBases(store, cap);
        DedupCounters counters = new DedupCounters();
        BlockDifferences differences =
            new BlockDifferences(store, new ChunkPins(), table, frameBases, counters);
        cap.beginBlock();
        cap.apply(new long[0], new long[0], new int[0], 0, -1);
        frameBases.beginFrame();
        read.clear();
        long[] found = find(differences, -1, block);
        assertThat(Arrays.stream(found).filter(base -> base >= 0).count())
            .as("differences")
            .isEqualTo(capped == 0 ? BlockDifferences.MAX_FOLLOWED : capped);
        assertThat(read.size())
            .as("containers that were read")
            .isEqualTo(capped == 0 ? BlockDifferences.MAX_FOLLOWED : capped);
        assertThat(counters.asMap().get("basesRefused") > 0)
            .as("a reader would need too many")
            .isEqualTo(capped > 0);
      }
    }
  }

  /** What is tried in vain may go. */
  @Test
  void onlyTheBaseThatIsTakenIsKeptFromACollection() throws IOException {
    byte[][] old = new byte[CHUNKS][];
    BitSet present = new BitSet();
    ChunkPins pins = new ChunkPins();
    MemoryBudget memory = MemoryBudget.unlimited();
    try (ContainerStore store =
            Chunks.open(
                directory, LocalDurableFiles.INSTANCE, Chunks.settings().containerSize(1 << 20));
        RecentBases table = new RecentBases(1 << 10, memory)) {
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        for (int i = 0; i < CHUNKS; i++) {
          old[i] = noise();
          Chunks.append(appender, old[i]);
          present.set(i);
        }
        appender.force();
      }
      FrameBases frameBases = new FrameBases(store, new ContainerCap(0, 1));
      BlockDifferences differences =
          new BlockDifferences(store, pins, table, frameBases, new DedupCounters());
      byte[][] block = {changed(old[1]), noise(), changed(old[3])};
      ByteBuffer data = ByteBuffer.allocateDirect(block.length * LENGTH);
      for (byte[] chunk : block) {
        data.put(chunk);
      }
      data.flip();
      differences.beginBlock();
      differences.take(
          data, new int[] {LENGTH, 2 * LENGTH, 3 * LENGTH}, 3, new long[] {-1, -1, -1});
      differences.known(ChunkRef.pack(0, 0));
      ChunkPins.Cycle cycle = pins.begin(0, 1);
      assertThat(differences.find(0, Chunks.direct(block[0]), -1)).isEqualTo(ChunkRef.pack(0, 1));
      assertThat(differences.find(1, Chunks.direct(block[1]), -1)).isEqualTo(-1);
      BitSet dead = (BitSet) present.clone();
      dead.clear(1);
      assertThat(cycle.dead(0, present)).isEqualTo(dead);
      cycle.condemn(0, dead, present, true);
      assertThat(differences.find(2, Chunks.direct(block[2]), -1)).as("condemned").isEqualTo(-1);
      cycle.spare(0);
      differences.known(ChunkRef.pack(0, 2));
      assertThat(differences.find(2, Chunks.direct(block[2]), -1)).isEqualTo(ChunkRef.pack(0, 3));
    }
  }
}
