/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.IndexedContainers;
import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.io.LogCapture;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index in memory alone, beside containers whose chunks all have entries. */
class CuckooIndexTest {

  @TempDir Path directory;

  private final Configuration conf = new Configuration(false);
  private IndexedContainers store;
  private FingerprintIndex index;

  private int chunks;

  /** The time, and by how much it is later each time that somebody asks. */
  private long now;

  private long step;

  @BeforeEach
  void open() throws IOException {
    conf.set("hdrf.dedup.index", "cuckoo");
    conf.set("hdrf.dedup.cache.memory", "0");
    store = new IndexedContainers(directory, conf);
    store.index.close();
    index = newIndex();
  }

  @AfterEach
  void close() throws IOException {
    index.close();
    store.close();
  }

  private Path file() {
    return directory.resolve(PlacesFile.NAME);
  }

  private IndexSettings settings() throws BadSettingException {
    return IndexSettings.from(store.dedup());
  }

  private FingerprintIndex newIndex() throws IOException {
    FingerprintIndex opened =
        new FingerprintIndex(
            store.watched,
            store.containers,
            store.chunkPins,
            directory.resolve("index"),
            store.files,
            settings(),
            () -> now += step);
    opened.begin();
    return opened;
  }

  /** Opens an index, as after a start. */
  private void reopen() throws IOException {
    index = newIndex();
    work();
  }

  /** Closes the index and opens another one: its cache is empty. */
  private void restart() throws IOException {
    index.close();
    reopen();
  }

  private void restartWithoutFile() throws IOException {
    index.close();
    Files.delete(file());
    reopen();
  }

  private void work() {
    index.work(() -> false);
  }

  private long metric(String name) {
    return index.metrics().get(name);
  }

  /** Appends a container; its chunks are published to the index at hand. */
  private void add(int count) throws IOException {
    long[] refs = store.sealed(count);
    if (index != store.index) {
      index.publish(names(chunks + 1, count), refs, count);
    }
    chunks += count;
  }

  /** Appends containers of 2000 chunks to an index that may take so much memory. */
  private void fill(String memory, int count) throws IOException {
    conf.set("hdrf.dedup.index.memory", memory);
    restart();
    for (int i = 0; i < count; i++) {
      add(2000);
      work();
    }
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

  /** How many chunks the entries name, in containers that confirm them. */
  private int entriesOf(int first, int count) {
    SampledPlaces places = index.inMemory().places();
    int found = 0;
    long[] containers = new long[1024];
    for (int i = 0; i < count; i += 1024) {
      int some = Math.min(1024, count - i);
      places.find(names(first + i, some), some, containers);
      for (int j = 0; j < some; j++) {
        found += isIn(containers[j], first + i + j) ? 1 : 0;
      }
    }
    return found;
  }

  private boolean isIn(long container, int chunk) {
    try {
      return container != RecentPlaces.NONE
          && store.containers.directory(container).find(IndexedContainers.name(chunk), 0) >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  private int found(int first, int count) {
    IndexLookup lookup = index.newLookup();
    long[] refs = new long[count];
    lookup.find(names(first, count), count, refs);
    int found = 0;
    for (long ref : refs) {
      found += ref >= 0 ? 1 : 0;
    }
    return found;
  }

  private long storedEntries() throws IOException {
    long[] count = {0};
    for (Table table : new Table[] {Table.CHUNKS, Table.STATE}) {
      store.map.scan(
          table,
          new byte[0],
          (key, value) -> {
            count[0]++;
            return true;
          });
    }
    return count[0];
  }

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    }
  }

  @Test
  void whatIsPublishedIsFoundByTheEntries() throws IOException {
    work();
    add(100);
    assertThat(found(1, 100)).isEqualTo(100);
    assertThat(found(101, 100)).isZero();
    assertThat(metric("indexEntriesInMemory")).isEqualTo(100);
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(64 << 10);
    assertThat(metric("indexEntriesWritten")).isEqualTo(100);
    assertThat(metric("indexPending")).isZero();
    assertThat(metric("indexContainersToRead")).isZero();
    assertThat(metric("indexUnconfirmed")).isZero();
    assertThat(storedEntries()).isZero();
  }

  /** In the metadata store there is nothing of it, and there need be none. */
  @Test
  void noStoreIsNeeded() throws IOException {
    store.watcher =
        (operation, batch) -> {
          throw new StoreUnreachableException("gone");
        };
    work();
    add(100);
    restart();
    assertThat(found(1, 100)).isEqualTo(100);
    assertThat(metric("indexFoundInStore")).isPositive();
    assertThat(metric("indexFailures")).isZero();
  }

  /** Else it would be read again and again. */
  @Test
  void aContainerIsAddedOnceAndNotBeforeThereIsATable() throws IOException {
    add(10);
    assertThat(index.inMemory().add(store.containers.last(), Throttle.NONE)).isFalse();
    work();
    assertThat(index.inMemory().add(store.containers.last(), Throttle.NONE)).isTrue();
    assertThat(index.inMemory().add(77, Throttle.NONE)).as("one that is gone").isTrue();
    assertThat(metric("indexEntriesInMemory")).isEqualTo(10);
  }

  @Test
  void oneOfSomeConsecutiveChunksHasAnEntry() throws IOException {
    conf.setInt("hdrf.dedup.index.sample", 8);
    restart();
    add(8 * 1024 + 1);
    assertThat(metric("indexEntriesInMemory")).isEqualTo(1025);
    assertThat(entriesOf(1, 1)).isEqualTo(1);
    assertThat(entriesOf(9, 1)).isEqualTo(1);
    assertThat(entriesOf(8 * 1024 + 1, 1)).isEqualTo(1);
    assertThat(entriesOf(2, 7)).isZero();
    assertThat(found(1, 1024)).isEqualTo(1024);
  }

  @Test
  void aStartReadsTheFile() throws IOException {
    work();
    add(100);
    add(100);
    try (LogCapture log = new LogCapture(Level.INFO, "CuckooIndex")) {
      restart();
      assertThat(log.all()).doesNotContain("containers are read");
    }
    assertThat(metric("indexRebuilds")).isZero();
    assertThat(metric("indexEntriesInMemory")).isEqualTo(200);
    assertThat(found(1, 200)).isEqualTo(200);
    assertThat(found(201, 100)).isZero();
  }

  @Test
  void withoutAFileAllContainersAreRead() throws IOException {
    work();
    add(2000);
    add(1);
    restartWithoutFile();
    assertThat(metric("indexRebuilds")).isEqualTo(1);
    assertThat(metric("indexEntriesInMemory")).isEqualTo(2001);
    assertThat(entriesOf(1, 2001)).isEqualTo(2001);
  }

  @Test
  void aDamagedFileIsAsGoodAsNone() throws IOException {
    work();
    add(1000);
    index.close();
    byte[] bytes = Files.readAllBytes(file());
    bytes[bytes.length / 2] ^= 1;
    Files.write(file(), bytes);
    reopen();
    assertThat(metric("indexRebuilds")).isEqualTo(1);
    assertThat(entriesOf(1, 1000)).isEqualTo(1000);
    restart();
    assertThat(metric("indexRebuilds")).as("it was replaced").isZero();
    assertThat(entriesOf(1, 1000)).isEqualTo(1000);
  }

  /** A process that was killed leaves a file that is old. */
  @Test
  void afterACrashLaterContainersAloneAreRead() throws IOException {
    work();
    add(100);
    restart();
    byte[] old = Files.readAllBytes(file());
    add(100);
    add(100);
    index.close();
    Files.write(file(), old);
    try (LogCapture log = new LogCapture(Level.INFO, "CuckooIndex")) {
      reopen();
      assertThat(log.all()).contains("2 containers are read");
    }
    assertThat(metric("indexRebuilds")).isZero();
    assertThat(entriesOf(1, 300)).isEqualTo(300);
  }

  /** Each larger table gets more than it had, until one has all. */
  @Test
  void afterACrashThereMayBeManyTimesAsMany() throws IOException {
    conf.set("hdrf.dedup.index.memory", "1m");
    restart();
    add(2000);
    restart();
    byte[] old = Files.readAllBytes(file());
    for (int i = 0; i < 12; i++) {
      add(2000);
    }
    index.close();
    Files.write(file(), old);
    reopen();
    for (int i = 0; i < 5; i++) {
      work();
    }
    assertThat(metric("indexRebuilds")).isZero();
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(256 << 10);
    assertThat(entriesOf(1, 26_000)).isGreaterThan(25_700);
  }

  /** Blocks come before the file is read. */
  @Test
  void whatComesBeforeTheTableIsThereIsNotLost() throws IOException {
    work();
    add(100);
    index.close();
    index = newIndex();
    add(100);
    assertThat(metric("indexContainersToRead")).isPositive();
    work();
    assertThat(metric("indexContainersToRead")).isZero();
    assertThat(entriesOf(1, 200)).isEqualTo(200);
  }

  @Test
  void anotherSampleMakesItAnew() throws IOException {
    work();
    add(2000);
    conf.setInt("hdrf.dedup.index.sample", 2);
    restart();
    assertThat(metric("indexRebuilds")).isEqualTo(1);
    // Each chunk is a group, of which the first one has an entry.
    assertThat(entriesOf(1, 2000)).isEqualTo(2000);
  }

  /** What can't be read now is left out, and does not stop the rest. */
  @Test
  void containersThatAreGoneAreLeftOut() throws IOException {
    work();
    add(100);
    add(100);
    add(100);
    index.close();
    Files.delete(file());
    Files.delete(store.containers.file(store.containers.previous(store.containers.last())));
    reopen();
    assertThat(entriesOf(1, 100)).isEqualTo(100);
    assertThat(entriesOf(201, 100)).isEqualTo(100);
    assertThat(metric("indexContainersToRead")).isZero();
  }

  @Test
  void aStopEndsItAndTheNextStartBeginsAgain() throws IOException {
    work();
    add(100);
    add(100);
    index.close();
    Files.delete(file());
    index = newIndex();
    int[] asked = {0};
    // The throttle asks for each footer, and each directory once.
    index.work(() -> ++asked[0] > 5);
    assertThat(metric("indexContainersToRead")).isPositive();
    index.close();
    assertThat(file()).isEmptyFile();
    reopen();
    assertThat(entriesOf(1, 200)).isEqualTo(200);
  }

  /** All entries but some ten stay at each step while there is room. */
  @Test
  void growsWithoutLoss() throws IOException {
    fill("1m", 20);
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(512 << 10);
    assertThat(metric("indexEntriesInMemory")).isBetween(39_900L, 40_000L);
    assertThat(entriesOf(1, 40_000)).isGreaterThan(39_900);
    restart();
    assertThat(entriesOf(1, 40_000)).isGreaterThan(39_900);
  }

  /** Copies of a chunk have one entry. */
  @Test
  void growsWithoutLossWhereChunksAreStoredAgain() throws IOException {
    conf.set("hdrf.dedup.index.memory", "1m");
    restart();
    for (int i = 0; i < 15; i++) {
      add(2000);
      work();
    }
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(256 << 10);
    storeAgain(10_001, 20_000);
    storeAgain(10_001, 20_000);
    add(2000);
    work();
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(512 << 10);
    assertThat(entriesOf(1, 30_000)).isGreaterThan(29_700);
  }

  /**
   * Puts what can't be opened in a container's place: no more than a failing disk says whether it
   * is sound.
   */
  private void takeAway(long container) throws IOException {
    Path file = store.containers.file(container);
    Files.move(file, Files.createDirectories(away()).resolve(file.getFileName()));
    Files.createDirectory(file);
  }

  private Path away() {
    return directory.resolve("away");
  }

  private void putBack() throws IOException {
    for (Path file : list(away())) {
      Path place = store.containers.file(0).resolveSibling(file.getFileName());
      Files.delete(place);
      Files.move(file, place);
    }
  }

  /** Opens an index that may take 16 MiB, of which the first of two containers can't be read. */
  private void openWithoutTheFirst() throws IOException {
    conf.set("hdrf.dedup.index.memory", "16m");
    restart();
    add(1000);
    long first = store.containers.last();
    add(6800);
    takeAway(first);
    work();
  }

  /** Copies of its entries would fill each larger table, up to the largest. */
  @Test
  void aContainerThatCannotBeReadDoesNotHaveItGrow() throws IOException {
    openWithoutTheFirst();
    for (int i = 0; i < 9; i++) {
      work();
    }
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(128 << 10);
    assertThat(metric("indexContainersToRead")).isZero();
    assertThat(entriesOf(1001, 6800)).isGreaterThan(6780);
    putBack();
    now += TimeUnit.MINUTES.toNanos(10);
    work();
    assertThat(entriesOf(1, 7800)).isGreaterThan(7770);
  }

  /** As where the process has no descriptors left for a while. */
  @Test
  void whatCannotBeReadForAWhileStays() throws IOException {
    conf.set("hdrf.dedup.index.memory", "16m");
    restart();
    for (int i = 0; i < 7; i++) {
      add(1000);
    }
    work();
    final long table = metric("indexEntriesMemoryBytes");
    add(700);
    for (long id = 0; id < store.containers.last(); id++) {
      takeAway(id);
    }
    work();
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(2 * table);
    assertThat(metric("indexContainersToRead")).isZero();
    putBack();
    assertThat(entriesOf(1, 7700)).isGreaterThan(7670);
  }

  /** Nor is it taken for confirmed by a file. */
  @Test
  void whatCouldNotBeReadBeforeAStopIsReadAfterIt() throws IOException {
    openWithoutTheFirst();
    index.close();
    putBack();
    reopen();
    assertThat(entriesOf(1, 7800)).isGreaterThan(7770);
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(128 << 10);
  }

  /** While it grows again, entries that it had are found, and others come. */
  @Test
  void isOfUseWhileItGrows() throws IOException {
    work();
    add(7700);
    boolean[] before = {true};
    index.work(
        () -> {
          if (before[0]) {
            before[0] = false;
            assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(128 << 10);
            assertThat(entriesOf(1, 7700)).isGreaterThan(7680);
          }
          return true;
        });
    add(1000);
    work();
    assertThat(metric("indexEntriesInMemory")).isBetween(8660L, 8700L);
    assertThat(entriesOf(1, 8700)).isGreaterThan(8660);
  }

  @Test
  void theOldestGoWhereItIsFull() throws IOException {
    fill("64k", 12);
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(64 << 10);
    assertThat(metric("indexEntriesInMemory")).isBetween(7700L, 8200L);
    assertThat(entriesOf(20_001, 4000)).isGreaterThan(3900);
    assertThat(entriesOf(1, 12_000)).isLessThan(1000);
    try (LogCapture log = new LogCapture(Level.INFO, "CuckooIndex")) {
      restartWithoutFile();
      assertThat(log.all()).contains("12 containers are read", "is complete");
    }
    assertThat(entriesOf(18_001, 6000)).as("the newest first").isGreaterThan(5900);
    assertThat(entriesOf(1, 12_000)).isZero();
  }

  /** Of a chunk that is stored twice, the later one lies beside its neighbours. */
  @Test
  void theLatestCopyCounts() throws IOException {
    work();
    add(100);
    try (ChunkAppender appender = store.appender()) {
      ByteBuffer chunk = ByteBuffer.allocateDirect(IndexedContainers.CHUNK);
      appender.append(IndexedContainers.name(7), 0, chunk);
      appender.force();
    }
    long later = store.containers.last();
    restartWithoutFile();
    long[] containers = new long[1];
    index.inMemory().places().find(IndexedContainers.name(7), 1, containers);
    assertThat(containers).containsExactly(later);
    assertThat(entriesOf(1, 100)).isEqualTo(100);
  }

  @Test
  void whatTheStoreHadIsTakenOut() throws IOException {
    conf.set("hdrf.dedup.index", "dba");
    restart();
    add(3000);
    work();
    index.close();
    assertThat(storedEntries()).isGreaterThan(3000);
    Files.createFile(directory.resolve("index").resolve("filter-00000001.hbf"));
    conf.set("hdrf.dedup.index", "cuckoo");
    reopen();
    assertThat(storedEntries()).isZero();
    assertThat(list(directory.resolve("index"))).isEmpty();
    assertThat(entriesOf(1, 3000)).isEqualTo(3000);
    conf.set("hdrf.dedup.index", "dba");
    restart();
    assertThat(file()).doesNotExist();
    assertThat(metric("indexRebuilds")).isEqualTo(1);
    assertThat(storedEntries()).isGreaterThan(3000);
    assertThat(found(1001, 1000)).isEqualTo(1000);
    assertThat(metric("indexEntriesMemoryBytes")).isZero();
  }

  /** The store has the entries of the time before, and says that they are all. */
  @Test
  void aStoreThatWasOutOfReachMeanwhileIsNotBelieved() throws IOException {
    conf.set("hdrf.dedup.index", "dba");
    restart();
    add(100);
    work();
    index.close();
    conf.set("hdrf.dedup.index", "cuckoo");
    store.watcher =
        (operation, batch) -> {
          throw new StoreUnreachableException("gone");
        };
    try (LogCapture log = new LogCapture(Level.WARN, "FingerprintIndex")) {
      reopen();
      now += TimeUnit.HOURS.toNanos(1);
      work();
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("can't be deleted", "the store can be reached", directory.toString());
    }
    add(100);
    index.close();
    assertThat(storedEntries()).isGreaterThan(100);
    conf.set("hdrf.dedup.index", "dba");
    store.watcher = (operation, batch) -> {};
    reopen();
    assertThat(metric("indexRebuilds")).isEqualTo(1);
    assertThat(found(101, 100)).isEqualTo(100);
  }

  /** There was no time to tell the store, nor to write the file. */
  @Test
  void aStopThatCameAtOnceIsNoticedByTheOtherIndex() throws IOException {
    conf.set("hdrf.dedup.index", "dba");
    restart();
    add(100);
    work();
    index.close();
    conf.set("hdrf.dedup.index", "cuckoo");
    index = newIndex();
    add(100);
    index.close();
    conf.set("hdrf.dedup.index", "dba");
    reopen();
    assertThat(metric("indexRebuilds")).isEqualTo(1);
    assertThat(found(101, 100)).isEqualTo(100);
  }

  /** All of a table may be needed by others. */
  @Test
  void aTableThatIsGoneIsMadeAnew() throws IOException {
    work();
    add(2000);
    index.inMemory().places().take().free();
    add(100);
    assertThat(entriesOf(1, 2100)).isZero();
    work();
    assertThat(entriesOf(1, 2100)).isEqualTo(2100);
    assertThat(metric("indexRebuilds")).isEqualTo(2);
  }

  /** A table of 512 KiB with 32,000 entries: half of it is full. */
  private void fillTable() throws IOException {
    fill("1m", 16);
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(512 << 10);
    assertThat(metric("indexContainersToRead")).isZero();
  }

  @Test
  void whatWasLostForWantOfMemoryComesBack() throws IOException {
    fillTable();
    index.inMemory().places().shrink(1);
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(256 << 10);
    assertThat(entriesOf(1, 32_000)).isBetween(30_000, 31_900);
    work();
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(512 << 10);
    assertThat(metric("indexContainersToRead")).isZero();
    assertThat(entriesOf(1, 32_000)).isGreaterThan(31_900);
  }

  @Test
  void whatWasLostForWantOfMemoryComesBackAfterAStart() throws IOException {
    fillTable();
    index.inMemory().places().shrink(1);
    restart();
    assertThat(metric("indexRebuilds")).isZero();
    assertThat(entriesOf(1, 32_000)).as("as many as there is room for").isGreaterThan(29_000);
    work();
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(512 << 10);
    assertThat(metric("indexContainersToRead")).isZero();
    assertThat(entriesOf(1, 32_000)).isGreaterThan(31_900);
  }

  /** Otherwise the oldest would be left out, though there is room for all. */
  @Test
  void whatWasLostComesBackThoughOthersAreStoredAgain() throws IOException {
    conf.set("hdrf.dedup.index.memory", "512k");
    restart();
    for (int i = 0; i < 20; i++) {
      add(2000);
      work();
    }
    storeAgain(20_001, 20_000);
    storeAgain(20_001, 20_000);
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(512 << 10);
    assertThat(entriesOf(1, 40_000)).isGreaterThan(39_600);
    index.inMemory().places().shrink(1);
    assertThat(entriesOf(1, 40_000)).isLessThan(33_000);
    work();
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(512 << 10);
    assertThat(entriesOf(1, 40_000)).isGreaterThan(39_600);
    restart();
    assertThat(entriesOf(1, 40_000)).isGreaterThan(39_600);
  }

  /** In another container, as where blocks are spared a scattered one. */
  private void storeAgain(int first, int count) throws IOException {
    byte[] names = names(first, count);
    long[] refs = new long[count];
    ByteBuffer chunk = ByteBuffer.allocateDirect(IndexedContainers.CHUNK);
    try (ChunkAppender appender = store.appender()) {
      for (int i = 0; i < count; i++) {
        chunk.clear();
        refs[i] = appender.append(names, i * Fingerprinter.LENGTH, chunk);
      }
      appender.force();
    }
    store.containers.sealIdle(store.containers.last());
    index.publish(names, refs, count);
  }

  /** Where the table is not full after that, too. */
  @Test
  void whatALooseTableLostComesBack() throws IOException {
    conf.set("hdrf.dedup.index.memory", "1m");
    for (int i = 0; i < 13; i++) {
      add(2000);
    }
    restartWithoutFile();
    for (boolean start : new boolean[] {false, true}) {
      assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(512 << 10);
      assertThat(entriesOf(1, 26_000)).isGreaterThan(25_900);
      index.inMemory().places().shrink(1);
      assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(256 << 10);
      assertThat(entriesOf(1, 26_000)).isLessThan(25_900);
      if (start) {
        restart();
        assertThat(metric("indexRebuilds")).isZero();
        assertThat(entriesOf(1, 26_000)).isGreaterThan(25_900);
      } else {
        work();
      }
    }
  }

  /** Otherwise containers might be read all the time. */
  @Test
  void memoryThatComesAndGoesIsNotTakenEachTime() throws IOException {
    fillTable();
    step = TimeUnit.HOURS.toNanos(1);
    index.inMemory().places().shrink(1);
    work();
    assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(512 << 10);
    for (long taken : new long[] {1, Long.MAX_VALUE}) {
      index.inMemory().places().shrink(taken);
      long left = metric("indexEntriesMemoryBytes");
      assertThat(left).isEqualTo(taken == 1 ? 256 << 10 : 0);
      work();
      assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(left);
      assertThat(metric("indexContainersToRead") > 0).isEqualTo(left == 0);
      now += TimeUnit.DAYS.toNanos(10);
      work();
      assertThat(metric("indexEntriesMemoryBytes")).isEqualTo(512 << 10);
      assertThat(metric("indexContainersToRead")).isZero();
    }
  }

  /** Memory comes and goes, the process ends or is killed, and chunks are stored again. */
  @Test
  void whateverHappensAllComesBack() throws IOException {
    Random random = TestSeed.random("cuckoo index");
    conf.set("hdrf.dedup.index.memory", "1m");
    restart();
    StringBuilder story = new StringBuilder();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 20; i++) {
        live(random, story);
      }
      for (int i = 0; i < 6; i++) {
        now += TimeUnit.DAYS.toNanos(1);
        work();
      }
      assertThat(metric("indexContainersToRead")).isZero();
      assertThat(entriesOf(1, chunks)).as(story.toString()).isGreaterThan(chunks * 99 / 100 - 20);
    }
  }

  private void live(Random random, StringBuilder story) throws IOException {
    int what = random.nextInt(chunks < 10 ? 2 : 12);
    int count = 1 + random.nextInt(4000);
    story.append(what).append(' ').append(count).append(", ");
    if (what < 2 || (what < 5 && chunks < 40_000)) {
      add(count);
    } else if (what < 7) {
      int again = Math.min(2 * count, chunks);
      storeAgain(1 + random.nextInt(chunks - again + 1), again);
    } else if (what < 8) {
      index.inMemory().places().shrink(random.nextInt(4) == 0 ? Long.MAX_VALUE : 1);
    } else if (what < 9) {
      restart();
    } else if (what < 10) {
      // As one that is killed.
      byte[] old = Files.readAllBytes(file());
      index.close();
      Files.write(file(), old);
      reopen();
    } else if (what < 11) {
      int[] left = {random.nextInt(30)};
      index.work(() -> left[0]-- <= 0);
    } else {
      work();
    }
  }

  /** It may be large. */
  @Test
  void theFileIsReadAtTheIndexsPace() throws IOException {
    work();
    add(100);
    index.close();
    index = newIndex();
    index.work(() -> true);
    assertThat(metric("indexEntriesInMemory")).isZero();
    assertThat(metric("indexContainersToRead")).isPositive();
    work();
    assertThat(metric("indexEntriesInMemory")).isEqualTo(100);
    assertThat(metric("indexRebuilds")).isZero();
  }

  /** Others need the memory: the younger entries stay, and all come back when there is room. */
  @Test
  void givesBackMemoryAndTakesItAgain() throws IOException {
    MemoryBudget budget = new MemoryBudget(500_000);
    SampledPlaces places = new SampledPlaces(256 << 10, budget);
    assertThat(places.newTable(1_000_000, 20)).isNull();
    places.use(places.newTable(1_000_000, RecentPlaces.MIN_LOG2));
    assertThat(places.memory()).isEqualTo(256 << 10);
    MemoryShare other = budget.open("Others", MemoryShare.Kind.LASTING, 400_000, 400_000, null);
    assertThat(other.reserve(400_000)).isTrue();
    assertThat(places.memory()).isEqualTo(64 << 10);
    assertThat(places.makeTwice()).isFalse();
    assertThat(budget.used()).isEqualTo(400_000 + (64 << 10));
    other.close();
    assertThat(places.makeTwice()).isTrue();
    assertThat(budget.used()).isEqualTo(places.memory()).isEqualTo(128 << 10);
    places.close();
    assertThat(budget.used()).isZero();
    assertThat(places.newTable(1, RecentPlaces.MIN_LOG2)).isNull();
    places.dropOld();
    assertThat(places.count()).isZero();
  }
}
