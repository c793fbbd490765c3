/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.DirectoryBuilder;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.io.CrashableFiles;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The resources of a store: memory, open files, garbage, space on disk. */
class LoadedContainersTest {

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
      assertThat(store.loaded.contains(CONTAINERS - 1)).isTrue();
      assertThat(store.loaded.contains(0)).isFalse();
      // Directories need no open file.
      assertThat(store.isLoaded(CONTAINERS - 1)).isTrue();
      assertThat(store.isLoaded(0)).isTrue();
      assertThat(store.isLoaded(99)).isFalse();
    }
    settings = settings.maxOpenFiles(100).directoryMemory(6_000);
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
      assertThat(loaded).isBetween(2, (int) (6_000 / memory));
    }
  }

  /** A cache of containers of one chunk each, which notes whose file was closed. */
  private static LoadedContainers cache(int maxFiles, long maxMemory, List<Long> closed) {
    return cache(
        maxFiles,
        maxMemory,
        container -> {
          ReadableFile file =
              new ReadableFile() {
                @Override
                public int read(ByteBuffer dst, long position) {
                  throw new AssertionError("nobody reads");
                }

                @Override
                public long length() {
                  return 0;
                }

                @Override
                public void close() {
                  closed.add(container.id());
                }
              };
          ContainerHeader header =
              new ContainerHeader(container.id(), Chunks.IDENTITY, new int[0], 1, 2);
          return new LoadedContainer(
              Path.of("c"), header, file, LoadedContainersTest::oneChunk, Chunks::chain);
        });
  }

  private interface Loading {
    LoadedContainer load(Container container) throws IOException;
  }

  private static LoadedContainers cache(int maxFiles, long maxMemory, Loading loading) {
    ContainerSettings settings =
        Chunks.settings().maxOpenFiles(maxFiles).directoryMemory(maxMemory);
    ContainerContext context =
        new ContainerContext(Path.of("d"), null, settings, Chunks::chain, Chunks::fingerprint);
    ContainerLoader loader =
        new ContainerLoader(context) {
          @Override
          LoadedContainer load(Container container) throws IOException {
            return loading.load(container);
          }
        };
    return new LoadedContainers(context, new ConcurrentSkipListMap<>(), loader, new RepairQueue());
  }

  private static ContainerDirectory oneChunk() {
    DirectoryBuilder builder = new DirectoryBuilder(1, 1);
    builder.addChunk(0, 100, 0, new byte[Fingerprinter.LENGTH], 0);
    builder.endGroup(ContainerHeader.LENGTH, 50, 100, 0);
    return builder.build();
  }

  private static void use(LoadedContainers cache, Container container) throws IOException {
    cache.acquire(container).release();
  }

  private static List<Container> containers(int count) {
    return LongStream.range(0, count).mapToObj(Container::new).toList();
  }

  @Test
  void theLeastRecentlyUsedAreForgotten() throws IOException {
    long memory = oneChunk().memory();
    for (boolean byMemory : new boolean[] {false, true}) {
      List<Long> closed = new ArrayList<>();
      LoadedContainers cache = cache(byMemory ? 100 : 3, byMemory ? 3 * memory : 1 << 20, closed);
      List<Container> containers = containers(5);
      for (int i = 0; i < 3; i++) {
        use(cache, containers.get(i));
      }
      assertThat(cache.size()).isEqualTo(3);
      assertThat(cache.memory()).isEqualTo(3 * memory);
      assertThat(closed).isEmpty();
      use(cache, containers.get(0));
      use(cache, containers.get(3));
      assertThat(closed).containsExactly(1L);
      assertThat(cache.contains(1)).isFalse();
      LoadedContainer used = cache.acquire(containers.get(2));
      use(cache, containers.get(1));
      use(cache, containers.get(0));
      use(cache, containers.get(4));
      assertThat(cache.contains(2)).isFalse();
      assertThat(closed).as("2 is in use").containsExactly(1L, 0L, 3L);
      used.release();
      assertThat(closed).containsExactly(1L, 0L, 3L, 2L);
      assertThat(cache.memory()).isEqualTo(3 * memory);
      cache.clear();
      assertThat(closed).hasSize(7);
      assertThat(cache.size()).isZero();
      assertThat(cache.memory()).isZero();
    }
  }

  /** Otherwise the one in use would be loaded again for each chunk. */
  @Test
  void oneContainerStaysHoweverLargeItIs() throws IOException {
    List<Long> closed = new ArrayList<>();
    LoadedContainers cache = cache(1, 0, closed);
    List<Container> containers = containers(2);
    use(cache, containers.get(0));
    assertThat(cache.contains(0)).isTrue();
    use(cache, containers.get(1));
    assertThat(cache.contains(1)).isTrue();
    assertThat(closed).containsExactly(0L);
  }

  @Test
  void onlyTheFileThatWasClosedIsForgotten() throws IOException {
    List<Long> closed = new ArrayList<>();
    LoadedContainers cache = cache(10, 1 << 20, closed);
    Container container = new Container(0);
    LoadedContainer first = cache.acquire(container);
    cache.forget(first);
    assertThat(cache.size()).isZero();
    assertThat(cache.memory()).isZero();
    assertThat(closed).as("it is in use").isEmpty();
    LoadedContainer second = cache.acquire(container);
    assertThat(second.serial()).isNotEqualTo(first.serial());
    cache.forget(first);
    assertThat(cache.contains(0)).isTrue();
    first.release();
    second.release();
    assertThat(closed).hasSize(1);
  }

  @Test
  void whatWasReadOfAFileThatWasReplacedIsNotKept() {
    LoadedContainers cache = cache(10, 1 << 20, new ArrayList<>());
    Container container = new Container(0);
    ContainerInfo info = new ContainerInfo(0, true, 1, 2, 2, 3, 4, null);
    int generation = cache.generation(container);
    cache.setInfo(container, generation, info);
    assertThat(container.info()).isSameAs(info);
    cache.replaced(container);
    assertThat(container.info()).isNull();
    cache.setInfo(container, generation, info);
    assertThat(container.info()).isNull();
  }

  /** A directory loaded from a replaced file would name chunks that are gone. */
  @Test
  void aFileReplacedDuringLoadingIsLoadedAgain() throws IOException {
    fill(Chunks.settings());
    Path file = ContainerNames.file(scratch.resolve("c"), 0, ContainerNames.SEALED);
    Container container = new Container(0);
    int[] loads = new int[1];
    LoadedContainers[] cache = new LoadedContainers[1];
    cache[0] =
        cache(
            5,
            1 << 20,
            wanted -> {
              ChannelFile channel = ChannelFile.open(file);
              ContainerFooter footer = ContainerFooter.read(file, channel);
              ContainerDirectory directory = footer.readDirectory(file, channel);
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
    loaded.directory().chunkCount();
    loaded.release();
    assertThat(openFiles()).isZero();
    assertThat(cache[0].memory()).isZero();
  }

  private long openFiles() throws IOException {
    return Chunks.openFiles(scratch);
  }

  @Test
  void decodedGroupsOfAllStoresMayShareOneMemory() throws IOException {
    ContainerSettings own = Chunks.settings().groupMemory(100_000);
    assertThat(GroupCache.of(own)).isNotSameAs(GroupCache.of(own));
    ContainerSettings together = Chunks.settings().sharedGroupMemory(100_000);
    GroupCache shared = GroupCache.of(together);
    assertThat(GroupCache.of(Chunks.settings().sharedGroupMemory(90_000))).isSameAs(shared);
    fill(together);
    long before = shared.bytes();
    try (ContainerStore store =
        Chunks.open(scratch.resolve("c"), new CrashableFiles(scratch), together)) {
      Chunks.assertHas(store, ChunkRef.pack(0, 0), Chunks.chunk(0, 500));
    }
    assertThat(shared.bytes()).isGreaterThan(before);
  }

  /** Chunk by chunk, each group is decoded once. */
  @Test
  void groupsAreDecodedOnce() throws IOException {
    fill(Chunks.settings());
    Path file = ContainerNames.file(scratch.resolve("c"), 0, ContainerNames.SEALED);
    GroupCache cache = new GroupCache(10_000);
    ChunkReader reader =
        new ChunkReader(cache, new Quarantine(), Chunks::fingerprint, null, Chunks.settings());
    int[] reads = new int[1];
    try (ChannelFile channel = ChannelFile.open(file)) {
      ContainerFooter footer = ContainerFooter.read(file, channel);
      ContainerDirectory directory = footer.readDirectory(file, channel);
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
              footer.readGroups(file, channel, null),
              Chunks::chain);
      ByteBuffer dst = ByteBuffer.allocateDirect(500);
      for (int i = 0; i < directory.chunkCount(); i++) {
        dst.clear();
        reader.read(container, i, 1, dst, reader.newBases(Throttle.NONE));
      }
      assertThat(reads[0]).isEqualTo(directory.groupCount()).isGreaterThan(5);
      assertThat(cache.bytes()).isBetween(3_000L, 10_000L);
      reads[0] = 0;
      ByteBuffer all = ByteBuffer.allocateDirect((int) directory.originalBytes());
      ChunkReader alone =
          new ChunkReader(
              new GroupCache(0), new Quarantine(), Chunks::fingerprint, null, Chunks.settings());
      alone.read(container, 0, directory.chunkCount(), all, alone.newBases(Throttle.NONE));
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

  /** A bound of their own allows more than there is room for. */
  @Test
  void directoriesStayWithinABudget() throws IOException {
    ContainerSettings settings = Chunks.settings().maxChunks(20);
    fill(settings);
    long one;
    try (ContainerStore store =
        Chunks.open(scratch.resolve("c"), new CrashableFiles(scratch), settings)) {
      one = store.directory(0).memory();
    }
    MemoryBudget budget = new MemoryBudget(3 * one);
    settings = settings.directoryMemory(3 * one - 1).groupMemory(0).memory(budget);
    try (ContainerStore store =
        Chunks.open(scratch.resolve("c"), new CrashableFiles(scratch), settings)) {
      MemoryShare other = budget.open("Others", MemoryShare.Kind.LASTING, 0, one, null);
      for (int id = 0; id < CONTAINERS; id++) {
        assertThat(store.directory(id).chunkCount()).isPositive();
        Chunks.assertHas(store, ChunkRef.pack(id, 0), Chunks.chunk(20L * id, 500));
        assertThat(store.directoryMemory()).isEqualTo(budget.used());
        assertThat(budget.used()).isBetween(1L, 3 * one);
      }
      assertThat(other.tryReserve(0)).isTrue();
    }
    assertThat(budget.used()).isZero();
    MemoryBudget none = new MemoryBudget(1);
    settings = settings.directoryMemory(0).memory(none);
    try (ContainerStore store =
        Chunks.open(scratch.resolve("c"), new CrashableFiles(scratch), settings)) {
      Chunks.assertHas(store, ChunkRef.pack(0, 0), Chunks.chunk(0, 500));
      assertThat(store.directory(0).chunkCount()).isPositive();
      assertThat(store.isLoaded(0)).isFalse();
      assertThat(none.used()).isZero();
    }
  }

  @Test
  void groupsOfStoresWithOneBudgetGoWithTheLast() {
    MemoryBudget budget = new MemoryBudget(1 << 20);
    ContainerSettings settings = Chunks.settings().sharedGroupMemory(100_000).memory(budget);
    GroupCache first = GroupCache.of(settings);
    assertThat(GroupCache.of(settings)).isSameAs(first);
    assertThat(GroupCache.of(Chunks.settings().sharedGroupMemory(1))).isNotSameAs(first);
    assertThat(budget.usedByUser()).containsKey("Groups");
    first.leave();
    assertThat(GroupCache.of(settings)).isSameAs(first);
    first.leave();
    first.leave();
    assertThat(budget.usedByUser()).isEmpty();
    GroupCache.of(settings).leave();
  }
}
