/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.CorruptBlockException;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.TagKey;
import io.hdrf.read.FrameReader;
import io.hdrf.read.ReducedFile;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same block on two volumes with different keys. */
class OtherVolumeTest {

  private static final int LENGTH = 200_000;

  private final ReducerCounters counters = new ReducerCounters();
  private final BufferPool buffers = new BufferPool(64 << 20);
  private final ReducedReads reads =
      new ReducedReads(4 << 20, 0, counters, buffers, MemoryBudget.unlimited());
  private final byte[] data =
      TestData.TEXT.bytes(LENGTH, TestSeed.random(OtherVolumeTest.class.getName()));

  private static TagKey key(int seed) {
    byte[] secret = new byte[TagKey.LENGTH];
    Arrays.fill(secret, (byte) seed);
    return new TagKey(secret);
  }

  private static ReducedFile file(Path directory, int seed, byte[] data) throws IOException {
    return new ReducedFile(Files.createDirectories(directory), key(seed), data, 0, 0);
  }

  /** A positional read of the first frame, which leaves it in the cache. */
  private void readFirstFrame(ReducedFile file, ReducedBlock block) throws IOException {
    try (FrameReader reader = reads.reader(block, file.codec, null)) {
      ByteBuffer frame = reader.at(0);
      byte[] bytes = new byte[frame.remaining()];
      frame.get(bytes);
      assertThat(bytes).isEqualTo(Arrays.copyOf(data, bytes.length));
    }
  }

  private long hits() {
    return counters.values().get("frameCacheHits");
  }

  @Test
  void aFileThatWasCopiedFromThereIsRefused(@TempDir Path directory) throws IOException {
    try (ReducedFile file = file(directory, 1, data)) {
      assertThatThrownBy(() -> file.openOn(key(2)))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("tag");
      try (ReducedBlock block = file.openOn(key(1))) {
        readFirstFrame(file, block);
      }
    }
  }

  /** Data decoded there never appear here, even for a block with the same id and bytes. */
  @Test
  void whatWasCachedOfItIsNotFound(@TempDir Path directory) throws IOException {
    try (ReducedFile there = file(directory.resolve("there"), 1, data);
        ReducedFile here = file(directory.resolve("here"), 2, data);
        ReducedBlock blockThere = there.open();
        ReducedBlock blockHere = here.open()) {
      readFirstFrame(there, blockThere);
      readFirstFrame(there, blockThere);
      assertThat(hits()).as("it is in the cache").isEqualTo(1);
      readFirstFrame(here, blockHere);
      assertThat(hits()).isEqualTo(1);
    }
  }
}
