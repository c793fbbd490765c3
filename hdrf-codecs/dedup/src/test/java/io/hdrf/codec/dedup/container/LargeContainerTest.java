/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.DurableFile;
import io.hdrf.io.DurableFiles;
import io.hdrf.io.LocalDurableFiles;
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
      store.compact(0, live, Throttle.NONE);
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
  private static final class Sparse implements DurableFiles {
    private final DurableFiles real = LocalDurableFiles.INSTANCE;

    @Override
    public DurableFile create(Path file) throws IOException {
      return new SparseFile(real.create(file));
    }

    @Override
    public void copyMode(Path model, Path target) throws IOException {
      real.copyMode(model, target);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      real.rename(from, to);
    }

    @Override
    public void deleteIfExists(Path path) throws IOException {
      real.deleteIfExists(path);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
      real.createDirectories(directory);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
      real.forceDirectory(directory);
    }
  }

  private static final class SparseFile implements DurableFile {
    private static final int HEAD = 4096;
    private final DurableFile file;

    SparseFile(DurableFile file) {
      this.file = file;
    }

    @Override
    public void write(ByteBuffer src, long position) throws IOException {
      int length = src.remaining();
      if (length <= LENGTH) {
        file.write(src, position);
        return;
      }
      ByteBuffer head = src.duplicate();
      head.limit(src.position() + HEAD);
      file.write(head, position);
      file.setLength(position + length);
      src.position(src.limit());
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      return file.read(dst, position);
    }

    @Override
    public void setLength(long length) throws IOException {
      file.setLength(length);
    }

    @Override
    public long length() throws IOException {
      return file.length();
    }

    @Override
    public void force() throws IOException {
      file.force();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
