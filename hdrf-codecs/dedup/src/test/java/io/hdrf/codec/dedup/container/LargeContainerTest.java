/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Positions beyond 2 and 4 GiB, in a file of holes. */
class LargeContainerTest {

  private static final int LENGTH = ContainerFormat.MAX_CHUNK_LENGTH;
  private static final int CHUNKS = 260;

  @TempDir Path scratch;

  @Test
  void positionsBeyondFourGibibytes() throws IOException {
    Path dir = scratch.resolve("containers");
    ContainerSettings settings = ContainerSettings.of(Chunks.IDENTITY).containerSize(8L << 30);
    ByteBuffer zeros = ByteBuffer.allocateDirect(LENGTH);
    byte[] zerosPrint = new byte[32];
    Chunks.fingerprint(zeros, zerosPrint, 0);
    int[] marked = {0, 127, 128, 129, 255, 256, 257, CHUNKS - 1};
    try (ContainerStore store = Chunks.open(dir, new Sparse(), settings)) {
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        for (int i = 0; i < CHUNKS; i++) {
          zeros.clear();
          appender.append(zerosPrint, 0, zeros);
          if (java.util.Arrays.binarySearch(marked, i) >= 0) {
            Chunks.append(appender, Chunks.chunk(i));
          }
        }
        appender.flush();
        appender.force();
        check(store, marked);
      }
    }
    assertThat(Files.size(ContainerNames.file(dir, 0, ContainerNames.SEALED)))
        .isGreaterThan(4L << 30);
    try (ContainerStore store = Chunks.open(dir, new Sparse(), settings)) {
      check(store, marked);
      BitSet live = new BitSet();
      live.set(129);
      live.set(260, 268);
      store.compact(0, (listed, whole) -> live, Throttle.NONE);
      assertThat(Chunks.read(store, ChunkRef.pack(0, 129), 1000)).isEqualTo(Chunks.chunk(127));
      assertThat(Chunks.read(store, ChunkRef.pack(0, 259 + 8), 1000)).isEqualTo(Chunks.chunk(259));
    }
  }

  private static void check(ContainerStore store, int[] marked) throws IOException {
    for (int i = 0; i < marked.length; i++) {
      Chunks.assertHas(store, ChunkRef.pack(0, marked[i] + 1 + i), Chunks.chunk(marked[i]));
    }
    assertThat(store.directory(0).originalBytes()).isGreaterThan((long) CHUNKS * LENGTH);
  }

  /** Leaves out writes of zeros at a file's end. */
  private static final class Sparse extends ForwardingFiles {

    Sparse() {
      super(LocalDurableFiles.INSTANCE);
    }

    @Override
    public DurableFile create(Path file) throws IOException {
      return new SparseFile(super.create(file));
    }
  }

  private static final class SparseFile extends ForwardingFile {
    private static final int HEAD = 4096;

    SparseFile(DurableFile file) {
      super(file);
    }

    @Override
    public void write(ByteBuffer src, long position) throws IOException {
      int length = src.remaining();
      if (length <= LENGTH) {
        super.write(src, position);
        return;
      }
      ByteBuffer head = src.duplicate();
      head.limit(src.position() + HEAD);
      super.write(head, position);
      setLength(position + length);
      src.position(src.limit());
    }
  }
}
