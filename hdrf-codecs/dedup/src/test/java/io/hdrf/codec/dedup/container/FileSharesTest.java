/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.io.ChildJvm;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSharesTest {

  private static final int STORES = 20;
  private static final int CHUNKS = 4;

  @TempDir Path directory;

  /** Adds volumes to a DataNode, and has each read from all of its containers. */
  static final class Volumes {
    private Volumes() {}

    public static void main(String[] args) throws IOException {
      ContainerSettings settings = Chunks.settings().maxChunks(CHUNKS);
      List<ContainerStore> stores = new ArrayList<>();
      for (int i = 0; i < STORES; i++) {
        // As many as it may have at the time, and some.
        int containers = 150 / (i + 1) + 10;
        Path path = Path.of(args[0]).resolve("c" + i);
        try (ContainerStore store = Chunks.open(path, LocalDurableFiles.INSTANCE, settings);
            ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
          for (int chunk = 0; chunk < containers * CHUNKS; chunk++) {
            Chunks.append(appender, Chunks.chunk(chunk, 500));
          }
        }
        ContainerStore added = Chunks.open(path, LocalDurableFiles.INSTANCE, settings);
        stores.add(added);
        for (ContainerStore store : stores) {
          store.mend(System.nanoTime(), Throttle.NONE);
        }
        for (int chunk = 0; chunk < containers * CHUNKS; chunk += CHUNKS) {
          Chunks.assertHas(added, ChunkRef.pack(chunk / CHUNKS, 0), Chunks.chunk(chunk, 500));
        }
      }
      System.out.println("read");
    }
  }

  /** A host whose limits nobody has raised. */
  @Test
  void manyVolumesLeaveDescriptorsToTheClients() throws Exception {
    List<String> limited = List.of("sh", "-c", "ulimit -n 600; exec \"$@\"", "sh");
    Process volumes = ChildJvm.launch(limited, List.of("-Xmx256m"), Volumes.class, directory);
    try (BufferedReader out = volumes.inputReader(StandardCharsets.UTF_8)) {
      assertThat(out.readLine()).isEqualTo("read");
    } finally {
      volumes.destroyForcibly().waitFor();
    }
  }

  @Test
  void oneFourthOfAllIsDivided() {
    assertThat(FileShares.of(4096, 12)).isEqualTo(85);
    assertThat(FileShares.of(1 << 20, 0)).isEqualTo(1 << 18);
    assertThat(FileShares.of(16, 100)).isEqualTo(1);
    assertThat(FileShares.of(Long.MAX_VALUE, 1)).isEqualTo(Integer.MAX_VALUE);
  }
}
