/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All operations on containers release all buffers and files, however they end. */
class GivenBackTest {

  private static final int CHUNKS = 40;
  private static final int LARGE = 9_000;

  /** More of each size than are taken at once. */
  private static final int SPARE = 40;

  @TempDir Path scratch;

  private final BufferPool pool = BufferPool.shared();
  private final List<Long> refs = new ArrayList<>();
  private final List<byte[]> chunks = new ArrayList<>();
  private Path dir;
  private Path file;
  private long idle;

  @BeforeEach
  void fillPool() {
    dir = scratch.resolve("containers");
    file = ContainerNames.file(dir, 0, ContainerNames.SEALED);
    List<ByteBuffer> taken = new ArrayList<>();
    for (int length = 1; length <= 1 << 22; length = BufferPool.capacityFor(length) + 1) {
      for (int i = 0; i < (length < 1 << 17 ? SPARE : 2); i++) {
        taken.add(pool.take(length));
      }
    }
    taken.forEach(pool::give);
    idle = pool.idleBytes();
  }

  @AfterEach
  void allIsGivenBack() throws IOException {
    assertThat(pool.idleBytes()).isEqualTo(idle);
    assertThat(Chunks.openFiles(dir)).isZero();
  }

  private ContainerStore open(long groupMemory) throws IOException {
    return Chunks.open(
        dir,
        LocalDurableFiles.INSTANCE,
        Chunks.settings().containerSize(1 << 20).groupSize(2000).groupMemory(groupMemory));
  }

  private void append(ChunkAppender appender, byte[] chunk) throws IOException {
    refs.add(Chunks.append(appender, chunk));
    chunks.add(chunk);
  }

  /** Chunks in one container, some of them longer than a group. */
  private void fill(FrameChain tail) throws IOException {
    try (ContainerStore store = open(0)) {
      try (ChunkAppender appender = store.appender(tail)) {
        for (int i = 0; i < CHUNKS; i++) {
          append(appender, Chunks.chunk(i, i % 10 == 9 ? LARGE : 100 + i));
          if (i == CHUNKS / 2) {
            appender.force();
            assertReads(store);
            long used = idle - pool.idleBytes();
            assertThat(used).as("no large buffer is kept").isLessThan(4L * LARGE);
          }
        }
      }
    }
  }

  private void assertReads(ContainerStore store) throws IOException {
    for (int i = 0; i < refs.size(); i++) {
      Chunks.assertHas(store, refs.get(i), chunks.get(i));
    }
  }

  @Test
  void whoReadsGivesBack() throws IOException {
    fill(Chunks.DEFLATE);
    for (long memory : new long[] {0, 10_000, 1 << 20}) {
      try (ContainerStore store = open(memory)) {
        assertReads(store);
        assertReads(store);
        assertThat(store.findDamage(0, 0, CHUNKS)).isFalse();
        assertThat(store.findDamage(0, CHUNKS, 1)).isTrue();
        assertThat(ContainerVerifier.verify(store, 0).problems()).isEmpty();
      }
    }
  }

  @Test
  void whoCompactsGivesBack() throws IOException {
    fill(Chunks.PLAIN);
    BitSet live = new BitSet();
    live.set(3, 20);
    live.set(29);
    try (ContainerStore store = open(1 << 20)) {
      CompactionResult result = store.compact(0, (content, whole) -> live, Throttle.NONE);
      assertThat(result.chunksKept()).isEqualTo(live.cardinality());
      for (int i = live.nextSetBit(0); i >= 0; i = live.nextSetBit(i + 1)) {
        Chunks.assertHas(store, refs.get(i), chunks.get(i));
      }
    }
  }

  @Test
  void whoRecoversGivesBack() throws IOException {
    fill(Chunks.DEFLATE);
    byte[] good = Files.readAllBytes(file);
    ContainerDirectory content;
    try (ContainerStore store = open(0)) {
      content = store.directory(0);
    }
    Path unsealed = ContainerNames.file(dir, 0, ContainerNames.OPEN);
    int last = content.groupCount() - 1;
    for (int group = 0; group <= last; group++) {
      byte[] bad = Arrays.copyOf(good, (int) content.groupEnd(last) + 100);
      int at = (int) content.groupPosition(group) + content.headerLength(group);
      bad[at + content.storedLength(group) / 2] ^= 1;
      Files.deleteIfExists(file);
      Files.write(unsealed, bad);
      try (ContainerStore store = open(0)) {
        assertThat(store.directory(0).chunkCount()).isLessThan(CHUNKS);
        assertThat(store.sealIdle(0)).isTrue();
      }
    }
  }

  @Test
  void whoFindsDamageGivesBack() throws IOException {
    fill(Chunks.DEFLATE);
    byte[] good = Files.readAllBytes(file);
    for (int position = 0; position < good.length; position += 41) {
      byte[] bad = good.clone();
      bad[position] ^= 4;
      Files.write(file, bad);
      try (ContainerStore store = open(1 << 20)) {
        for (int i = 0; i < CHUNKS; i++) {
          try {
            Chunks.read(store, refs.get(i), LARGE);
          } catch (CorruptFrameException e) {
            assertThat(e).hasMessageContaining("000000000000.hdc");
          }
        }
        ContainerVerifier.verify(store, 0);
        store.mend(0, Throttle.NONE);
        store.mend(TimeUnit.SECONDS.toNanos(RepairQueue.FIRST_SECONDS), Throttle.NONE);
      }
    }
  }

  @Test
  void whoFailsGivesBack() throws IOException {
    fill(Chunks.PLAIN);
    try (ContainerStore store = open(0)) {
      assertThatThrownBy(
              () ->
                  store.compact(
                      0,
                      (content, whole) -> {
                        throw new IOException("not now");
                      },
                      Throttle.NONE))
          .hasMessage("not now");
      ByteBuffer none = ByteBuffer.allocateDirect(1);
      assertThatThrownBy(() -> store.read(0, 0, 5, none)).isInstanceOf(IOException.class);
    }
    // An appender that is closed with chunks that were never written.
    try (ContainerStore store = open(0)) {
      try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
        Chunks.append(appender, Chunks.chunk(99));
      }
      ChunkAppender left = store.appender(Chunks.DEFLATE);
      Chunks.append(left, Chunks.chunk(98));
      left.close();
    }
  }
}
