/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The newest container's file is lost, as by a repair of the file system. */
class LostContainerTest {

  private static final long NOW = 1_800_000_000_000L;

  @TempDir(factory = InMemory.class)
  Path dir;

  private ContainerStore open(long millis) throws IOException {
    return Chunks.open(dir, LocalDurableFiles.INSTANCE, Chunks.settings().idsSince(millis));
  }

  private long append(int number, long millis) throws IOException {
    try (ContainerStore store = open(millis);
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      long ref = Chunks.append(appender, Chunks.chunk(number, 500));
      appender.force();
      return ref;
    }
  }

  @Test
  void itsIdIsNotGivenToAnother() throws IOException {
    append(1, NOW);
    long lost = append(2, NOW + 1000);
    Files.delete(ContainerNames.file(dir, ChunkRef.container(lost), ContainerNames.SEALED));
    append(3, NOW + 2000);
    try (ContainerStore store = open(NOW + 3000)) {
      assertThatThrownBy(() -> Chunks.read(store, lost, 500))
          .isInstanceOf(MissingChunkException.class);
    }
  }

  @Test
  void idsGrowWhateverTheClockSays() throws IOException {
    long last = -1;
    for (long millis : new long[] {0, NOW, NOW - 1000, Long.MAX_VALUE, Long.MIN_VALUE, NOW + 10}) {
      long id = ChunkRef.container(append(1, millis));
      assertThat(id).isGreaterThan(last);
      last = id;
    }
    assertThat(last).isLessThan(ChunkRef.MAX_CONTAINER / 2);
  }
}
