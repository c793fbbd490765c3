/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.LogCapture;
import io.hdrf.metadata.LateStore;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.StoredFrame;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DedupCodecTest {

  private static final int LENGTH = 400_000;

  @TempDir Path directory;

  private final Random random = TestSeed.random("dedup");
  private final Configuration conf = new Configuration(false);
  private final MetadataStore store = DedupVolume.newStore();
  private DedupVolume volume;

  private DedupVolume open(String chain, MetadataStore metadata) throws IOException {
    DedupVolume.setSmall(conf);
    conf.set("hdrf.dedup.container.size", "256k");
    conf.set("hdrf.dedup.gc.live.percent", "95");
    conf.set("hdrf.dedup.dba.capacity", "1000");
    volume = new DedupVolume(directory, conf, LocalDurableFiles.INSTANCE, chain, metadata);
    return volume;
  }

  private void openWithDefaultLiveShare(String chain) throws IOException {
    open(chain, store);
    conf.set("hdrf.dedup.gc.live.percent", "75");
    volume.restart();
  }

  @AfterEach
  void close() throws IOException {
    if (volume != null) {
      volume.close();
    }
  }

  private byte[] block() {
    byte[] block = new byte[LENGTH];
    random.nextBytes(block);
    return block;
  }

  /** A later version of a block: some bytes are inserted, deleted and changed. */
  private byte[] edited(byte[] block, int edits) {
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < edits; i++) {
      places.add(random.nextInt(block.length));
    }
    java.util.Collections.sort(places);
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    int done = 0;
    for (int place : places) {
      out.write(block, done, Math.max(0, place - done));
      done = Math.max(done, place);
      byte[] piece = new byte[random.nextInt(40)];
      random.nextBytes(piece);
      out.write(piece, 0, piece.length);
      done = Math.min(block.length, done + random.nextInt(40));
    }
    out.write(block, done, block.length - done);
    return out.toByteArray();
  }

  @Test
  void storesWhatItHasSeenOnce() throws Exception {
    open("dedup", store);
    byte[] block = block();
    volume.put(1, block, random);
    long first = volume.metric("bytesNew");
    assertThat(first).isEqualTo(LENGTH);
    volume.put(2, block, random);
    assertThat(volume.metric("bytesNew")).isEqualTo(first);
    byte[] version = edited(block, 10);
    volume.put(3, version, random);
    assertThat(volume.metric("bytesNew") - first).isLessThan(LENGTH / 5);
    assertThat(volume.get(1, random)).isEqualTo(block);
    assertThat(volume.get(2, random)).isEqualTo(block);
    assertThat(volume.get(3, random)).isEqualTo(version);
  }

  @Test
  void findsChunksAgainAfterARestart() throws Exception {
    open("dedup,deflate", store);
    byte[] block = block();
    volume.put(1, block, random);
    volume.awaitIndexed();
    volume.restart();
    volume.awaitIndexed();
    volume.put(2, block, random);
    assertThat(volume.metric("bytesNew")).isZero();
    assertThat(volume.metric("indexFoundInStore")).isPositive();
    assertThat(volume.get(1, random)).isEqualTo(block);
    assertThat(volume.get(2, random)).isEqualTo(block);
  }

  @Test
  void indexIsMadeAnewWhereTheStoreIsEmptied() throws Exception {
    open("dedup", store);
    byte[] block = block();
    volume.put(1, block, random);
    volume.awaitIndexed();
    store.clear();
    volume.restart();
    volume.awaitIndexed();
    assertThat(volume.metric("indexRebuilds")).isEqualTo(1);
    volume.awaitIndexed();
    volume.put(2, block, random);
    assertThat(volume.metric("bytesNew")).isZero();
    assertThat(volume.get(2, random)).isEqualTo(block);
  }

  @Test
  void withoutAStoreBlocksAreStoredAllTheSame() throws Exception {
    open("dedup", new LateStore("gone"));
    byte[] block = block();
    volume.put(1, block, random);
    volume.restart();
    volume.put(2, block, random);
    assertThat(volume.metric("indexNotLookedUp")).isPositive();
    assertThat(volume.get(1, random)).isEqualTo(block);
    assertThat(volume.get(2, random)).isEqualTo(block);
  }

  /** Sees calls of a store before the store does, and may fail them. */
  private interface Watcher {
    void called(String operation, Object[] arguments) throws MetadataException;
  }

  private MetadataStore watched(Watcher watcher) {
    return (MetadataStore)
        Proxy.newProxyInstance(
            MetadataStore.class.getClassLoader(),
            new Class<?>[] {MetadataStore.class},
            (proxy, method, arguments) -> {
              watcher.called(method.getName(), arguments);
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** One that is full, one that can't be read, and one that is gone. */
  @ParameterizedTest
  @ValueSource(strings = {"write", "get", ""})
  void blocksAreStoredWhileTheStoreFailsAndIndexedLater(String failing) throws Exception {
    AtomicBoolean fails = new AtomicBoolean();
    MetadataStore watched =
        watched(
            (operation, arguments) -> {
              if (fails.get() && operation.startsWith(failing) && !operation.equals("close")) {
                throw new StoreUnreachableException(operation + " fails");
              }
            });
    open("dedup", watched);
    byte[] known = block();
    volume.put(1, known, random);
    volume.awaitIndexed();
    volume.restart();
    volume.awaitIndexed();
    fails.set(true);
    volume.put(2, known, random);
    byte[] added = block();
    volume.put(3, added, random);
    while (volume.metric("indexFailures") == 0) {
      Thread.sleep(5);
    }
    assertThat(volume.get(2, random)).isEqualTo(known);
    assertThat(volume.get(3, random)).isEqualTo(added);
    fails.set(false);
    volume.awaitIndexed();
    volume.restart();
    volume.awaitIndexed();
    volume.put(4, added, random);
    assertThat(volume.metric("bytesNew")).isZero();
    assertThat(volume.get(4, random)).isEqualTo(added);
  }

  @Test
  void runsAreStoredOnce() throws Exception {
    open("dedup", store);
    volume.put(1, new byte[4 << 20], random);
    assertThat(volume.metric("bytesNew")).isLessThan(64 << 10);
    assertThat(volume.get(1, random)).isEqualTo(new byte[4 << 20]);
  }

  @Test
  void collectsWhatNoBlockNeeds() throws Exception {
    open("dedup", store);
    Map<Long, byte[]> live = new TreeMap<>();
    byte[] version = block();
    for (long id = 0; id < 20; id++) {
      volume.put(id, version, random);
      live.put(id, version);
      version = edited(version, 40);
    }
    volume.restart();
    volume.awaitIndexed();
    long before = volume.storedBytes();
    for (long id = 0; id < 18; id++) {
      volume.delete(id);
      live.remove(id);
    }
    Map<String, Long> result = volume.collect();
    assertThat(result.get("chunksDropped")).isPositive();
    assertThat(result.get("bytesFreed")).isPositive();
    assertThat(volume.storedBytes()).isLessThan(before);
    assertThat(volume.storedBytes()).isLessThan(2 * LENGTH);
    for (Map.Entry<Long, byte[]> block : live.entrySet()) {
      assertThat(volume.get(block.getKey(), random)).isEqualTo(block.getValue());
    }
    volume.restart();
    for (Map.Entry<Long, byte[]> block : live.entrySet()) {
      assertThat(volume.get(block.getKey(), random)).isEqualTo(block.getValue());
    }
    assertThat(volume.collect().get("chunksDropped")).isZero();
  }

  @Test
  void collectsFromAContainerThatIsStillWrittenTo() throws Exception {
    open("dedup", store);
    conf.set("hdrf.dedup.container.size", "8m");
    conf.set("hdrf.dedup.gc.live.percent", "75");
    volume.restart();
    byte[] first = block();
    volume.put(1, first, random);
    byte[] kept = edited(first, 3);
    volume.put(2, kept, random);
    volume.delete(1);
    Map<String, Long> little = volume.collect();
    assertThat(little.get("liveChunks")).isLessThan(little.get("chunks"));
    assertThat(little.get("chunksDropped")).isZero();
    volume.put(3, block(), random);
    volume.delete(3);
    long before = volume.storedBytes();
    Map<String, Long> much = volume.collect();
    assertThat(much.get("containersCompacted")).isEqualTo(1);
    assertThat(volume.storedBytes()).isLessThan(before - LENGTH / 2);
    assertThat(volume.get(2, random)).isEqualTo(kept);
    volume.put(4, kept, random);
    assertThat(volume.get(4, random)).isEqualTo(kept);
  }

  /** Blocks are so small that each container has several. */
  private static final int SMALL = 20_000;

  private byte[] smallBlock(boolean text) {
    byte[] block = new byte[SMALL];
    random.nextBytes(block);
    for (int i = 0; text && i < block.length; i++) {
      block[i] = (byte) ('a' + (block[i] & 1));
    }
    return block;
  }

  /** Returns the space that blocks take on a separate volume, below this one's directory. */
  private long storedAlone(Map<Long, byte[]> blocks, String chain) throws Exception {
    MetadataStore absent = new LateStore("gone");
    try (DedupVolume alone =
        new DedupVolume(
            directory.resolve("alone"), conf, LocalDurableFiles.INSTANCE, chain, absent)) {
      for (Map.Entry<Long, byte[]> block : blocks.entrySet()) {
        alone.put(block.getKey(), block.getValue(), random);
      }
      alone.restart();
      return alone.storedBytes();
    }
  }

  @Test
  void whatACollectionLeavesStaysBelowTheShareThatMayBeWasted() throws Exception {
    openWithDefaultLiveShare("dedup");
    Map<Long, byte[]> live = new TreeMap<>();
    for (long id = 0; id < 200; id++) {
      byte[] block = smallBlock(false);
      volume.put(id, block, random);
      live.put(id, block);
    }
    volume.restart();
    for (long id = 0; id < 200; id++) {
      // Of some containers more than a quarter is wasted then, of others less.
      if (random.nextInt(100) < 25) {
        volume.delete(id);
        live.remove(id);
      }
    }
    Map<String, Long> result = volume.collect();
    assertThat(result.get("containersCompacted")).isPositive();
    assertThat(result.get("liveChunks")).isLessThan(result.get("chunks"));
    long left = volume.storedBytes();
    long needed = storedAlone(live, "dedup");
    assertThat(left).isGreaterThan(needed + SMALL);
    assertThat(needed).isGreaterThan(left * 75 / 100);
    for (Map.Entry<Long, byte[]> block : live.entrySet()) {
      assertThat(volume.get(block.getKey(), random)).isEqualTo(block.getValue());
    }
  }

  @Test
  void whatIsWastedIsCountedAsItIsStored() throws Exception {
    openWithDefaultLiveShare("dedup,deflate");
    Map<Long, byte[]> live = new TreeMap<>();
    for (long id = 0; id < 100; id++) {
      // A fifth of the bytes, and more than half of what is stored.
      boolean text = id % 5 > 0;
      byte[] block = smallBlock(text);
      volume.put(id, block, random);
      if (text) {
        live.put(id, block);
      }
    }
    volume.restart();
    for (long id = 0; id < 100; id += 5) {
      volume.delete(id);
    }
    assertThat(volume.collect().get("containersCompacted")).isPositive();
    long left = volume.storedBytes();
    assertThat(storedAlone(live, "dedup,deflate")).isGreaterThan(left * 75 / 100);
    for (Map.Entry<Long, byte[]> block : live.entrySet()) {
      assertThat(volume.get(block.getKey(), random)).isEqualTo(block.getValue());
    }
  }

  @Test
  void runsOfAFrameAreOnTheirWayBeforeTheyAreRead() throws Exception {
    open("dedup,deflate", store);
    byte[] first = block();
    volume.put(1, first, random);
    volume.awaitIndexed();
    byte[] second = edited(first, 40);
    volume.put(2, second, random);
    volume.awaitIndexed();
    byte[] last = edited(second, 40);
    volume.put(3, last, random);
    assertThat(volume.metric("recipeRuns")).isGreaterThan(60);
    volume.restart();
    assertThat(volume.metric("runsPrefetched")).isZero();
    assertThat(volume.get(3, random)).isEqualTo(last);
    assertThat(volume.metric("runsPrefetched")).isPositive();
  }

  @Test
  void nothingIsCollectedThatABlockInWorkRefersTo() throws Exception {
    open("dedup", store);
    Map<Long, byte[]> versions = new TreeMap<>();
    byte[] version = block();
    for (long id = 0; id < 8; id++) {
      versions.put(id, version);
      version = edited(version, 20);
    }
    ExecutorService pool = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int t = 0; t < 2; t++) {
        long base = 100L * t;
        writers.add(
            pool.submit(
                () -> {
                  ThreadLocalRandom mine = ThreadLocalRandom.current();
                  for (int i = 0; i < 150; i++) {
                    long id = mine.nextLong(8);
                    volume.put(base + id, versions.get(id), new Random(i));
                    assertThat(volume.get(base + id, new Random(i))).isEqualTo(versions.get(id));
                    volume.delete(base + mine.nextLong(8));
                  }
                  return null;
                }));
      }
      long cycles = 0;
      while (writers.stream().anyMatch(writer -> !writer.isDone())) {
        volume.collect();
        cycles++;
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
      assertThat(cycles).isPositive();
      assertThat(volume.metric("gcChunksDropped")).isPositive();
      for (long id : volume.blocks().keySet()) {
        assertThat(volume.get(id, random)).isEqualTo(versions.get(id % 100));
      }
    } finally {
      pool.shutdownNow();
    }
  }

  /** A sealed container whose chunks no block needs any more. */
  private byte[] unneeded() throws Exception {
    byte[] block = block();
    volume.put(1, block, random);
    volume.restart();
    volume.awaitIndexed();
    volume.delete(1);
    return block;
  }

  private void putUnchecked(long id, byte[] block) {
    try {
      volume.put(id, block, random);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void chunkThatIsFoundAfterTheBlocksWereReadStays() throws Exception {
    open("dedup", store);
    byte[] block = unneeded();
    int[] cycles = {0};
    volume.afterBlocksWereShown(
        () -> {
          cycles[0]++;
          if (cycles[0] == 2) {
            putUnchecked(2, block);
          }
        });
    assertThat(volume.collect().get("chunksDropped")).isZero();
    assertThat(volume.metric("bytesNew")).isZero();
    assertThat(volume.get(2, random)).isEqualTo(block);
  }

  @Test
  void frequentCollectionsDoNotKeepChunksFromGrowingOld() throws Exception {
    open("dedup", store);
    conf.setInt("hdrf.dedup.gc.min.age", 1);
    unneeded();
    long dropped = 0;
    for (int i = 0; i < 60 && dropped == 0; i++) {
      dropped = volume.collect().get("chunksDropped");
      Thread.sleep(200);
    }
    assertThat(dropped).isPositive();
  }

  @Test
  void blockThatIsNotInPlaceYetIsWaitedFor() throws Exception {
    open("dedup", store);
    byte[] block = unneeded();
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      Future<Map<String, Long>> collection;
      try (Pin pin = volume.pin()) {
        List<StoredFrame> frames = volume.encode(block, random);
        collection = pool.submit(() -> volume.collect());
        assertThatThrownBy(() -> collection.get(300, TimeUnit.MILLISECONDS))
            .isInstanceOf(TimeoutException.class);
        volume.putInPlace(2, frames);
      }
      assertThat(collection.get().get("chunksDropped")).isZero();
      assertThat(volume.get(2, random)).isEqualTo(block);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void condemnedChunkIsStoredAnew() throws Exception {
    Runnable[] onRemoval = {() -> {}};
    MetadataStore watched =
        watched(
            (operation, arguments) -> {
              if (operation.equals("write")
                  && ((StoreBatch) arguments[0])
                      .changes().stream().anyMatch(change -> change.value() == null)) {
                onRemoval[0].run();
              }
            });
    open("dedup", watched);
    byte[] block = unneeded();
    boolean[] done = {false};
    onRemoval[0] =
        () -> {
          if (!done[0]) {
            done[0] = true;
            putUnchecked(2, block);
          }
        };
    assertThat(volume.collect().get("chunksDropped")).isPositive();
    assertThat(done[0]).isTrue();
    assertThat(volume.metric("bytesNew")).isPositive();
    assertThat(volume.get(2, random)).isEqualTo(block);
  }

  @Test
  void damagedChunkIsReportedAndNotReferredToAgain() throws Exception {
    open("dedup", store);
    byte[] block = block();
    volume.put(1, block, random);
    volume.awaitIndexed();
    volume.close();
    try (Stream<Path> files = Files.walk(directory)) {
      Path container =
          files.filter(f -> f.toString().endsWith(".hdc")).sorted().findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(container);
      bytes[bytes.length / 3] ^= 1;
      Files.write(container, bytes);
    }
    Map<Long, List<StoredFrame>> blocks = volume.blocks();
    volume = new DedupVolume(directory, conf, LocalDurableFiles.INSTANCE, "dedup", store, blocks);
    volume.awaitIndexed();
    assertThatThrownBy(() -> volume.get(1, random)).isInstanceOf(CorruptFrameException.class);
    assertThat(volume.metric("damagedReads")).isPositive();
    volume.put(2, block, random);
    assertThat(volume.get(2, random)).isEqualTo(block);
  }

  @Test
  void checkFindsReferencesToWhatIsGone() throws Exception {
    open("dedup", store);
    volume.put(1, block(), random);
    volume.restart();
    volume.put(2, new byte[5000], random);
    List<String> problems = new ArrayList<>();
    Map<String, Long> sound = volume.dedup().check(problems::add);
    assertThat(sound).containsEntry("blocks", 2L).containsEntry("missing", 0L);
    assertThat(sound.get("references")).isGreaterThan(100);
    assertThat(sound).containsEntry("unreferenced", 0L);
    assertThat(problems).isEmpty();
    volume.close();
    try (Stream<Path> files = Files.walk(directory)) {
      Files.delete(
          files.filter(f -> f.toString().endsWith(".hdc")).sorted().findFirst().orElseThrow());
    }
    Map<Long, List<StoredFrame>> blocks = volume.blocks();
    volume = new DedupVolume(directory, conf, LocalDurableFiles.INSTANCE, "dedup", store, blocks);
    assertThat(volume.dedup().check(problems::add).get("missing")).isPositive();
    assertThat(problems).filteredOn(problem -> problem.startsWith("blk_")).hasSize(1);
    assertThat(problems.get(0)).contains("blk_1 needs chunk");
  }

  @Test
  void checkCountsChunksThatNoBlockRefersTo() throws Exception {
    open("dedup", store);
    byte[] block = block();
    volume.put(1, block, random);
    long chunks = volume.metric("chunksNew");
    volume.put(2, edited(block, 10), random);
    long added = volume.metric("chunksNew") - chunks;
    List<String> problems = new ArrayList<>();
    assertThat(volume.dedup().check(problems::add)).containsEntry("unreferenced", 0L);
    volume.delete(2);
    assertThat(volume.dedup().check(problems::add)).containsEntry("unreferenced", added);
    volume.restart();
    assertThat(volume.dedup().check(problems::add)).containsEntry("unreferenced", added);
    volume.delete(1);
    assertThat(volume.dedup().check(problems::add))
        .containsEntry("unreferenced", chunks + added)
        .containsEntry("missing", 0L);
    assertThat(problems).isEmpty();
  }

  @Test
  void workThatTakesLongEndsWhenTheVolumeLeaves() throws Exception {
    open("dedup", store);
    byte[] block = block();
    volume.put(1, block, random);
    volume.dedup().leave();
    assertThatThrownBy(() -> volume.dedup().check(problem -> {}))
        .isInstanceOf(InterruptedIOException.class);
    assertThatThrownBy(() -> volume.collect()).isInstanceOf(InterruptedIOException.class);
    assertThat(volume.get(1, random)).isEqualTo(block);
  }

  /** More than a turn of the threads in the background. */
  private static void letThreadsTurn() throws InterruptedException {
    Thread.sleep(2500);
  }

  @Test
  void theIndexRestsWhenTheVolumeLeaves() throws Exception {
    conf.set("hdrf.dedup.index.sample", "1");
    open("dedup", store);
    volume.awaitIndexed();
    volume.dedup().leave();
    byte[] block = block();
    volume.put(1, block, random);
    letThreadsTurn();
    assertThat(volume.metric("indexPending")).isPositive();
    volume.restart();
    volume.awaitIndexed();
    volume.put(2, block, random);
    assertThat(volume.metric("bytesNew")).isZero();
  }

  @Test
  void basesAreNotReadAnyMoreWhenTheVolumeLeaves() throws Exception {
    conf.set("hdrf.dedup.delta", "on");
    open("dedup", store);
    volume.put(1, block(), random);
    OlderBases bases;
    do {
      volume.restart();
      volume.dedup().leave();
      bases = ((DedupCodec) volume.dedup()).olderBases;
      // A step may be under way.
      Thread.sleep(100);
    } while (bases.isDone());
    letThreadsTurn();
    assertThat(bases.isDone()).isFalse();
  }

  @Test
  void collectionsEndSilentlyWhenTheVolumeLeaves() throws Exception {
    open("dedup", store);
    volume.put(1, block(), random);
    CountDownLatch left = new CountDownLatch(1);
    volume.afterBlocksWereShown(
        () -> {
          volume.dedup().leave();
          left.countDown();
        });
    conf.set("hdrf.dedup.gc.interval", "1");
    try (LogCapture warnings = new LogCapture(Level.WARN)) {
      volume.restart();
      left.await();
      letThreadsTurn();
      assertThat(warnings.all()).doesNotContain("Nothing is collected");
    }
    // The thread is there again with the next start.
    volume.afterBlocksWereShown(() -> {});
    volume.restart();
    volume.put(2, block(), random);
    long before = volume.metric("gcBlocksRead");
    while (volume.metric("gcBlocksRead") == before) {
      Thread.sleep(10);
    }
  }

  @Test
  void checkFindsEntriesOfWhatIsGone() throws Exception {
    conf.set("hdrf.dedup.index.sample", "1");
    open("dedup", store);
    volume.awaitIndexed();
    byte[] block = new byte[2 * LENGTH];
    random.nextBytes(block);
    volume.put(1, block, random);
    volume.put(2, Arrays.copyOf(block, LENGTH / 4), random);
    long chunks = volume.metric("chunksNew");
    volume.restart();
    volume.awaitIndexed();
    volume.put(3, block(), random);
    volume.awaitIndexed();
    chunks += volume.metric("chunksNew");
    List<String> problems = new ArrayList<>();
    assertThat(volume.dedup().check(problems::add))
        .containsEntry("indexEntries", chunks)
        .containsEntry("staleEntries", 0L);
    StoreBatch all = new StoreBatch();
    store.scan(
        Table.CHUNKS,
        new byte[0],
        (key, value) -> {
          all.put(Table.CHUNKS, key, value);
          return true;
        });
    volume.delete(1);
    Map<String, Long> collected = volume.collect();
    assertThat(collected.get("containersDeleted")).isPositive();
    assertThat(collected.get("containersCompacted")).isPositive();
    long left = volume.dedup().check(problems::add).get("indexEntries");
    assertThat(left).isLessThan(chunks);
    assertThat(problems).isEmpty();
    // A store that was restored from before the collection.
    store.write(all);
    assertThat(volume.dedup().check(problems::add))
        .containsEntry("indexEntries", chunks)
        .containsEntry("staleEntries", chunks - left)
        .containsEntry("missing", 0L);
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0)).contains((chunks - left) + " entries", "rebuild-metadata");
  }

  @Test
  void checkSaysThatTheIndexCanNotBeRead() throws Exception {
    open("dedup", new LateStore("gone"));
    volume.put(1, block(), random);
    List<String> problems = new ArrayList<>();
    assertThat(volume.dedup().check(problems::add))
        .containsEntry("missing", 0L)
        .containsEntry("unreferenced", 0L)
        .doesNotContainKey("staleEntries");
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0)).contains("the index can't be read", "gone");
  }

  /** As at each start of a DataNode. */
  @Test
  void nothingIsWarnedOfWhileNoStoreIsOpenYet() throws Exception {
    try (LogCapture warnings = new LogCapture(Level.WARN)) {
      open("dedup", new LateStore("no metadata store is open yet"));
      volume.put(1, block(), random);
      while (volume.metric("indexFailures") < 1) {
        Thread.sleep(10);
      }
      assertThat(warnings.all()).isEmpty();
    }
  }

  @Test
  void sha1IsWarnedOf() throws Exception {
    open("dedup", store);
    for (boolean sha1 : new boolean[] {false, true}) {
      conf.set("hdrf.dedup.fingerprint", sha1 ? "SHA1" : "sha256");
      try (LogCapture warnings = new LogCapture(Level.WARN)) {
        volume.restart();
        assertThat(warnings.all().contains("hdrf.dedup.fingerprint is sha1")).isEqualTo(sha1);
      }
    }
  }

  /** So that the id of one that was lost meanwhile is not given to another one. */
  @Test
  void containerIdsGoOnWhereTheClockWasSetBack() throws Exception {
    open("dedup", store);
    volume.put(1, block(), random);
    Path containers;
    try (Stream<Path> tree = Files.walk(directory)) {
      containers = tree.filter(path -> path.endsWith(DedupCodec.CONTAINERS)).findAny().get();
    }
    long before = newest(containers);
    long millis = System.currentTimeMillis() + TimeUnit.DAYS.toMillis(1);
    volume.restart();
    Files.setLastModifiedTime(containers, FileTime.fromMillis(millis));
    volume.restart();
    volume.put(2, block(), random);
    // At least one for a tenth of a second.
    assertThat(newest(containers) - before).isGreaterThan(TimeUnit.DAYS.toSeconds(1) * 10);
  }

  private static long newest(Path containers) throws IOException {
    try (Stream<Path> files = Files.list(containers)) {
      return files
          .mapToLong(file -> Long.parseLong(file.getFileName().toString().substring(0, 12), 16))
          .max()
          .getAsLong();
    }
  }
}
