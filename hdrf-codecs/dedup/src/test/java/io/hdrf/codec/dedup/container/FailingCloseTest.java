/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is closed after all of it was forced, so a failing close does not matter. */
class FailingCloseTest {

  @TempDir(factory = InMemory.class)
  Path directory;

  private final ForwardingFiles files =
      new ForwardingFiles(LocalDurableFiles.INSTANCE) {
        @Override
        public DurableFile create(Path file) throws IOException {
          return new ForwardingFile(super.create(file)) {
            @Override
            public void close() throws IOException {
              super.close();
              throw new IOException("as the test wants it");
            }
          };
        }
      };

  @Test
  void aContainerIsSealedThoughItsFileCanNotBeClosed() throws IOException {
    try (ContainerStore store = Chunks.open(directory, files, Chunks.settings())) {
      long ref;
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        ref = Chunks.append(appender, Chunks.chunk(1));
        appender.force();
      }
      Chunks.assertHas(store, ref, Chunks.chunk(1));
      assertThat(store.sealIdle(ChunkRef.container(ref))).isTrue();
      Chunks.assertHas(store, ref, Chunks.chunk(1));
      assertThat(Chunks.openFiles(directory)).as("open files").isEqualTo(1);
    }
    assertThat(Chunks.openFiles(directory)).as("open files").isZero();
  }
}
