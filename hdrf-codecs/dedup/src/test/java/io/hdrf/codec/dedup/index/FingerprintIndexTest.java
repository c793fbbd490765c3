/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static io.hdrf.codec.dedup.IndexedContainers.CHUNK;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.IndexedContainers;
import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.ContainerSettings;
import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreFullException;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An index that the test maintains itself. */
class FingerprintIndexTest {

  @TempDir(factory = InMemory.class)
  Path directory;

  private IndexedContainers store;

  @BeforeEach
  void open() throws IOException {
    store = new IndexedContainers(directory);
  }

  @AfterEach
  void close() throws IOException {
    store.watcher = (operation, batch) -> {};
    store.close();
  }

  private void work() {
    store.index.work(() -> false);
  }

  private long metric(String name) {
    return store.index.metrics().get(name);
  }

  private static byte[] names(int first, int count) {
    byte[] names = new byte[count * Fingerprinter.LENGTH];
    for (int i = 0; i < count; i++) {
      System.arraycopy(
          IndexedContainers.name(first + i),
          0,
          names,
          i * Fingerprinter.LENGTH,
          Fingerprinter.LENGTH);
    }
    return names;
  }

  private static long[] find(IndexLookup indexLookup, int first, int count) {
    long[] found = new long[count];
    indexLookup.find(names(first, count), count, found);
    return found;
  }

  private static final long[] NONE_OF_FOUR = {-1, -1, -1, -1};

  /** Closes the index and opens another on the same containers and store: its cache is empty. */
  private FingerprintIndex another(IndexSettings settings) throws IOException {
    FingerprintIndex index =
        new FingerprintIndex(
            store.watched,
            store.containers,
            store.chunkPins,
            directory.resolve("index"),
            store.files,
            settings);
    index.work(() -> false);
    return index;
  }

  private List<Long> entries() throws IOException {
    List<Long> refs = new ArrayList<>();
    store.index.forEachEntry(refs::add);
    return refs;
  }

  private void fail(String operation) {
    store.watcher =
        (called, batch) -> {
          if (called.equals(operation)) {
            throw new StoreUnreachableException("gone");
          }
        };
  }

  @Test
  void whatIsPublishedIsFoundAtOnceAndWrittenLater() throws IOException {
    work();
    long[] refs = store.open(4);
    IndexLookup indexLookup = store.index.newLookup();
    assertThat(find(indexLookup, 1, 4)).isEqualTo(refs);
    assertThat(metric("indexFoundInCache")).isEqualTo(4);
    assertThat(store.index.pending()).isEqualTo(4);
    assertThat(metric("indexPending")).isEqualTo(4);
    assertThat(entries()).isEmpty();
    work();
    assertThat(store.index.pending()).isZero();
    assertThat(entries()).containsExactlyInAnyOrder(refs[0], refs[1], refs[2], refs[3]);
    assertThat(metric("indexEntriesWritten")).isEqualTo(4);
    assertThat(find(indexLookup, 5, 4)).isEqualTo(NONE_OF_FOUR);
    assertThat(metric("indexNewByFilters") + metric("indexNewByStore")).isEqualTo(4);
  }

  /** As a chunk that is kept as a difference, once the container was recovered after a crash. */
  @Test
  void aChunkWithoutANameGetsNoEntry() throws IOException {
    Path recovered = Files.createDirectories(directory.resolve("recovered").resolve("containers"));
    long whole;
    try (ChunkAppender appender = store.appender()) {
      whole = store.append(appender, 1)[0];
      appender.appendDifference(
          IndexedContainers.name(2), 0, ByteBuffer.allocateDirect(9), CHUNK, whole);
      appender.force();
      try (DirectoryStream<Path> open = Files.newDirectoryStream(directory.resolve("containers"))) {
        for (Path file : open) {
          Files.copy(file, recovered.resolve(file.getFileName()));
        }
      }
    }
    close();
    store = new IndexedContainers(recovered.getParent());
    work();
    assertThat(store.containers.directory(0).chunkCount()).isEqualTo(2);
    assertThat(entries()).containsExactly(whole);
  }

  @Test
  void untilTheStoreWasReachedNothingIsLookedUp() throws IOException {
    IndexLookup indexLookup = store.index.newLookup();
    assertThat(find(indexLookup, 1, 4)).isEqualTo(NONE_OF_FOUR);
    assertThat(metric("indexNotLookedUp")).isEqualTo(4);
    assertThat(store.index.metrics()).doesNotContainKey("dbaQueries");
    work();
    assertThat(find(indexLookup, 1, 4)).isEqualTo(NONE_OF_FOUR);
    assertThat(metric("indexNotLookedUp")).isEqualTo(4);
    assertThat(store.index.metrics()).containsKey("dbaQueries");
  }

  @Test
  void oneEntryFindsItsNeighbours() throws IOException {
    work();
    long[] refs = store.sealed(4);
    work();
    store.index.close();
    FingerprintIndex index = another(IndexSettings.from(store.dedup()));
    IndexLookup indexLookup = index.newLookup();
    assertThat(find(indexLookup, 1, 4)).isEqualTo(refs);
    assertThat(index.metrics())
        .containsEntry("indexFoundInStore", 4L)
        .containsEntry("indexKeysRead", 4L)
        .containsEntry("indexUnconfirmed", 0L);
    // Remembered in the cache.
    assertThat(find(index.newLookup(), 1, 4)).isEqualTo(refs);
    assertThat(index.metrics()).containsEntry("indexFoundInCache", 4L);
    index.close();
  }

  @Test
  void neighboursOfWhatTheStoreNamesAreFound() throws Exception {
    store.close();
    Configuration conf = new Configuration(false);
    conf.set("hdrf.dedup.index.sample", "4");
    store = new IndexedContainers(directory.resolve("sampled"), conf);
    work();
    long[] refs = store.sealed(8);
    work();
    assertThat(entries()).containsExactlyInAnyOrder(refs[0], refs[4]);
    store.index.close();
    FingerprintIndex index =
        new FingerprintIndex(
            store.watched,
            store.containers,
            store.chunkPins,
            directory.resolve("sampled").resolve("index"),
            store.files,
            IndexSettings.from(store.dedup()));
    index.work(() -> false);
    assertThat(find(index.newLookup(), 1, 8)).isEqualTo(refs);
    assertThat(index.metrics())
        .containsEntry("indexFoundInStore", 2L)
        .containsEntry("indexFoundBeside", 6L)
        .containsEntry("indexNewByStore", 0L)
        .containsEntry("indexNewByFilters", 0L);
    index.close();
  }

  @Test
  void whatIsCondemnedIsNotFound() throws IOException {
    long[] refs = store.open(4);
    BitSet last = new BitSet();
    last.set(ChunkRef.number(refs[3]));
    store.chunkPins.begin(0, Long.MAX_VALUE).condemn(ChunkRef.container(refs[3]), last, last, true);
    assertThat(find(store.index.newLookup(), 1, 4)).containsExactly(refs[0], refs[1], refs[2], -1);
    store.chunkPins.end();
  }

  @Test
  void whatTheStoreNamesWronglyIsNotBelieved() throws IOException {
    work();
    long[] refs = store.sealed(2);
    // Each is said to be where the other one is, and one to be nowhere. Of the cache only the
    // container counts, where both are found.
    store.index.publish(names(1, 3), new long[] {refs[1], refs[0], refs[1] + 5}, 3);
    assertThat(find(store.index.newLookup(), 1, 3)).containsExactly(refs[0], refs[1], -1);
    work();
    store.index.close();
    FingerprintIndex index = another(IndexSettings.from(store.dedup()));
    assertThat(find(index.newLookup(), 3, 1)).containsExactly(-1);
    assertThat(index.metrics())
        .containsEntry("indexUnconfirmed", 1L)
        .containsEntry("indexNewByStore", 1L)
        .containsEntry("indexNewByFilters", 0L);
    index.close();
  }

  @Test
  void aStoreThatFailsIsLeftAlone() throws IOException {
    work();
    store.sealed(4);
    work();
    store.index.close();
    FingerprintIndex index = another(IndexSettings.from(store.dedup()));
    List<String> operations = new ArrayList<>();
    store.watcher =
        (operation, batch) -> {
          operations.add(operation);
          throw new StoreUnreachableException("gone");
        };
    IndexLookup indexLookup = index.newLookup();
    for (int i = 1; i < 3; i++) {
      assertThat(find(indexLookup, 1, 4)).isEqualTo(NONE_OF_FOUR);
      assertThat(index.metrics())
          .containsEntry("indexNotLookedUp", 4L * i)
          .containsEntry("indexFailures", 1L);
      index.work(() -> false);
      index.reclaim();
      index.remove(0, new BitSet());
    }
    assertThat(operations).containsExactly("get");
    index.close();
  }

  @Test
  void entriesWaitWhileTheStoreCanNotBeReached() throws IOException {
    work();
    store.open(4);
    fail("write");
    work();
    assertThat(store.index.pending()).isEqualTo(4);
    assertThat(metric("indexFailures")).isEqualTo(1);
    assertThat(entries()).isEmpty();
  }

  @Test
  void whatWaitsIsWrittenAtTheEnd() throws IOException {
    work();
    long[] refs = store.open(3);
    store.index.close();
    assertThat(entries()).containsExactlyInAnyOrder(refs[0], refs[1], refs[2]);
    assertThat(store.index.pending()).isZero();
    assertThat(find(store.index.newLookup(), 7, 1)).containsExactly(-1);
    assertThat(metric("indexNotLookedUp")).isEqualTo(1);
  }

  @Test
  void theEndDoesNotFailWithTheStore() throws IOException {
    work();
    store.open(3);
    fail("write");
    store.index.close();
    assertThat(store.index.pending()).isZero();
    assertThat(entries()).isEmpty();
  }

  @Test
  void removesEntriesOfManyChunksAndNoOthers() throws IOException {
    work();
    long[] refs = store.sealed(2100);
    long[] other = store.open(2);
    work();
    assertThat(entries()).hasSize(2102);
    BitSet numbers = new BitSet();
    for (int i = 1; i < 2100; i++) {
      numbers.set(ChunkRef.number(refs[i]));
    }
    // What another container has by that name stays.
    store.index.publish(names(5, 1), new long[] {other[0]}, 1);
    work();
    store.index.remove(ChunkRef.container(refs[0]), numbers);
    assertThat(new TreeSet<>(entries())).containsExactly(refs[0], other[0], other[1]);
    assertThat(metric("indexEntriesRemoved")).isBetween(2098L, 2099L);
    List<String> operations = new ArrayList<>();
    store.watcher = (operation, batch) -> operations.add(operation);
    store.index.reclaim();
    assertThat(operations).containsExactly("estimatedCount", "compact");
    store.index.reclaim();
    assertThat(operations).hasSize(2);
  }

  @Test
  void roomIsReclaimedOnceAQuarterOfWhatIsLeftWasRemoved() throws IOException {
    work();
    long[] refs = store.sealed(10);
    work();
    List<String> operations = new ArrayList<>();
    store.watcher = (operation, batch) -> operations.add(operation);
    BitSet one = new BitSet();
    one.set(ChunkRef.number(refs[0]));
    store.index.remove(ChunkRef.container(refs[0]), one);
    store.index.reclaim();
    assertThat(operations).contains("estimatedCount").doesNotContain("compact");
    BitSet next = new BitSet();
    next.set(ChunkRef.number(refs[1]));
    store.index.remove(ChunkRef.container(refs[0]), next);
    operations.clear();
    store.index.reclaim();
    assertThat(operations).containsExactly("estimatedCount", "compact");
    assertThat(store.map.estimatedCount(Table.CHUNKS)).isEqualTo(8);
  }

  @Test
  void whatCameWhileTooManyWaitedIsReadFromItsContainer() throws IOException {
    work();
    byte[] names = new byte[1024 * Fingerprinter.LENGTH];
    for (int i = 0; i < (1 << 18) / 1024; i++) {
      store.index.publish(names, new long[1024], 1024);
    }
    assertThat(store.index.pending()).isEqualTo(1 << 18);
    long[] refs = store.sealed(3);
    assertThat(metric("indexEntriesDropped")).isEqualTo(3);
    assertThat(store.index.pending()).isEqualTo(1 << 18);
    work();
    assertThat(store.index.pending()).isZero();
    assertThat(entries()).contains(refs[0], refs[1], refs[2]);
  }

  @Test
  void anIndexThatWasEmptiedIsMadeAnew() throws IOException {
    work();
    long[] refs = store.sealed(3);
    work();
    store.map.clear();
    assertThat(entries()).isEmpty();
    // Its containers have it as well.
    long[] later = store.open(1);
    work();
    assertThat(metric("indexRebuilds")).isEqualTo(2);
    assertThat(entries()).containsExactlyInAnyOrder(refs[0], refs[1], refs[2], later[0]);
    assertThat(store.index.pending()).isZero();
    work();
    assertThat(metric("indexRebuilds")).isEqualTo(2);
  }

  @Test
  void aStopLeavesTheRestForLater() throws IOException {
    long[] refs = store.sealed(3);
    store.index.work(() -> true);
    assertThat(entries()).isEmpty();
    work();
    assertThat(entries()).containsExactlyInAnyOrder(refs[0], refs[1], refs[2]);
    store.open(2);
    store.index.work(() -> true);
    assertThat(store.index.pending()).isEqualTo(2);
    work();
    assertThat(store.index.pending()).isZero();
  }

  /** What was there before belongs to entries that are gone. */
  @Test
  void filtersOfAnIndexThatIsMadeAnewAreDeletedAndItsDirectoryForced() throws IOException {
    work();
    store.sealed(3);
    work();
    store.index.close();
    store.map.clear();
    Path filters = directory.resolve("index");
    Files.createDirectories(filters);
    Path left = Files.write(filters.resolve("left"), new byte[1]);
    List<Path> forced = new ArrayList<>();
    ForwardingFiles files =
        new ForwardingFiles(LocalDurableFiles.INSTANCE) {
          @Override
          public void forceDirectory(Path forcedDirectory) throws IOException {
            if (!Files.exists(left)) {
              forced.add(forcedDirectory);
            }
            super.forceDirectory(forcedDirectory);
          }
        };
    try (FingerprintIndex index =
        new FingerprintIndex(
            store.watched,
            store.containers,
            store.chunkPins,
            filters,
            files,
            IndexSettings.from(store.dedup()))) {
      store.watcher =
          (operation, batch) -> {
            if (operation.equals("write") && !Files.exists(left)) {
              assertThat(forced).as("before the store is written to").contains(filters);
            }
          };
      index.work(() -> false);
      assertThat(left).doesNotExist();
      assertThat(forced).contains(filters);
      assertThat(entries()).hasSize(3);
    }
  }

  /** Waiting entries come from containers read again; a store out of reach is not asked. */
  @Test
  void theEndLeavesAStoreAloneThatIsAway() throws IOException {
    work();
    store.open(3);
    fail("write");
    work();
    List<String> operations = new ArrayList<>();
    store.watcher = (operation, batch) -> operations.add(operation);
    store.index.close();
    assertThat(operations).isEmpty();
    assertThat(store.index.pending()).isZero();
  }

  /** As a Redis that may not evict anything, and has no memory left. */
  @Test
  void aStoreThatIsFullIsReadOn() throws IOException {
    work();
    long[] refs = store.sealed(4);
    work();
    store.index.close();
    FingerprintIndex index =
        new FingerprintIndex(
            store.watched,
            store.containers,
            store.chunkPins,
            directory.resolve("index"),
            store.files,
            IndexSettings.from(store.dedup()),
            () -> 0);
    index.work(() -> false);
    AtomicInteger writes = new AtomicInteger();
    store.watcher =
        (operation, batch) -> {
          if (operation.equals("write")) {
            writes.incrementAndGet();
            throw new StoreFullException("OOM");
          }
        };
    index.publish(names(100, 1), refs, 1);
    index.work(() -> false);
    index.work(() -> false);
    assertThat(writes).as("attempts, as no time passes").hasValue(1);
    assertThat(find(index.newLookup(), 1, 4)).isEqualTo(refs);
    assertThat(index.metrics())
        .containsEntry("indexFoundInStore", 4L)
        .containsEntry("indexNotLookedUp", 0L)
        .containsEntry("indexFailures", 1L)
        .containsEntry("indexPending", 1L);
    index.close();
    assertThat(writes).as("nor at the end").hasValue(1);
  }

  /** It refuses each transaction, but frees room by single deletes. */
  @Test
  void entriesAreRemovedFromAStoreThatIsFull() throws IOException {
    work();
    long[] refs = store.sealed(20);
    work();
    store.watcher =
        (operation, batch) -> {
          if (operation.equals("write")
              && (batch.size() > 1 || batch.changes().get(0).value() != null)) {
            throw new StoreFullException("OOM");
          }
        };
    store.open(1);
    work();
    BitSet numbers = new BitSet();
    for (int i = 1; i < 20; i++) {
      numbers.set(ChunkRef.number(refs[i]));
    }
    store.index.remove(ChunkRef.container(refs[0]), numbers);
    assertThat(entries()).containsExactly(refs[0]);
    assertThat(metric("indexEntriesRemoved")).isEqualTo(19);
    // So is all that an index in memory leaves behind.
    assertThat(new StoredSegments(store.watched).deleteEntries(new byte[0], 100)).isEqualTo(1);
    new CompleteMark(store.watched, 1).remove();
    assertThat(new CompleteMark(store.map, 1).isSet()).isFalse();
  }

  private long upto() throws IOException {
    return new CompleteMark(store.map, 1).upto();
  }

  private void delete(Table table) throws IOException {
    List<byte[]> keys = new ArrayList<>();
    store.map.scan(table, new byte[0], (key, value) -> keys.add(key.clone()));
    for (byte[] key : keys) {
      store.map.write(new StoreBatch().delete(table, key));
    }
  }

  private List<StoreBatch> copyOfStore() throws IOException {
    List<StoreBatch> copy = new ArrayList<>();
    for (Table table : List.of(Table.STATE, Table.CHUNKS)) {
      store.map.scan(
          table,
          new byte[0],
          (key, value) -> copy.add(new StoreBatch().put(table, key.clone(), value.clone())));
    }
    return copy;
  }

  private void putBack(List<StoreBatch> copy) throws IOException {
    delete(Table.STATE);
    delete(Table.CHUNKS);
    for (StoreBatch entry : copy) {
      store.map.write(entry);
    }
  }

  @Test
  void whatWaitedAtTheEndIsReadFromItsContainerAtTheNextStart() throws IOException {
    work();
    long[] refs = store.sealed(4);
    fail("write");
    work();
    store.index.close();
    assertThat(entries()).isEmpty();
    store.watcher = (operation, batch) -> {};
    FingerprintIndex index = another(IndexSettings.from(store.dedup()));
    assertThat(find(index.newLookup(), 1, 4)).isEqualTo(refs);
    assertThat(entries()).hasSize(4);
    assertThat(index.metrics()).containsEntry("indexRebuilds", 0L);
    index.close();
  }

  @Test
  void whatWaitedWhenTheProcessWasKilledIsReadFromItsContainer() throws IOException {
    work();
    long[] first = store.sealed(2);
    long[] second = store.open(2);
    work();
    assertThat(upto()).as("others may append to the second").isEqualTo(0);
    assertThat(entries()).hasSize(4);
    store.containers.sealIdle(ChunkRef.container(second[0]));
    work();
    assertThat(upto()).isEqualTo(1);
    delete(Table.CHUNKS);
    long[] third = store.open(2);
    assertThat(store.index.pending()).isEqualTo(2);
    FingerprintIndex index = another(IndexSettings.from(store.dedup()));
    assertThat(entries()).as("of no others").containsExactlyInAnyOrder(third[0], third[1]);
    assertThat(first).isNotEmpty();
    index.close();
  }

  @Test
  void whatWasMissedIsReadOnFromWhereTheLastProcessEnded() throws IOException {
    work();
    for (int i = 0; i < 20; i++) {
      store.sealed(1);
    }
    fail("write");
    work();
    store.index.close();
    AtomicInteger written = new AtomicInteger();
    store.watcher =
        (operation, batch) -> {
          if (operation.equals("write") && batch.changes().get(0).table() == Table.CHUNKS) {
            written.incrementAndGet();
          }
        };
    FingerprintIndex index =
        new FingerprintIndex(
            store.watched,
            store.containers,
            store.chunkPins,
            directory.resolve("index"),
            store.files,
            IndexSettings.from(store.dedup()));
    index.work(() -> written.get() >= 10);
    assertThat(upto()).isBetween(7L, 10L);
    assertThat(entries()).hasSizeBetween(8, 11);
    index.work(() -> false);
    assertThat(entries()).hasSize(20);
    assertThat(upto()).isEqualTo(19);
    index.close();
  }

  /** Else the filters would fill up with what is there already. */
  @Test
  void whatFindsNoRoomGoesIntoTheFiltersOnce() throws IOException {
    work();
    store.sealed(4);
    fail("write");
    work();
    store.index.close();
    AtomicLong now = new AtomicLong();
    FingerprintIndex index =
        new FingerprintIndex(
            store.watched,
            store.containers,
            store.chunkPins,
            directory.resolve("index"),
            store.files,
            IndexSettings.from(store.dedup()),
            now::get);
    store.watcher =
        (operation, batch) -> {
          if (operation.equals("write")) {
            throw new StoreFullException("OOM");
          }
        };
    for (int i = 0; i < 10; i++) {
      index.work(() -> false);
      now.addAndGet(2 * StoreBackoff.RETRY_NANOS);
    }
    assertThat(index.metrics()).containsEntry("dbaInserted", 4L);
    store.watcher = (operation, batch) -> {};
    index.work(() -> false);
    assertThat(entries()).hasSize(4);
    index.close();
  }

  @Test
  void afterAnEndInOrderNothingIsReadAgain() throws IOException {
    work();
    store.sealed(2);
    store.open(2);
    store.index.close();
    assertThat(upto()).isEqualTo(1);
    assertThat(entries()).hasSize(4);
    delete(Table.CHUNKS);
    another(IndexSettings.from(store.dedup())).close();
    assertThat(entries()).isEmpty();
  }

  /** What came later is in containers that it does not name. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStoreThatWasPutBackGetsItsEntriesAgain(boolean restarts) throws IOException {
    work();
    store.sealed(2);
    work();
    List<StoreBatch> copy = copyOfStore();
    store.sealed(2);
    work();
    store.sealed(2);
    work();
    if (restarts) {
      store.index.close();
    }
    putBack(copy);
    assertThat(entries()).hasSize(2);
    if (restarts) {
      another(IndexSettings.from(store.dedup())).close();
    } else {
      work();
    }
    assertThat(new TreeSet<>(entries())).hasSize(6);
    assertThat(upto()).isEqualTo(2);
    assertThat(metric("indexRebuilds")).isEqualTo(1);
  }

  @Test
  void aStoreOfABuildThatNamedNoContainerIsTakenForComplete() throws IOException {
    work();
    store.sealed(2);
    work();
    store.index.close();
    store.map.write(
        new StoreBatch().delete(Table.STATE, "dedup.upto".getBytes(StandardCharsets.US_ASCII)));
    delete(Table.CHUNKS);
    another(IndexSettings.from(store.dedup())).close();
    assertThat(entries()).isEmpty();
    assertThat(upto()).isEqualTo(0);
  }

  @Test
  void whatWaitedWhenTheMakingWasKilledIsReadFromItsContainer() throws IOException {
    work();
    List<Long> refs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      for (long ref : store.sealed(2)) {
        refs.add(ref);
      }
    }
    work();
    store.map.clear();
    AtomicInteger puts = new AtomicInteger();
    store.watcher =
        (operation, batch) -> {
          boolean put =
              operation.equals("write")
                  && batch.changes().stream().anyMatch(c -> c.table() == Table.CHUNKS);
          if (put && puts.incrementAndGet() == 2) {
            for (long ref : store.sealed(2)) {
              refs.add(ref);
            }
          }
          if (operation.equals("write") && puts.get() >= 2) {
            throw new StoreUnreachableException("gone");
          }
        };
    work();
    assertThat(entries()).hasSize(2);
    store.watcher = (operation, batch) -> {};
    FingerprintIndex index = another(IndexSettings.from(store.dedup()));
    assertThat(new TreeSet<>(entries())).containsExactlyInAnyOrderElementsOf(refs);
    assertThat(index.metrics()).containsEntry("indexRebuilds", 0L);
    index.close();
  }

  @Test
  void containersAreReadAtTheRateOfCollections() throws IOException {
    ContainerSettings settings = ContainerSettings.of(7).directoryMemory(0).maxOpenFiles(1);
    Path small = directory.resolve("small");
    try (IndexedContainers own = new IndexedContainers(small, new Configuration(false), settings)) {
      for (int i = 0; i < 4; i++) {
        own.sealed(2);
      }
      own.index.close();
      try (FingerprintIndex slow =
          new FingerprintIndex(
              own.watched,
              own.containers,
              own.chunkPins,
              small.resolve("index"),
              own.files,
              IndexSettings.from(own.dedup(), 1))) {
        AtomicInteger idle = new AtomicInteger();
        own.watcher = (operation, batch) -> idle.set(0);
        // A byte a second: it only waits.
        slow.work(() -> idle.incrementAndGet() > 20);
        assertThat(new CompleteMark(own.map, 1).isSet()).isFalse();
        assertThat(new CompleteMark(own.map, 1).position().next()).isPositive();
        assertThat(slow.metrics()).containsEntry("indexFailures", 0L);
      }
    }
  }

  @Test
  void aFailureToRemoveOrToReclaimBeginsAnOutage() throws IOException {
    for (String operation : List.of("get", "estimatedCount")) {
      try (IndexedContainers own = new IndexedContainers(directory.resolve(operation))) {
        own.index.work(() -> false);
        long[] refs = own.sealed(2);
        own.index.work(() -> false);
        BitSet numbers = new BitSet();
        numbers.set(ChunkRef.number(refs[0]));
        List<String> operations = new ArrayList<>();
        own.watcher =
            (called, batch) -> {
              operations.add(called);
              if (called.equals(operation)) {
                throw new StoreUnreachableException("gone");
              }
            };
        own.index.remove(ChunkRef.container(refs[0]), numbers);
        own.index.reclaim();
        assertThat(own.index.metrics()).containsEntry("indexFailures", 1L);
        assertThat(operations).endsWith(operation);
        operations.clear();
        own.index.reclaim();
        own.index.remove(ChunkRef.container(refs[0]), numbers);
        own.index.work(() -> false);
        assertThat(operations).isEmpty();
        own.watcher = (called, batch) -> {};
      }
    }
  }

  /** The stop comes at each point where it is checked, in turn. */
  @Test
  void anIndexThatIsMadeAnewIsWholeWhereverItWasStopped() throws IOException {
    boolean stopped = true;
    for (int point = 0; stopped; point++) {
      assertThat(point).isLessThan(200);
      try (IndexedContainers own = new IndexedContainers(directory.resolve("stop" + point))) {
        own.index.work(() -> false);
        List<Long> refs = new ArrayList<>();
        for (int container = 0; container < 3; container++) {
          for (long ref : own.sealed(2)) {
            refs.add(ref);
          }
          own.index.work(() -> false);
        }
        // As when another sample is configured: the old entries are still there.
        own.map.write(
            new StoreBatch()
                .delete(Table.STATE, "dedup.index".getBytes(StandardCharsets.US_ASCII)));
        // An entry of an unknown segment.
        own.map.write(
            new StoreBatch()
                .put(
                    Table.CHUNKS,
                    IndexEntry.key(77, IndexedContainers.name(99), 0),
                    IndexEntry.value(99)));
        AtomicInteger left = new AtomicInteger(point);
        own.index.work(() -> left.getAndDecrement() <= 0);
        stopped = left.get() < 0;
        own.index.work(() -> false);
        List<Long> entries = new ArrayList<>();
        own.index.forEachEntry(entries::add);
        assertThat(entries)
            .as("stopped at point %s", point)
            .containsExactlyInAnyOrderElementsOf(refs);
        assertThat(own.index.metrics()).containsEntry("indexEntriesWritten", 12L);
        assertThat(new CompleteMark(own.map, 1).isSet()).isTrue();
        assertThat(new CompleteMark(own.map, 1).position()).isNull();
      }
    }
  }

  @Test
  void aLargeContainerIsPutInOnceThoughTheMakingStops() throws IOException {
    work();
    long[] before = store.sealed(2);
    long[] refs = store.sealed(2100);
    work();
    store.map.clear();
    long written = metric("indexEntriesWritten");
    AtomicInteger batches = new AtomicInteger();
    store.watcher =
        (operation, batch) -> {
          if (operation.equals("write")
              && batch.changes().stream().anyMatch(c -> c.table() == Table.CHUNKS)) {
            batches.incrementAndGet();
          }
        };
    // The first container's and the first of three batches of the second.
    store.index.work(() -> batches.get() == 2);
    assertThat(metric("indexEntriesWritten") - written).isEqualTo(2 + 1024);
    assertThat(new CompleteMark(store.map, 1).position().next())
        .isEqualTo(ChunkRef.container(refs[0]))
        .isEqualTo(ChunkRef.container(before[0]) + 1);
    assertThat(new CompleteMark(store.map, 1).position().last())
        .isEqualTo(ChunkRef.container(refs[0]));
    work();
    assertThat(batches).hasValue(4);
    assertThat(metric("indexEntriesWritten") - written).isEqualTo(2 + 2100);
    assertThat(metric("indexRebuilds")).isEqualTo(2);
    assertThat(new TreeSet<>(entries())).hasSize(2102).contains(refs[0], refs[1023], refs[2099]);
    assertThat(entries()).hasSize(2102);
  }

  /** Dropped entries come from their container, all of them despite a stop. */
  @Test
  void aContainerThatWasMissedIsPutInWhollyThoughAStopComes() throws IOException {
    work();
    byte[] names = new byte[1024 * Fingerprinter.LENGTH];
    for (int i = 0; i < (1 << 18) / 1024; i++) {
      store.index.publish(names, new long[1024], 1024);
    }
    long[] refs = store.sealed(2100);
    assertThat(metric("indexEntriesDropped")).isEqualTo(2100);
    AtomicBoolean stopping = new AtomicBoolean();
    store.watcher =
        (operation, batch) -> {
          if (operation.equals("write") && store.index.pending() == 0) {
            stopping.set(true);
          }
        };
    store.index.work(stopping::get);
    assertThat(stopping).isTrue();
    store.watcher = (operation, batch) -> {};
    work();
    assertThat(new TreeSet<>(entries())).contains(refs[0], refs[1023], refs[1024], refs[2099]);
  }

  @Test
  void neighboursOfWhatTheCacheNamesAreFoundWithoutTheStore() throws IOException {
    work();
    long[] refs = store.sealed(4);
    work();
    store.index.close();
    FingerprintIndex index = another(IndexSettings.from(store.dedup()));
    index.publish(names(1, 1), refs, 1);
    List<String> operations = new ArrayList<>();
    store.watcher = (operation, batch) -> operations.add(operation);
    IndexLookup indexLookup = index.newLookup();
    assertThat(find(indexLookup, 1, 4)).isEqualTo(refs);
    assertThat(index.metrics())
        .containsEntry("indexFoundInCache", 1L)
        .containsEntry("indexFoundBeside", 3L);
    // Remembered in the cache.
    assertThat(find(index.newLookup(), 2, 3)).containsExactly(refs[1], refs[2], refs[3]);
    assertThat(index.metrics())
        .containsEntry("indexFoundInCache", 4L)
        .containsEntry("indexFoundBeside", 3L);
    assertThat(operations).isEmpty();
    index.close();
  }

  /** A block's next chunks are in a container that each batch searches again. */
  @Test
  void theNextBatchIsLookedForBesideThePreviousOne() throws IOException {
    work();
    long[] refs = store.open(6);
    work();
    store.index.close();
    FingerprintIndex index = another(IndexSettings.from(store.dedup()));
    index.publish(names(1, 1), refs, 1);
    List<String> operations = new ArrayList<>();
    store.watcher = (operation, batch) -> operations.add(operation);
    IndexLookup indexLookup = index.newLookup();
    assertThat(find(indexLookup, 1, 2)).containsExactly(refs[0], refs[1]);
    assertThat(find(indexLookup, 3, 2)).containsExactly(refs[2], refs[3]);
    assertThat(find(indexLookup, 5, 2)).containsExactly(refs[4], refs[5]);
    assertThat(index.metrics())
        .containsEntry("indexFoundInCache", 1L)
        .containsEntry("indexFoundBeside", 5L);
    assertThat(operations).isEmpty();
    index.close();
  }

  /** Where chunks are scattered, those are looked for of which most lie together. */
  @Test
  void someDirectoriesAreReadForABatch() throws IOException {
    ContainerSettings settings = ContainerSettings.of(7).directoryMemory(0).maxOpenFiles(1);
    Path small = directory.resolve("small");
    try (IndexedContainers own = new IndexedContainers(small, new Configuration(false), settings)) {
      own.index.work(() -> false);
      int alone = 100;
      int together = 3;
      for (int i = 0; i < alone; i++) {
        own.sealed(1);
      }
      for (int i = 0; i < 10; i++) {
        own.sealed(together);
      }
      own.index.work(() -> false);
      long[] found = find(own.index.newLookup(), 1, alone + 10 * together);
      assertThat(Arrays.copyOfRange(found, alone, found.length)).doesNotContain(-1);
      // One may have been in memory.
      assertThat(Arrays.stream(found).filter(ref -> ref >= 0).count())
          .isBetween(
              10L * together + IndexLookup.MAX_FOLLOWED - 10,
              10L * together + IndexLookup.MAX_FOLLOWED - 8);
    }
  }

  /** Nothing is read of them, so that they are not among those that are read for a batch. */
  @ParameterizedTest
  @ValueSource(strings = {"dba", "cuckoo"})
  void containersThatAreGoneTakeNoTurn(String kind) throws IOException {
    ContainerSettings settings = ContainerSettings.of(7).directoryMemory(0).maxOpenFiles(1);
    Configuration conf = new Configuration(false);
    conf.set("hdrf.dedup.index", kind);
    try (IndexedContainers own =
        new IndexedContainers(directory.resolve("small"), conf, settings)) {
      own.index.work(() -> false);
      int gone = IndexLookup.MAX_FOLLOWED + 1;
      long[] containers = new long[gone];
      for (int i = 0; i < gone; i++) {
        containers[i] = ChunkRef.container(own.sealed(3)[0]);
      }
      for (int i = 0; i < 10; i++) {
        own.sealed(2);
      }
      own.index.work(() -> false);
      for (long container : containers) {
        own.containers.compact(container, (content, whole) -> new BitSet(), Throttle.NONE);
        assertThat(own.containers.exists(container)).isFalse();
      }
      long[] found = find(own.index.newLookup(), 1, 3 * gone + 20);
      assertThat(Arrays.copyOf(found, 3 * gone)).containsOnly(-1);
      assertThat(Arrays.copyOfRange(found, 3 * gone, found.length)).doesNotContain(-1);
    }
  }

  /** There is room for two directories of three: those of bases push each other out. */
  @Test
  void basesAreConfirmedContainerByContainer() throws IOException {
    ContainerSettings settings = ContainerSettings.of(7).directoryMemory(3500).maxOpenFiles(1);
    Path small = directory.resolve("small");
    try (IndexedContainers own = new IndexedContainers(small, new Configuration(false), settings)) {
      own.index.work(() -> false);
      int pairs = 8;
      long[] some = own.sealed(pairs);
      long[] others = own.sealed(pairs);
      long[] refs = new long[2 * pairs];
      try (ChunkAppender appender = own.appender()) {
        for (int i = 0; i < refs.length; i++) {
          long base = (i % 2 == 0 ? some : others)[i / 2];
          byte[] name = IndexedContainers.name(100 + i);
          refs[i] = appender.appendDifference(name, 0, ByteBuffer.allocateDirect(9), CHUNK, base);
        }
        appender.force();
        own.index.publish(names(100, refs.length), refs, refs.length);
      }
      own.containers.sealIdle(ChunkRef.container(refs[0]));
      IndexLookup indexLookup = own.index.newLookup();
      // Classes are read, too.
      find(own.index.newLookup(), 100, refs.length);
      long before = readCalls();
      assertThat(find(indexLookup, 100, refs.length)).isEqualTo(refs);
      for (int i = 0; i < refs.length; i++) {
        assertThat(indexLookup.base(i)).isEqualTo((i % 2 == 0 ? some : others)[i / 2]);
      }
      // A directory takes some eight.
      assertThat(readCalls() - before).isLessThan(8 * refs.length / 2);
    }
  }

  /** Returns how often this thread has read from files. */
  private static long readCalls() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/thread-self/io"))) {
      if (line.startsWith("syscr: ")) {
        return Long.parseLong(line.substring("syscr: ".length()));
      }
    }
    throw new IOException("no count of reads");
  }

  /** Half of the elements of a full filter were removed. */
  @Test
  void removedEntriesGoOutOfTheFilters() throws IOException {
    Configuration conf = new Configuration(false);
    conf.set("hdrf.dedup.dba.capacity", "256");
    try (IndexedContainers own = new IndexedContainers(directory.resolve("small"), conf)) {
      own.index.work(() -> false);
      long[] refs = own.sealed(600);
      own.index.work(() -> false);
      assertThat(own.index.metrics()).containsEntry("dbaRefreshed", 0L);
      BitSet numbers = new BitSet();
      for (int i = 0; i < 200; i++) {
        numbers.set(ChunkRef.number(refs[i]));
      }
      own.index.remove(ChunkRef.container(refs[0]), numbers);
      own.index.work(() -> false);
      assertThat(own.index.metrics()).containsEntry("dbaRefreshed", 1L);
    }
  }

  /** The same sample may be configured again before the next start. */
  @Test
  void anIndexOfAnotherSampleIsNoLongerCompleteOnceItIsBeingCleared() throws IOException {
    work();
    store.sealed(3);
    work();
    CompleteMark other = new CompleteMark(store.map, 2);
    other.set();
    store.index.work(() -> true);
    assertThat(other.isSet()).isFalse();
    assertThat(entries()).hasSize(3);
    other.setPosition(new CompleteMark.Position(0, 0));
    store.index.work(() -> true);
    assertThat(other.position()).isNull();
  }

  /** Filters of an earlier generation than the store's are not used. */
  @Test
  void theGenerationOfASegmentGrowsWithEachBatchAlsoAfterAStart() throws IOException {
    work();
    StoredSegments segments = new StoredSegments(store.map);
    store.open(2);
    work();
    int segment = segments.segments().iterator().next();
    assertThat(segments.generation(segment)).isEqualTo(1);
    store.open(2);
    work();
    assertThat(segments.generation(segment)).isEqualTo(2);
    long[] refs = store.open(2);
    store.index.close();
    assertThat(segments.generation(segment)).isEqualTo(3);
    FingerprintIndex index = another(IndexSettings.from(store.dedup()));
    index.publish(names(20, 1), refs, 1);
    index.work(() -> false);
    long sum = 0;
    for (int each : segments.segments()) {
      sum += segments.generation(each);
    }
    assertThat(sum).as("batches since the beginning").isEqualTo(4);
    index.close();
  }

  /** A new block must not refer to it. */
  @Test
  void whatCanNotBeConfirmedIsNotFound() throws IOException {
    long[] refs = store.sealed(2);
    assertThat(refs).hasSize(2);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory.resolve("containers"))) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    assertThat(find(store.index.newLookup(), 1, 2)).containsExactly(-1, -1);
    assertThat(metric("indexFoundInCache")).isZero();
  }
}
