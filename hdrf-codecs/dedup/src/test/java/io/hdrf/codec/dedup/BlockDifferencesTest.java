/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.Chunks;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.delta.RecentBases;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Random;
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
