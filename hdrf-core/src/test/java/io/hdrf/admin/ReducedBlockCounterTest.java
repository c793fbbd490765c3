/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.StoredBlocks;
import io.hdrf.io.WatchedFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReducedBlockCounterTest {

  @TempDir Path volume;

  private static final WatchedFileSystem.Watch BAD_SECTOR =
      new WatchedFileSystem.Watch() {
        @Override
        public void opening(Path path) {}

        @Override
        public int reading(Path path, long position, int length) {
          return length;
        }

        @Override
        public void listing(Path entry) throws IOException {
          throw new IOException("bad sector");
        }
      };

  @Test
  void aDirectoryThatCantBeListedToItsEndHidesNoOther() throws IOException {
    Files.createDirectories(volume.resolve("current/BP-1"));
    Files.createFile(volume.resolve("current/VERSION"));
    Path bad = new WatchedFileSystem(BAD_SECTOR).path(volume);
    List<ReducedBlocks> counts =
        ReducedBlockCounter.count(List.of(bad, volume), pool -> new StoredBlocks.Count());
    assertThat(counts).hasSize(2);
    assertThat(counts.get(0).isCounted()).isFalse();
    assertThat(counts.get(0).obstacle()).contains("bad sector");
    assertThat(counts.get(1).isCounted()).isTrue();
  }
}
