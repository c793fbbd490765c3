/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory is short for a moment while a container is written. */
class NoMemoryTest {

  @TempDir(factory = InMemory.class)
  Path directory;

  private final ShortOfMemory files = new ShortOfMemory();
  private ContainerStore store;
  private long before;

  /** Makes the next calls that write or force fail; writes fail after they have written. */
  /** The first use of its message runs out of memory. */
  private static final class Unspeakable extends IOException {
    private static final long serialVersionUID = 1L;

    private boolean said;

    @Override
    public String getMessage() {
      if (!said) {
        said = true;
        throw new OutOfMemoryError("as the test wants it");
      }
      return "Input/output error";
    }
  }

  private static final class ShortOfMemory extends ForwardingFiles {
    private int writes;
    private int forces;
    private boolean failsAndCantSay;

    ShortOfMemory() {
      super(LocalDurableFiles.INSTANCE);
    }

    @Override
    public DurableFile create(Path file) throws IOException {
      return watched(super.create(file));
    }

    @Override
    public DurableFile open(Path file) throws IOException {
      return watched(super.open(file));
    }

    private DurableFile watched(DurableFile file) {
      return new ForwardingFile(file) {
        @Override
        public void write(ByteBuffer src, long position) throws IOException {
          super.write(src, position);
          if (writes > 0) {
            writes--;
            throw new InternalError("as the test wants it");
          }
        }

        @Override
        public void force() throws IOException {
          if (failsAndCantSay) {
            failsAndCantSay = false;
            throw new Unspeakable();
          }
          if (forces > 0) {
            forces--;
            throw new InternalError("as the test wants it");
          }
          super.force();
        }
      };
    }
  }

  @BeforeEach
  void writeBefore() throws IOException {
    store = open();
    try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      before = Chunks.append(appender, Chunks.chunk(1));
      appender.force();
    }
  }

  private ContainerStore open() throws IOException {
    return Chunks.open(directory, files, Chunks.settings().containerSize(1 << 20).groupMemory(0));
  }

  private void assertGoesOn(ChunkAppender failed) throws IOException {
    long after;
    try (ChunkAppender next = store.appender(Chunks.DEFLATE)) {
      after = Chunks.append(next, Chunks.chunk(3));
      next.force();
    }
    long same = Chunks.append(failed, Chunks.chunk(4));
    failed.force();
    failed.close();
    assertThat(ChunkRef.container(after)).isNotEqualTo(ChunkRef.container(before));
    store.close();
    try (ContainerStore again = open()) {
      Chunks.assertHas(again, before, Chunks.chunk(1));
      Chunks.assertHas(again, after, Chunks.chunk(3));
      Chunks.assertHas(again, same, Chunks.chunk(4));
      for (ContainerInfo info : again.containers()) {
        assertThat(ContainerVerifier.verify(again, info.id()).problems()).isEmpty();
      }
    }
  }

  @Test
  void aGroupThatIsHalfWrittenEndsItsContainer() throws IOException {
    ChunkAppender appender = store.appender(Chunks.DEFLATE);
    Chunks.append(appender, Chunks.chunk(2));
    files.writes = 1;
    assertThatThrownBy(appender::flush).isInstanceOf(InternalError.class);
    assertThat(store.containers().iterator().next().sealed()).isTrue();
    assertGoesOn(appender);
  }

  /** Nor can it be sealed then; it is later. */
  @Test
  void aContainerThatCouldNotBeEndedIsSealedLater() throws IOException {
    ChunkAppender appender = store.appender(Chunks.DEFLATE);
    Chunks.append(appender, Chunks.chunk(2));
    files.writes = 2;
    assertThatThrownBy(appender::flush).isInstanceOf(InternalError.class);
    assertThat(Chunks.read(store, before, Chunks.chunk(1).length)).isEqualTo(Chunks.chunk(1));
    assertThat(store.sealIdle(ChunkRef.container(before))).isTrue();
    assertThat(store.containers().iterator().next().sealed()).isTrue();
    assertGoesOn(appender);
  }

  /** The kernel may have dropped pages, and would not say so again. */
  @Test
  void aForceThatEndedSoIsNotTriedAgainOnThatFile() throws IOException {
    ChunkAppender appender = store.appender(Chunks.DEFLATE);
    long copied = Chunks.append(appender, Chunks.chunk(2));
    files.forces = 1;
    assertThatThrownBy(appender::force).isInstanceOf(InternalError.class);
    appender.force();
    assertThat(store.containers().iterator().next().sealed()).isTrue();
    Chunks.assertHas(store, copied, Chunks.chunk(2));
    assertGoesOn(appender);
  }

  /** The disk failed, and there was no memory to note that. */
  @Test
  void aForceThatFailedIsNotTriedAgainOnThatFile() throws IOException {
    ChunkAppender appender = store.appender(Chunks.DEFLATE);
    long copied = Chunks.append(appender, Chunks.chunk(2));
    files.failsAndCantSay = true;
    try {
      appender.force();
    } catch (OutOfMemoryError e) {
      appender.force();
    }
    assertThat(store.containers().iterator().next().sealed())
        .as("written to another file, and not said to be durable in this one")
        .isTrue();
    Chunks.assertHas(store, copied, Chunks.chunk(2));
  }
}
