/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerChainsTest {

  @TempDir Path directory;

  private boolean needed() throws IOException {
    return ContainerStore.mayNeed(directory, Chunks.DEFLATE_ID);
  }

  private void write(boolean deflated) throws IOException {
    try (ContainerStore store =
            Chunks.open(directory, LocalDurableFiles.INSTANCE, Chunks.settings());
        ChunkAppender appender = store.appender(deflated ? Chunks.DEFLATE : Chunks.PLAIN)) {
      Chunks.append(appender, Chunks.chunk(deflated ? 1 : 2));
      appender.force();
    }
  }

  @Test
  void theSchemesOfEachContainerAreNeeded() throws IOException {
    assertThat(ContainerStore.mayNeed(directory.resolve("none"), Chunks.DEFLATE_ID)).isFalse();
    write(false);
    assertThat(needed()).isFalse();
    write(true);
    write(false);
    assertThat(needed()).isTrue();
    assertThat(ContainerStore.mayNeed(directory, Chunks.DEFLATE_ID + 1)).isFalse();
  }

  /** One of the two descriptions is enough, as for reading. */
  @ParameterizedTest
  @ValueSource(strings = {".hdc", ".hdc.open"})
  void theFooterTellsWhatADamagedHeaderDoesNot(String suffix) throws IOException {
    write(true);
    long id = onlyContainer();
    Path named = ContainerNames.file(directory, id, suffix);
    Files.move(ContainerNames.file(directory, id, ContainerNames.SEALED), named);
    byte[] bytes = Files.readAllBytes(named);
    bytes[20] ^= 1;
    Files.write(named, bytes);
    assertThat(needed()).isTrue();
    bytes[bytes.length - 1] ^= 1;
    Files.write(named, bytes);
    assertThat(needed()).isFalse();
  }

  private long onlyContainer() throws IOException {
    try (var files = Files.list(directory)) {
      return files
          .mapToLong(
              file -> ContainerNames.id(file.getFileName().toString(), ContainerNames.SEALED))
          .filter(id -> id >= 0)
          .findFirst()
          .orElseThrow();
    }
  }
}
