/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.io.LogCapture;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rebuilds of an index while blocks are stored, the store fails and the DataNode stops. */
@Timeout(120)
class IndexRebuildTest {

  private static final int LENGTH = 300_000;

  @TempDir Path directory;

  private final Random random = TestSeed.random("index-rebuild");
  private final Configuration conf = new Configuration(false);
  private final MetadataStore store = DedupVolume.newStore();
  private volatile Watcher watcher = (operation, batch) -> {};
  private final MemoryBudget budget = new MemoryBudget(1);
  private DedupVolume volume;

  /** Sees calls before the store does, and may fail them. */
  private interface Watcher {
    void called(String operation, StoreBatch batch) throws Exception;
  }

  private void open() throws IOException {
    conf.set("hdrf.dedup.chunk.size", "1k");
    conf.set("hdrf.dedup.frame.size", "32k");
    conf.set("hdrf.dedup.group.size", "16k");
    conf.set("hdrf.dedup.container.size", "128k");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.index.sample", "1");
    MetadataStore watched =
        (MetadataStore)
            Proxy.newProxyInstance(
                MetadataStore.class.getClassLoader(),
                new Class<?>[] {MetadataStore.class},
                (proxy, method, arguments) -> {
                  boolean writes = method.getName().equals("write");
                  watcher.called(method.getName(), writes ? (StoreBatch) arguments[0] : null);
                  try {
                    return method.invoke(store, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    volume =
        new DedupVolume(
            directory, conf, LocalDurableFiles.INSTANCE, "dedup", watched, new TreeMap<>(), budget);
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private byte[] block() {
    byte[] block = new byte[LENGTH];
    random.nextBytes(block);
    return block;
  }

  private boolean isComplete() throws IOException {
    return store.get(Table.STATE, List.of(DedupVolume.COMPLETE)).get(0) != null;
  }

  private static boolean putsEntries(StoreBatch batch) {
    return batch != null
        && batch.changes().stream()
            .anyMatch(change -> change.table() == Table.CHUNKS && change.value() != null);
  }

  private static boolean says(StoreBatch batch, byte[] key) {
    return batch != null
        && batch.changes().stream()
            .anyMatch(change -> change.value() != null && Arrays.equals(change.key(), key));
  }

  private long entries() throws IOException {
    AtomicLong count = new AtomicLong();
    store.scan(
        Table.CHUNKS,
        new byte[0],
        (key, value) -> {
          count.incrementAndGet();
          return true;
        });
    return count.get();
  }

  private void assertFound(long id, byte[] block) throws IOException {
    long before = volume.metric("bytesNew");
    volume.put(id, block, random);
    assertThat(volume.metric("bytesNew")).isEqualTo(before);
    assertThat(volume.get(id, random)).isEqualTo(block);
  }

  @Test
  void whatComesMeanwhileIsNotKeptWaiting() throws Exception {
    open();
    for (long id = 0; id < 8; id++) {
      volume.put(id, block(), random);
    }
    volume.close();
    store.clear();
    byte[] later = block();
    AtomicInteger writes = new AtomicInteger();
    AtomicLong pendingAtTheEnd = new AtomicLong(-1);
    CountDownLatch restarted = new CountDownLatch(1);
    watcher =
        (operation, batch) -> {
          if (putsEntries(batch) && writes.incrementAndGet() == 2) {
            // Until then a put would go to the closed volume.
            restarted.await();
            volume.put(100, later, random);
          } else if (says(batch, DedupVolume.COMPLETE)) {
            pendingAtTheEnd.set(volume.metric("indexPending"));
          }
        };
    volume.restart();
    restarted.countDown();
    volume.awaitIndexed();
    assertThat(pendingAtTheEnd).hasValue(0);
    assertThat(volume.metric("indexRebuilds")).isEqualTo(1);
    volume.restart();
    volume.awaitIndexed();
    assertFound(101, later);
  }

  @Test
  void goesOnWhereItWasWhenTheDataNodeStopped() throws Exception {
    open();
    byte[][] blocks = new byte[8][];
    for (int id = 0; id < 8; id++) {
      blocks[id] = block();
      volume.put(id, blocks[id], random);
    }
    volume.close();
    store.clear();
    AtomicInteger writes = new AtomicInteger();
    watcher =
        (operation, batch) -> {
          if (putsEntries(batch) && writes.incrementAndGet() > 3) {
            throw new StoreUnreachableException("a test");
          }
        };
    volume.restart();
    while (volume.metric("indexFailures") == 0) {
      Thread.sleep(5);
    }
    volume.close();
    long done = entries();
    assertThat(done).isPositive();
    AtomicLong least = new AtomicLong(Long.MAX_VALUE);
    watcher =
        (operation, batch) -> {
          if (operation.equals("write")) {
            least.accumulateAndGet(entries(), Math::min);
          }
        };
    volume.restart();
    volume.awaitIndexed();
    assertThat(volume.metric("indexRebuilds")).isZero();
    assertThat(least.get()).isGreaterThanOrEqualTo(done);
    volume.restart();
    volume.awaitIndexed();
    for (int id = 0; id < 8; id++) {
      assertFound(100 + id, blocks[id]);
    }
  }

  @Test
  void chunksThatCameWhenTooManyWaitedAreAddedLaterAndNothingElse() throws Exception {
    open();
    byte[] first = block();
    volume.put(1, first, random);
    volume.awaitIndexed();
    long before = entries();
    watcher =
        (operation, batch) -> {
          throw new StoreUnreachableException("a test");
        };
    byte[] fingerprints = new byte[32 * 1024];
    long[] refs = new long[1024];
    for (int i = 0; i < 256; i++) {
      random.nextBytes(fingerprints);
      Arrays.fill(refs, ChunkRef.pack(1 << 20, i));
      ((DedupCodec) volume.dedup()).index.publish(fingerprints, refs, 1024);
    }
    byte[] dropped = block();
    volume.put(2, dropped, random);
    assertThat(volume.metric("indexEntriesDropped")).isPositive();
    long rebuilds = volume.metric("indexRebuilds");
    AtomicInteger removals = new AtomicInteger();
    watcher =
        (operation, batch) -> {
          if (batch != null
              && batch.changes().stream()
                  .anyMatch(c -> c.table() == Table.CHUNKS && c.value() == null)) {
            removals.incrementAndGet();
          }
        };
    long chunks = volume.metric("chunksNew");
    while (entries() < (1 << 18) + chunks) {
      Thread.sleep(10);
    }
    assertThat(before).isPositive();
    assertThat(removals).hasValue(0);
    assertThat(volume.metric("indexRebuilds")).isEqualTo(rebuilds);
    volume.restart();
    volume.awaitIndexed();
    assertFound(3, dropped);
    assertFound(4, first);
  }

  @Test
  void entriesOfFiltersThatWereGivenUpGo() throws Exception {
    conf.set("hdrf.dedup.dba.capacity", "256");
    conf.set("hdrf.dedup.dba.memory", "8k");
    open();
    volume.awaitIndexed();
    for (long id = 0; id < 20; id++) {
      volume.put(id, block(), random);
      volume.awaitIndexed();
    }
    long chunks = volume.metric("chunksNew");
    while (volume.metric("indexEntriesRemoved") < chunks / 4) {
      Thread.sleep(20);
    }
    assertThat(volume.metric("dbaRetired")).isPositive();
    // Those of the last filter that was given up may be going now.
    while (entries()
        != volume.metric("indexEntriesWritten") - volume.metric("indexEntriesRemoved")) {
      Thread.sleep(20);
    }
    Set<Integer> segments = new HashSet<>();
    store.scan(
        Table.CHUNKS,
        new byte[0],
        (key, value) -> {
          segments.add(ByteBuffer.wrap(key).getInt());
          return true;
        });
    assertThat(segments.size()).isLessThan((int) (chunks / 256));
  }

  /** Deleting a large index steps over each entry once. */
  @Test
  void clearingPassesEachEntryOnce() throws Exception {
    open();
    for (long id = 0; id < 20; id++) {
      volume.put(id, block(), random);
    }
    volume.awaitIndexed();
    long entries = entries();
    assertThat(entries).isGreaterThan(4096);
    volume.close();
    store.write(new StoreBatch().delete(Table.STATE, DedupVolume.COMPLETE));
    AtomicInteger scans = new AtomicInteger();
    watcher =
        (operation, batch) -> {
          if (operation.equals("scan") && !isComplete()) {
            scans.incrementAndGet();
          }
        };
    volume.restart();
    volume.awaitIndexed();
    assertThat(entries()).isEqualTo(entries);
    assertThat(scans.get()).isLessThanOrEqualTo(6);
  }

  /** As a Redis that has no memory left, but still deletes. */
  @Test
  void attemptsThatTheStoreRefusesLeaveNoFilters() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    watcher =
        (operation, batch) -> {
          if (batch != null
              && batch.changes().stream().anyMatch(change -> change.value() != null)) {
            refused.incrementAndGet();
            throw new StoreUnreachableException("test", new IOException("out of memory"));
          }
        };
    open();
    await(refused, 1);
    long least = Long.MAX_VALUE;
    do {
      // Between two attempts, when what the first one had is given back.
      least = Math.min(least, budget.limit());
      Thread.sleep(5);
    } while (refused.get() < 2);
    await(refused, 4);
    while (budget.limit() != least) {
      Thread.sleep(5);
    }
    watcher = (operation, batch) -> {};
    volume.awaitIndexed();
    volume.close();
    assertThat(budget.usedByUser()).isEmpty();
  }

  private static void await(AtomicInteger count, int wanted) throws InterruptedException {
    while (count.get() < wanted) {
      Thread.sleep(5);
    }
  }

  /** As after the loss of much of a disk. */
  @Test
  void ofManyContainersThatCanNotBeReadTenAreNamed() throws Exception {
    open();
    for (long id = 0; id < 6; id++) {
      volume.put(id, block(), random);
    }
    volume.close();
    List<Path> files;
    try (Stream<Path> found = Files.walk(directory)) {
      files = found.filter(file -> file.toString().endsWith(".hdc")).toList();
    }
    assertThat(files).hasSizeGreaterThan(11);
    for (Path file : files) {
      Files.write(file, new byte[(int) Files.size(file)]);
    }
    store.clear();
    try (LogCapture warnings = new LogCapture(Level.WARN)) {
      open();
      volume.awaitIndexed();
      List<String> lines =
          warnings.all().lines().filter(line -> line.contains("can't be indexed")).toList();
      assertThat(lines).hasSize(11);
      assertThat(lines.get(10)).contains((files.size() - 10) + " more containers");
    }
  }
}
