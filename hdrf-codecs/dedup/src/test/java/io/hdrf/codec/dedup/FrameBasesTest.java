/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.Chunks;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrameBasesTest {

  private static final int LENGTH = 1000;

  @TempDir(factory = InMemory.class)
  Path directory;

  /** Groups of one chunk each; two are allowed however long they are, and 64 however short. */
  @ParameterizedTest
  @CsvSource({"0,2", "1999,2", "2000,2", "2999,2", "3000,3", "7500,7", "25000,25", "90000,64"})
  void groupsAreBoundedByTheirBytes(int memory, int groups) throws IOException {
    try (ContainerStore store =
        Chunks.open(
            directory,
            LocalDurableFiles.INSTANCE,
            Chunks.settings().groupSize(1).baseMemory(memory))) {
      long[] refs = new long[80];
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        for (int i = 0; i < refs.length; i++) {
          refs[i] = Chunks.append(appender, Chunks.chunk(i, LENGTH));
        }
        appender.force();
      }
      FrameBases bases = new FrameBases(store, new ContainerCap(0, 1));
      for (int frame = 0; frame < 2; frame++) {
        bases.beginFrame();
        for (int i = 0; i < refs.length; i++) {
          assertThat(bases.allows(refs[i])).as("group %d", i).isEqualTo(i < groups);
          assertThat(bases.add(refs[i])).as("group %d", i).isEqualTo(i < groups);
          assertThat(bases.add(refs[0])).as("one that it has").isTrue();
        }
      }
    }
  }

  @Test
  void whatIsNotThereIsNoBase() throws IOException {
    try (ContainerStore store =
        Chunks.open(directory, LocalDurableFiles.INSTANCE, Chunks.settings())) {
      FrameBases bases = new FrameBases(store, new ContainerCap(0, 1));
      assertThat(bases.add(ChunkRef.pack(3, 1))).isFalse();
    }
  }
}
