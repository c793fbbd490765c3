/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.hdrf.io.ChannelFile;
import io.hdrf.io.CrashableFiles;
import io.hdrf.io.InMemory;
import io.hdrf.io.LocalDurableFiles;
import io.hdrf.io.ReadableFile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a store takes: memory, open files, garbage, space on disk. */
class ContainerCacheTest {

  private static final int CONTAINERS = 12;

  @TempDir(factory = InMemory.class)
  Path scratch;

  private void fill(ContainerSettings settings) throws IOException {
    try (ContainerStore store =
            Chunks.open(scratch.resolve("c"), new CrashableFiles(scratch), settings);
        ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      for (int i = 0; i < CONTAINERS * 20; i++) {
        Chunks.append(appender, Chunks.chunk(i, 500));
      }
    }
  }

  @Test
  void filesAndDirectoriesAreBounded() throws IOException {
    ContainerSettings settings = Chunks.settings().maxChunks(20).maxOpenFiles(3);
    fill(settings);
    try (ContainerStore store =
        Chunks.open(scratch.resolve("c"), new CrashableFiles(scratch), settings)) {
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < CONTAINERS * 20; i++) {
          Chunks.assertHas(store, ChunkRef.pack(i / 20, i % 20), Chunks.chunk(i, 500));
        }
        assertThat(openFiles()).isLessThanOrEqualTo(3);
      }
      assertThat(store.isLoaded(CONTAINERS - 1)).isTrue();
      assertThat(store.isLoaded(0)).isFalse();
      assertThat(store.isLoaded(99)).isFalse();
    }
    settings = settings.maxOpenFiles(100).directoryMemory(4_000);
    try (ContainerStore store =
        Chunks.open(scratch.resolve("c"), new CrashableFiles(scratch), settings)) {
      long memory = store.directory(0).memory();
      assertThat(memory).isBetween(20 * 40L, 2_000L);
      for (int id = 0; id < CONTAINERS; id++) {
        store.directory(id);
      }
      int loaded = 0;
      for (int id = 0; id < CONTAINERS; id++) {
        loaded += store.isLoaded(id) ? 1 : 0;
      }
      assertThat(loaded).isBetween(2, (int) (4_000 / memory));
    }
  }

  /** What was loaded from a file that was replaced meanwhile would name chunks that are gone. */
  @Test
  void aFileReplacedDuringLoadingIsLoadedAgain() throws IOException {
    fill(Chunks.settings());
    Path file = ContainerNames.file(scratch.resolve("c"), 0, ContainerNames.SEALED);
    Container container = new Container(0);
    int[] loads = new int[1];
    ContainerCache[] cache = new ContainerCache[1];
    cache[0] =
        new ContainerCache(
            5,
            1 << 20,
            wanted -> {
              ChannelFile channel = ChannelFile.open(file);
              ContainerFooter footer = ContainerFiles.readFooter(file, channel);
              ContainerDirectory directory = ContainerFiles.readDirectory(file, channel, footer);
              if (loads[0]++ == 0) {
                cache[0].replaced(wanted);
              }
              return new LoadedContainer(
                  file, footer.header(), channel, () -> directory, Chunks::chain);
            });
    LoadedContainer loaded = cache[0].acquire(container);
    assertThat(loads[0]).isEqualTo(2);
    LoadedContainer again = cache[0].acquire(container);
    assertThat(loads[0]).isEqualTo(2);
    assertThat(again.serial()).isEqualTo(loaded.serial());
    again.release();
    cache[0].replaced(container);
    assertThat(openFiles()).isEqualTo(1);
    loaded.directory();
    loaded.release();
    assertThat(openFiles()).isZero();
    assertThat(cache[0].memory()).isZero();
  }

  private long openFiles() throws IOException {
    return Chunks.openFiles(scratch);
  }

  /** Chunk by chunk, each group is decoded once. */
  @Test
  void groupsAreDecodedOnce() throws IOException {
    fill(Chunks.settings());
    Path file = ContainerNames.file(scratch.resolve("c"), 0, ContainerNames.SEALED);
    GroupCache cache = new GroupCache(10_000);
    ChunkReader reader = new ChunkReader(cache, new Quarantine());
    int[] reads = new int[1];
    try (ChannelFile channel = ChannelFile.open(file)) {
      ContainerFooter footer = ContainerFiles.readFooter(file, channel);
      ContainerDirectory directory = ContainerFiles.readDirectory(file, channel, footer);
      LoadedContainer container =
          new LoadedContainer(
              file,
              footer.header(),
              new ReadableFile() {
                @Override
                public int read(ByteBuffer dst, long position) throws IOException {
                  reads[0]++;
                  return channel.read(dst, position);
                }

                @Override
                public long length() throws IOException {
                  return channel.length();
                }

                @Override
                public void close() {}
              },
              () -> directory,
              Chunks::chain);
      ByteBuffer dst = ByteBuffer.allocateDirect(500);
      for (int i = 0; i < directory.chunkCount(); i++) {
        dst.clear();
        reader.read(container, i, 1, dst);
      }
      assertThat(reads[0]).isEqualTo(directory.groupCount()).isGreaterThan(5);
      assertThat(cache.bytes()).isBetween(3_000L, 10_000L);
      reads[0] = 0;
      ByteBuffer all = ByteBuffer.allocateDirect((int) directory.originalBytes());
      new ChunkReader(new GroupCache(0), new Quarantine())
          .read(container, 0, directory.chunkCount(), all);
      assertThat(reads[0]).isEqualTo(1);
      cache.clear();
      assertThat(cache.bytes()).isZero();
    }
  }

  /** 2 MiB in chunks of 8 KiB, stored as they are. */
  @Test
  void overheadAtEightKibibytes() throws IOException {
    Path dir = scratch.resolve("c");
    ContainerSettings settings = ContainerSettings.of(Chunks.IDENTITY);
    long original = 0;
    try (ContainerStore store = Chunks.open(dir, LocalDurableFiles.INSTANCE, settings);
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      for (int i = 0; i < 512; i++) {
        byte[] chunk = Chunks.chunk(i, 4096 + i * 16);
        original += chunk.length;
        Chunks.append(appender, chunk);
      }
    }
    long file = Files.size(ContainerNames.file(dir, 0, ContainerNames.SEALED));
    assertThat((file - original) / (double) original).isBetween(0.004, 0.0055);
  }

  /** Beyond what a directory keeps of each chunk, appending and reading leave no garbage. */
  @Test
  void noGarbageForEachChunk() throws IOException {
    int chunks = 20_000;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ContainerSettings settings = ContainerSettings.of(Chunks.IDENTITY);
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    ByteBuffer chunk = Chunks.direct(Chunks.chunk(1, 1000));
    ByteBuffer dst = ByteBuffer.allocateDirect(128 << 10);
    try (ContainerStore store =
            Chunks.open(scratch.resolve("c"), LocalDurableFiles.INSTANCE, settings);
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      for (int round = 0; round < 2; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < chunks; i++) {
          chunk.clear();
          appender.append(fingerprint, 0, chunk);
        }
        appender.flush();
        long appended = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < chunks; i += 100) {
          dst.clear();
          store.read(0, round * chunks + i, 100, dst);
        }
        long read = threads.getCurrentThreadAllocatedBytes();
        if (round > 0) {
          assertThat((appended - before) / chunks).isLessThan(200);
          assertThat((read - appended) / chunks).isLessThan(20);
        }
      }
    }
  }
}
