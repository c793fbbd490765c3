/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.IndexedContainers;
import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.MissingChunkException;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.io.InMemory;
import io.hdrf.spi.TaskProgress;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.UnreadableBlocksException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GarbageCollectorTest {

  private static final String REWRITING = "rewriting containers";

  @TempDir(factory = InMemory.class)
  Path directory;

  private CollectedStore store;
  private final List<String> told = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    store = new CollectedStore(directory);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private Map<String, Long> collect(GarbageCollector collector) throws IOException {
    return collector.collect(told::add).asMap();
  }

  private long length(long ref) throws IOException {
    return Files.size(store.containers.file(ChunkRef.container(ref)));
  }

  @Test
  void containerIsCompactedOnceLessOfItIsLiveThanThatShare() throws IOException {
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(4);
    // The last id must not be given again.
    store.blocks.put(0L, store.sealed(1));
    store.blocks.put(1L, new long[] {refs[0], refs[1]});
    store.blocks.put(2L, new long[] {refs[3]});
    long before = length(refs[0]);
    assertThat(collect(collector))
        .containsEntry("blocksRead", 6L)
        .containsEntry("chunks", 5L)
        .containsEntry("liveChunks", 4L)
        .containsEntry("chunksDropped", 0L)
        .containsEntry("containersCompacted", 0L);
    assertThat(length(refs[0])).isEqualTo(before);
    assertThat(collector.metrics().get("gcGarbageBytes")).isPositive().isLessThan(before);
    store.blocks.remove(2L);
    Map<String, Long> result = collect(collector);
    long after = length(refs[0]);
    assertThat(result)
        .containsEntry("blocksRead", 4L)
        .containsEntry("chunks", 5L)
        .containsEntry("liveChunks", 3L)
        .containsEntry("chunksDropped", 2L)
        .containsEntry("containersCompacted", 1L)
        .containsEntry("containersDeleted", 0L)
        .containsEntry("bytesFreed", before - after)
        .containsEntry("bytesRewritten", after);
    assertThat(after).isLessThan(before);
    for (int i = 0; i < refs.length; i++) {
      assertThat(store.has(refs[i])).isEqualTo(i < 2);
    }
    store.blocks.remove(1L);
    assertThat(collect(collector))
        .containsEntry("chunksDropped", 2L)
        .containsEntry("containersCompacted", 0L)
        .containsEntry("containersDeleted", 1L)
        .containsEntry("bytesFreed", after)
        .containsEntry("bytesRewritten", 0L);
    assertThat(store.info(refs[0])).isNull();
    assertThat(collector.metrics())
        .containsEntry("gcBlocksRead", 12L)
        .containsEntry("gcChunks", 3L)
        .containsEntry("gcLiveChunks", 1L)
        .containsEntry("gcGarbageBytes", 0L)
        .containsEntry("gcChunksDropped", 4L)
        .containsEntry("gcContainersCompacted", 1L)
        .containsEntry("gcContainersDeleted", 1L)
        .containsEntry("gcBytesFreed", before)
        .containsEntry("gcBytesRewritten", after)
        .containsEntry("gcAbortedInARow", 0L)
        .containsEntry("gcBlocksUnreadable", 0L);
  }

  /** At 12 TiB there are 48,000 directories of 2 MB. */
  @Test
  void ofLiveContainersSomeDirectoriesAreRead() throws IOException {
    List<long[]> refs = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      refs.add(store.sealed(4));
      store.blocks.put((long) i, refs.get(i));
    }
    assertThat(refs).noneMatch(r -> store.containers.isLoaded(ChunkRef.container(r[0])));
    store.someDirectories = 1;
    // Two cycles each.
    GarbageCollector collector = store.collector();
    assertThat(collect(collector)).containsEntry("chunks", 24L).containsEntry("liveChunks", 24L);
    assertThat(loaded(refs)).isBetween(1L, 2L);
    for (int i = 0; loaded(refs) < 6; i++) {
      assertThat(i).isLessThan(1000);
      collect(collector);
    }
  }

  private long loaded(List<long[]> refs) {
    return refs.stream()
        .filter(container -> store.containers.isLoaded(ChunkRef.container(container[0])))
        .count();
  }

  @Test
  void whatIsDeadIsFoundInAnyCase() throws IOException {
    List<long[]> refs = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      refs.add(store.sealed(4));
      store.blocks.put((long) i, refs.get(i));
    }
    store.someDirectories = 0;
    store.blocks.put(4L, Arrays.copyOf(refs.get(4), 2));
    store.blocks.remove(2L);
    // Too little of it.
    store.blocks.put(3L, Arrays.copyOf(refs.get(3), 3));
    // So little that its directory is not read.
    long[] many = store.sealed(40);
    store.blocks.put(9L, Arrays.copyOf(many, 39));
    GarbageCollector collector = store.collector();
    assertThat(collect(collector))
        .containsEntry("chunks", 64L)
        .containsEntry("liveChunks", 56L)
        .containsEntry("chunksDropped", 6L)
        .containsEntry("containersDeleted", 1L)
        .containsEntry("containersCompacted", 1L);
    assertThat(store.containers.isLoaded(ChunkRef.container(many[0]))).isFalse();
    assertThat(store.info(refs.get(2)[0])).isNull();
    long chunk = length(many[0]) / 40;
    collect(collector);
    assertThat(collector.metrics().get("gcGarbageBytes")).isBetween(chunk, 2 * chunk);
    for (int i = 0; i < 4; i++) {
      assertThat(store.has(refs.get(4)[i])).isEqualTo(i < 2);
      assertThat(store.has(refs.get(3)[i])).isTrue();
      assertThat(store.has(refs.get(5)[i])).isTrue();
    }
  }

  /** A container in which one long chunk is dead among many short ones. */
  private long[] shortAndALong() throws IOException {
    long[] refs;
    try (ChunkAppender appender = store.appender()) {
      refs = Arrays.copyOf(store.append(appender, 39), 40);
      ByteBuffer bytes = ByteBuffer.allocateDirect(10_000).put(0, (byte) 99);
      refs[39] = appender.append(IndexedContainers.name(99), 0, bytes);
      appender.force();
    }
    store.containers.sealIdle(ChunkRef.container(refs[0]));
    return refs;
  }

  @Test
  void whatIsFoundByChanceIsDroppedInTheNextCycle() throws IOException {
    List<long[]> refs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      refs.add(shortAndALong());
      store.blocks.put((long) i, Arrays.copyOf(refs.get(i), 39));
    }
    store.someDirectories = 1;
    GarbageCollector collector = store.collector();
    // Two cycles.
    assertThat(collect(collector)).containsEntry("chunksDropped", 1L);
    for (long[] container : refs) {
      for (int i = 0; store.has(container[39]); i++) {
        assertThat(i).isLessThan(1000);
        collect(collector);
      }
      assertThat(store.has(container[38])).isTrue();
    }
  }

  /** The next cycle would drop it, were it not for the age. */
  @Test
  void itTellsWhetherSomethingIsTooYoung() throws IOException {
    store.conf.set("hdrf.dedup.gc.min.age", "1");
    long[] refs = store.sealed(4);
    store.blocks.put(1L, refs);
    // The last id must not be given again.
    store.blocks.put(2L, store.sealed(1));
    GarbageCollector collector = store.collector();
    assertThat(collector.collect(told::add).hasMore()).as("all is needed").isFalse();
    store.blocks.put(1L, Arrays.copyOf(refs, 3));
    assertThat(collector.collect(told::add).hasMore()).as("too little is dead").isFalse();
    store.blocks.put(1L, Arrays.copyOf(refs, 1));
    assertThat(collector.collect(told::add).hasMore()).isTrue();
    assertThat(store.has(refs[1])).isTrue();
    store.nanoTime += TimeUnit.SECONDS.toNanos(1);
    GcResult result = collector.collect(told::add);
    assertThat(result.asMap()).containsEntry("containersCompacted", 1L);
    assertThat(result.hasMore()).isFalse();
    assertThat(store.has(refs[1])).isFalse();
    assertThat(collector.collect(told::add).hasMore()).as("all was dropped").isFalse();
  }

  /** So many that two ranges at least are gone through. */
  private List<long[]> severalRanges() throws IOException {
    store.conf.set("hdrf.dedup.gc.memory", "48k");
    List<long[]> refs = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      refs.add(store.sealed(4));
    }
    return refs;
  }

  @Test
  void inRangesItIsAsInOne() throws IOException {
    List<long[]> refs = severalRanges();
    for (int i = 0; i < 40; i += 2) {
      store.blocks.put((long) i, Arrays.copyOf(refs.get(i), i % 4 == 0 ? 2 : 4));
    }
    GarbageCollector collector = store.collector();
    assertThat(collect(collector))
        .containsEntry("blocksRead", 2 * 20L)
        .containsEntry("chunks", 40 * 4L)
        .containsEntry("liveChunks", 10 * 2L + 10 * 4)
        .containsEntry("chunksDropped", 20 * 4L + 10 * 2)
        .containsEntry("containersCompacted", 10L)
        .containsEntry("containersFailed", 0L);
    assertThat(told).anyMatch(line -> line.startsWith(REWRITING + ", part 3 of 3"));
    assertThat(store.firstTimes).containsExactly(true, false, false, true, false, false);
    for (int i = 0; i < 40; i++) {
      for (int chunk = 0; chunk < 4; chunk++) {
        assertThat(store.has(refs.get(i)[chunk]))
            .isEqualTo((i % 4 == 0 && chunk < 2) || i % 4 == 2);
      }
    }
  }

  /** What it finds is noted for no other range, whose blocks are read later. */
  @Test
  void aBlockThatGetsItsChunksDuringAnotherRangeKeepsThem() throws IOException {
    List<long[]> refs = severalRanges();
    GarbageCollector collector = store.collector();
    AtomicInteger shown = new AtomicInteger();
    store.afterBlocksWereShown =
        () -> {
          int container = shown.getAndIncrement() * 7 % 40;
          try (Pin pin = store.chunkPins.pin()) {
            long ref = refs.get(container)[3];
            if (store.chunkPins.acquire(ref) && store.has(ref)) {
              store.blocks.put((long) container, new long[] {ref});
            }
          }
        };
    for (int i = 0; i < 5; i++) {
      collect(collector);
    }
    assertThat(shown.get()).isGreaterThan(5 * 2);
    assertThat(store.blocks).isNotEmpty();
    for (long[] block : store.blocks.values()) {
      assertThat(store.has(block[0])).isTrue();
    }
  }

  @Test
  void aContainerThatIsWrittenToIsSealedOnceItIsWorthIt() throws IOException {
    GarbageCollector collector = store.collector();
    long[] refs = store.open(4);
    store.blocks.put(1L, Arrays.copyOf(refs, 3));
    collect(collector);
    assertThat(store.info(refs[0]).sealed()).isFalse();
    store.blocks.put(1L, Arrays.copyOf(refs, 2));
    assertThat(collect(collector)).containsEntry("chunksDropped", 2L);
    assertThat(store.info(refs[0]).sealed()).isTrue();
  }

  @Test
  void whatABlockInWorkIsWrittenToIsNotSealed() throws IOException {
    GarbageCollector collector = store.collector();
    try (ChunkAppender appender = store.appender()) {
      long[] refs = store.append(appender, 4);
      assertThat(collect(collector))
          .containsEntry("chunksDropped", 0L)
          .containsEntry("containersFailed", 0L);
      assertThat(store.info(refs[0]).sealed()).isFalse();
    }
  }

  @Test
  void whatNeedsTheLeastRoomIsCompactedFirst() throws IOException {
    GarbageCollector collector = store.collector();
    long[] most = store.sealed(8);
    store.sealed(2);
    long[] some = store.sealed(8);
    store.blocks.put(1L, Arrays.copyOf(most, 4));
    store.blocks.put(2L, Arrays.copyOf(some, 2));
    collect(collector);
    List<Long> done =
        told.stream()
            .filter(line -> line.startsWith(REWRITING))
            .map(line -> TaskProgress.decode(line).done())
            .toList();
    assertThat(done).hasSize(1 + 3).startsWith(0L, 0L);
    assertThat(done.get(2)).as("that with two chunks").isPositive();
    assertThat(done.get(3) - done.get(2)).as("that with four").isGreaterThan(done.get(2));
    assertThat(TaskProgress.decode(told.get(told.size() - 1)).total()).isEqualTo(done.get(3));
  }

  /** A chunk must be dead in two whole cycles, not only at their beginnings. */
  @Test
  void aChunkThatWasLiveMeanwhileGrowsOldAnew() throws IOException {
    store.conf.set("hdrf.dedup.gc.min.age", "100");
    GarbageCollector collector = store.collector();
    long[] some = store.sealed(4);
    long[] all = store.sealed(4);
    collect(collector);
    store.blocks.put(1L, new long[] {some[1]});
    store.blocks.put(2L, all);
    store.nanoTime += TimeUnit.SECONDS.toNanos(50);
    collect(collector);
    store.blocks.clear();
    store.nanoTime += TimeUnit.SECONDS.toNanos(50);
    assertThat(collect(collector)).containsEntry("chunksDropped", 3L);
    assertThat(store.has(some[1])).isTrue();
    for (long ref : all) {
      assertThat(store.has(ref)).isTrue();
    }
    store.nanoTime += TimeUnit.SECONDS.toNanos(100);
    assertThat(collect(collector)).containsEntry("chunksDropped", 5L);
  }

  @Test
  void nothingIsDroppedBeforeItIsOld() throws IOException {
    store.conf.set("hdrf.dedup.gc.min.age", "100");
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(2);
    store.millis = store.info(refs[0]).sealTime() + TimeUnit.SECONDS.toMillis(100);
    assertThat(collect(collector)).containsEntry("chunksDropped", 0L);
    store.nanoTime += TimeUnit.SECONDS.toNanos(100) - 1;
    assertThat(collect(collector)).containsEntry("chunksDropped", 0L);
    store.nanoTime++;
    assertThat(collect(collector)).containsEntry("chunksDropped", 2L);
  }

  @Test
  void aContainerMustHaveBeenSealedForAsLong() throws IOException {
    store.conf.set("hdrf.dedup.gc.min.age", "100");
    GarbageCollector collector = store.collector();
    long[] refs = store.open(2);
    collect(collector);
    assertThat(store.info(refs[0]).sealed()).isTrue();
    store.nanoTime += TimeUnit.SECONDS.toNanos(100);
    store.millis = store.info(refs[0]).sealTime() + TimeUnit.SECONDS.toMillis(100) - 1;
    assertThat(collect(collector)).containsEntry("chunksDropped", 0L);
    store.nanoTime += TimeUnit.SECONDS.toNanos(100);
    store.millis++;
    assertThat(collect(collector)).containsEntry("chunksDropped", 2L);
  }

  /** Or its chunks would stay until that time comes. */
  @Test
  void aContainerThatWasSealedWhileTheClockWasAheadIsOld() throws IOException {
    store.conf.set("hdrf.dedup.gc.min.age", "100");
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(2);
    store.millis = store.info(refs[0]).sealTime() - TimeUnit.DAYS.toMillis(3650);
    assertThat(collect(collector)).containsEntry("chunksDropped", 0L);
    store.nanoTime += TimeUnit.SECONDS.toNanos(100);
    assertThat(collect(collector)).containsEntry("chunksDropped", 2L);
  }

  @Test
  void nothingIsCollectedWhileABlockHasBeenInWorkForTooLong() throws IOException {
    store.pinMillis = 20;
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(2);
    try (Pin pin = store.chunkPins.pin()) {
      assertThatThrownBy(() -> collect(collector))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("a block has been in work");
      assertThat(told).isEmpty();
      assertThat(store.has(refs[0])).isTrue();
    }
    assertThat(collect(collector)).containsEntry("chunksDropped", 2L);
  }

  @Test
  void anInterruptEndsTheWaitForBlocksInWork() throws IOException {
    GarbageCollector collector = store.collector();
    store.sealed(2);
    try (Pin pin = store.chunkPins.pin()) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> collect(collector)).isInstanceOf(InterruptedIOException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
    // Nothing is known yet, so 0 would be wrong.
    assertThat(collector.metrics())
        .containsEntry("gcAbortedInARow", 1L)
        .doesNotContainKey("gcGarbageBytes");
    assertThat(collect(collector)).containsEntry("chunksDropped", 2L);
    assertThat(collector.metrics())
        .containsEntry("gcAbortedInARow", 0L)
        .containsKey("gcGarbageBytes");
  }

  /** A block that finds such a chunk after that must get it: it stays. */
  @Test
  void whatCouldNotBeDroppedCanBeAcquiredAtOnce() throws IOException {
    GarbageCollector collector = store.collector();
    long[] failing = store.sealed(4);
    long[] sound = store.sealed(8);
    store.blocks.put(1L, new long[] {failing[0]});
    store.blocks.put(2L, Arrays.copyOf(sound, 2));
    String name = store.containers.file(ChunkRef.container(failing[0])).getFileName().toString();
    store.refused = file -> file.getFileName().toString().startsWith(name.substring(0, 12));
    List<Boolean> acquired = new ArrayList<>();
    Map<String, Long> result =
        collector
            .collect(
                line -> {
                  TaskProgress now = TaskProgress.decode(line);
                  if (line.startsWith(REWRITING) && now.done() == now.total()) {
                    acquired.add(store.chunkPins.acquire(failing[1]));
                    acquired.add(store.chunkPins.acquire(sound[7]));
                  }
                })
            .asMap();
    assertThat(acquired).containsExactly(true, false);
    assertThat(result).containsEntry("containersFailed", 1L).containsEntry("chunksDropped", 6L);
    assertThat(store.has(failing[1])).isTrue();
  }

  @Test
  void whatFailedIsPutOffUntilItIsToBeTriedAgain() throws IOException {
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(4);
    store.blocks.put(1L, new long[] {refs[0]});
    store.refused = file -> true;
    // Dead at first; tried and failed; tried and failed again; put off.
    assertThat(collect(collector))
        .containsEntry("containersFailed", 1L)
        .containsEntry("containersPutOff", 0L);
    assertThat(collect(collector))
        .containsEntry("containersFailed", 0L)
        .containsEntry("containersPutOff", 1L);
    assertThat(collector.metrics()).containsEntry("gcContainersPutOff", 1L);
    // In the fifth cycle once more; by itself it would be tried in the ninth only.
    assertThat(collect(collector)).containsEntry("containersPutOff", 1L);
    store.refused = file -> false;
    collector.retryFailed();
    assertThat(collect(collector))
        .containsEntry("containersFailed", 0L)
        .containsEntry("containersPutOff", 0L)
        .containsEntry("chunksDropped", 3L);
  }

  @Test
  void aContainerThatCanNotBeReadIsCountedAndPutOff() throws IOException {
    long[] refs = store.sealed(4);
    Path file = store.containers.file(ChunkRef.container(refs[0]));
    Files.write(file, new byte[(int) Files.size(file)]);
    GarbageCollector collector = store.collector();
    // Tried in the first, second and fourth cycle.
    assertThat(collect(collector))
        .containsEntry("containersFailed", 1L)
        .containsEntry("containersPutOff", 0L)
        .containsEntry("chunks", 0L);
    assertThat(collect(collector)).containsEntry("containersFailed", 1L);
    assertThat(collect(collector))
        .containsEntry("containersFailed", 0L)
        .containsEntry("containersPutOff", 1L);
    assertThat(Files.exists(file)).isTrue();
  }

  @Test
  void blocksAreCountedOnceEach() throws IOException {
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(2);
    store.blocks.put(-1L, new long[] {refs[0], refs[1], refs[0]});
    store.blocks.put(0L, refs);
    store.conf.set("hdrf.dedup.gc.min.age", "100");
    assertThat(collect(store.collector())).containsEntry("blocksRead", 2L);
    for (long id = 2; id < 20_001; id++) {
      store.blocks.put(id, new long[] {refs[0]});
    }
    told.clear();
    assertThat(collect(store.collector())).containsEntry("blocksRead", 20_001L);
    assertThat(told)
        .filteredOn(line -> line.contains("recipes"))
        .extracting(line -> TaskProgress.decode(line).done())
        .containsExactly(10_000L, 20_000L, 20_001L);
    assertThat(collector.metrics()).containsEntry("gcBlocksRead", 0L);
  }

  @Test
  void stopsBetweenTwoBlocks() throws IOException {
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(2);
    store.blocks.put(1L, new long[] {refs[0]});
    store.blocks.put(2L, new long[] {refs[0]});
    AtomicInteger looks = new AtomicInteger();
    // At the container's footer, and at the first block.
    store.stopping = () -> looks.incrementAndGet() > 2;
    assertThatThrownBy(() -> collect(collector))
        .isInstanceOf(InterruptedIOException.class)
        .hasMessage("the store is being closed");
    assertThat(collector.metrics())
        .containsEntry("gcBlocksRead", 2L)
        .containsEntry("gcAbortedInARow", 1L);
    assertThat(store.has(refs[1])).isTrue();
  }

  @Test
  void stopsWhileItKeepsToItsRate() throws IOException {
    store.conf.set("hdrf.dedup.gc.rate", "1");
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(4);
    AtomicInteger looks = new AtomicInteger();
    store.blocks.put(1L, new long[] {refs[0]});
    // Each look is made a tenth of a second after the last, were it not for the first ones.
    store.stopping = () -> told.size() == 3 && looks.incrementAndGet() > 9;
    long length = length(refs[0]);
    assertThatThrownBy(() -> collect(collector))
        .isInstanceOf(InterruptedIOException.class)
        .hasMessage("the store is being closed");
    assertThat(length(refs[0])).isEqualTo(length);
    assertThat(collector.metrics()).containsEntry("gcContainersFailed", 0L);
  }

  @Test
  void figuresSayWhyCollectionsWereAborted() throws IOException {
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(2);
    store.afterBlocksWereShown =
        () -> {
          throw new UnreadableBlocksException("7 can't be read", 7, new IOException("damaged"));
        };
    assertThatThrownBy(() -> collect(collector)).hasMessage("7 can't be read");
    store.afterBlocksWereShown =
        () -> {
          throw new IOException("gone");
        };
    assertThatThrownBy(() -> collect(collector)).hasMessage("gone");
    assertThat(collector.metrics())
        .containsEntry("gcAbortedInARow", 2L)
        .containsEntry("gcBlocksUnreadable", 7L);
    store.afterBlocksWereShown = () -> {};
    assertThat(store.has(refs[0])).isTrue();
    assertThat(collect(collector)).containsEntry("chunksDropped", 2L);
    assertThat(collector.metrics())
        .containsEntry("gcAbortedInARow", 0L)
        .containsEntry("gcBlocksUnreadable", 0L);
  }

  /** Otherwise the index would name chunks that are gone. */
  @Test
  void entriesAreTakenOutWhileTheChunksAreThere() throws IOException {
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(4);
    store.index.work(() -> false);
    store.index.work(() -> false);
    store.blocks.put(1L, new long[] {refs[0]});
    List<Boolean> there = new ArrayList<>();
    List<String> operations = new ArrayList<>();
    store.watcher =
        (operation, batch) -> {
          operations.add(operation);
          if (batch != null) {
            assertThat(batch.size()).isEqualTo(3);
            assertThat(batch.changes()).allMatch(change -> change.value() == null);
            there.add(store.has(refs[3]));
          }
        };
    assertThat(collect(collector)).containsEntry("chunksDropped", 3L);
    assertThat(there).containsExactly(true);
    assertThat(store.has(refs[3])).isFalse();
    List<Long> left = new ArrayList<>();
    store.index.forEachEntry(left::add);
    assertThat(left).containsExactly(refs[0]);
    // More was removed than a quarter of what is left.
    assertThat(operations).contains("compact");
  }

  @Test
  void droppedChunksCanNotBeRead() throws IOException {
    GarbageCollector collector = store.collector();
    long[] refs = store.sealed(4);
    store.blocks.put(1L, new long[] {refs[2]});
    collect(collector);
    ByteBuffer dst = ByteBuffer.allocateDirect(CollectedStore.CHUNK);
    store.containers.read(ChunkRef.container(refs[2]), ChunkRef.number(refs[2]), 1, dst);
    assertThat(dst.get(0)).isEqualTo((byte) 3);
    dst.clear();
    assertThatThrownBy(
            () ->
                store.containers.read(
                    ChunkRef.container(refs[3]), ChunkRef.number(refs[3]), 1, dst))
        .isInstanceOf(MissingChunkException.class);
  }
}
