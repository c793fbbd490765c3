/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.ForwardingFiles;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreFullException;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.StoreVersionException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumeRecordsTest {

  private static final byte[] VOLUME = new byte[StoreIdentity.ID_LENGTH];
  private static final RecordSettings SETTINGS = new RecordSettings(10, 30, 1000);

  @TempDir Path directory;

  private final FailingStores stores = new FailingStores();
  private final String storageId = "DS-" + UUID.randomUUID();
  private final Blocks blocks = new Blocks();
  private final RecordCounters counters = new RecordCounters();
  private final AtomicLong downMillis = new AtomicLong(-1);
  private VolumeRecords records;

  /** Blocks that a test adds, changes and deletes. */
  private static final class Blocks implements BlockInventory {
    final Map<Long, BlockRecord> present = new ConcurrentSkipListMap<>();
    volatile LongConsumer watcher = id -> {};
    final AtomicLong listings = new AtomicLong();
    volatile LongConsumer lookedAt = id -> {};
    volatile long unreadable = -1;
    volatile boolean mayGoBack;

    @Override
    public boolean mayGoBack() {
      return mayGoBack;
    }

    @Override
    public void forEach(LongConsumer ids) {
      listings.incrementAndGet();
      present.keySet().forEach(ids::accept);
    }

    @Override
    public BlockRecord look(long blockId, int reason) throws IOException {
      watcher.accept(blockId);
      if (blockId == unreadable) {
        throw new IOException("Too many open files");
      }
      BlockRecord is = present.get(blockId);
      lookedAt.accept(blockId);
      return is;
    }
  }

  @BeforeEach
  void start() {
    records = open(VOLUME);
  }

  private VolumeRecords open(byte[] volume) {
    return open(volume, directory);
  }

  private VolumeRecords open(byte[] volume, Path place) {
    return open(volume, place, LocalDurableFiles.INSTANCE);
  }

  private VolumeRecords open(byte[] volume, Path place, DurableFiles files) {
    VolumeRecords opened =
        new VolumeRecords(
            stores,
            context(),
            volume,
            place,
            files,
            blocks,
            SETTINGS,
            counters,
            (millis, why) -> downMillis.set(millis));
    opened.start();
    return opened;
  }

  private StoreContext context() {
    return new StoreContext(
        new PluginSettings(new Configuration(false), "metadata.map"),
        directory.resolve("map"),
        storageId,
        "BP-1");
  }

  @AfterEach
  void stop() {
    if (stores.frozen != null) {
      stores.frozen.countDown();
    }
    records.close();
  }

  private static BlockRecord reduced(long length) {
    return BlockRecord.reduced(length, length / 2, new int[] {1}, 5, 0x1F03);
  }

  private void put(long id, BlockRecord record) {
    blocks.present.put(id, record);
    records.changed(id, BlockRecord.NO_REASON);
  }

  private void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private boolean isInStep() {
    return records.status().state() == StoreStatus.State.IN_STEP && records.pending() == 0;
  }

  private Map<Long, BlockRecord> stored() {
    Map<Long, BlockRecord> found = new TreeMap<>();
    try {
      records.scan(
          (key, value) -> {
            try {
              found.put(BlockRecord.blockId(key), BlockRecord.decode(0, value));
            } catch (MetadataException e) {
              found.put(BlockRecord.blockId(key), null);
            }
            return true;
          });
    } catch (MetadataException e) {
      return null;
    }
    return found;
  }

  private void awaitRecords() {
    await("records equal blocks", () -> isInStep() && blocks.present.equals(stored()));
  }

  @Test
  void recordsFollowTheBlocks() throws IOException {
    put(1, reduced(1000));
    put(2, BlockRecord.plain(10, 3, 7, 0));
    awaitRecords();
    assertThat(records.get(1)).isEqualTo(reduced(1000));
    assertThat(records.get(1).location()).isEqualTo("subdir31/subdir3");
    put(1, BlockRecord.plain(1000, 0, 8, 0));
    blocks.present.remove(2L);
    records.changed(2, BlockRecord.NO_REASON);
    awaitRecords();
    assertThat(records.get(2)).isNull();
    assertThat(records.check(false).differences()).isZero();
  }

  @Test
  void newStoreIsFilledWithWhatIsThere() {
    records.close();
    for (long id = 0; id < 3000; id++) {
      blocks.present.put(id, reduced(1000 + id));
    }
    records = open(VOLUME);
    awaitRecords();
  }

  @Test
  void storeClosedInStepIsTrusted() {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    long rebuilds = counters.values().get("metadataRebuilds");
    records = open(VOLUME);
    awaitRecords();
    assertThat(counters.values().get("metadataRebuilds")).isEqualTo(rebuilds);
  }

  @Test
  void blocksThatMayHaveGoneBackAreCompared() {
    put(1, reduced(1000));
    awaitRecords();
    blocks.mayGoBack = true;
    records.close();
    blocks.present.clear();
    blocks.present.put(2L, reduced(2000));
    records = open(VOLUME);
    awaitRecords();
  }

  /** The mark of the run before is not that of this one, in which no record was written. */
  @Test
  void aRunWithoutTheStoreIsNotForgotten() {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    stores.failure = new StoreUnreachableException("down");
    records = open(VOLUME);
    await("a failure", () -> records.status().state() == StoreStatus.State.DOWN);
    blocks.present.clear();
    records.changed(1, BlockRecord.NO_REASON);
    put(2, reduced(2000));
    records.close();
    stores.failure = null;
    records = open(VOLUME);
    awaitRecords();
  }

  /** It waits for the store, which has not failed either. */
  @Test
  void aRunThatIsKilledBeforeTheStoreAnswersIsNotForgotten() {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    CountDownLatch silence = new CountDownLatch(1);
    stores.frozen = silence;
    VolumeRecords killed = open(VOLUME);
    try {
      await("a wait for the store", () -> isWaiting("hdrf-records-" + storageId));
      blocks.present.clear();
      blocks.present.put(2L, reduced(2000));
      killed.changed(1, BlockRecord.NO_REASON);
      killed.changed(2, BlockRecord.NO_REASON);
      stores.frozen = null;
      records = open(VOLUME);
      awaitRecords();
      records.close();
    } finally {
      killed.beginClose();
      silence.countDown();
      killed.close();
    }
  }

  /** To compare them reads all block files, and the first changes come early after a start. */
  @Test
  void aChangeBeforeTheStoreAnswersCostsNoComparison() {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    long before = blocks.listings.get();
    CountDownLatch silence = new CountDownLatch(1);
    stores.frozen = silence;
    records = open(VOLUME);
    await("a wait for the store", () -> isWaiting("hdrf-records-" + storageId));
    put(2, reduced(2000));
    stores.frozen = null;
    silence.countDown();
    await("the store to be open", () -> records.status().state() == StoreStatus.State.IN_STEP);
    await("the change to be written", () -> records.pending() == 0);
    assertThat(blocks.listings).hasValue(before);
    awaitRecords();
  }

  private static boolean isWaiting(String thread) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(
            found -> found.getName().equals(thread) && found.getState() == Thread.State.WAITING);
  }

  @Test
  void aRunWithoutTheStoreAndWithoutAChangeCostsNoComparison() {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    long before = blocks.listings.get();
    for (int run = 0; run < 2; run++) {
      stores.failure = new StoreUnreachableException("down");
      records = open(VOLUME);
      await("a failure", () -> records.status().state() == StoreStatus.State.DOWN);
      records.close();
    }
    stores.failure = null;
    records = open(VOLUME);
    awaitRecords();
    assertThat(blocks.listings).hasValue(before);
  }

  /** Whoever changes a block tells the records of all volumes. */
  @Test
  void nobodyWaitsForAHangingDisk() throws InterruptedException {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    CountDownLatch silence = new CountDownLatch(1);
    CountDownLatch disk = new CountDownLatch(1);
    AtomicBoolean hangs = new AtomicBoolean();
    stores.frozen = silence;
    records =
        open(
            VOLUME,
            directory,
            new ForwardingFiles(LocalDurableFiles.INSTANCE) {
              @Override
              public void deleteIfExists(Path file) throws IOException {
                awaitDisk();
                super.deleteIfExists(file);
              }

              @Override
              public void forceDirectory(Path forced) throws IOException {
                awaitDisk();
                super.forceDirectory(forced);
              }

              private void awaitDisk() throws IOException {
                try {
                  if (hangs.get()) {
                    disk.await();
                  }
                } catch (InterruptedException e) {
                  throw new IOException(e);
                }
              }
            });
    hangs.set(true);
    Thread writer = new Thread(() -> put(2, reduced(2000)));
    writer.start();
    writer.join(TimeUnit.SECONDS.toMillis(30));
    boolean waits = writer.isAlive();
    disk.countDown();
    stores.frozen = null;
    silence.countDown();
    assertThat(waits).isFalse();
    awaitRecords();
  }

  /** A kill may come as soon as the change is known. */
  @Test
  void aChangeDuringTheEndIsNeverVouchedFor() throws IOException {
    for (boolean put : new boolean[] {false, true}) {
      records.close();
      List<String> stale = new ArrayList<>();
      AtomicBoolean ending = new AtomicBoolean();
      records =
          open(
              VOLUME,
              directory,
              new ForwardingFiles(LocalDurableFiles.INSTANCE) {
                @Override
                public DurableFile create(Path file) throws IOException {
                  change(!put);
                  return super.create(file);
                }

                @Override
                public void rename(Path from, Path to) throws IOException {
                  super.rename(from, to);
                  change(put);
                  if (ending.get() && isMarkedInStep()) {
                    stale.add("put: " + put);
                  }
                }

                private void change(boolean now) {
                  if (now && ending.get()) {
                    VolumeRecordsTest.this.put(2, reduced(2000));
                  }
                }
              });
      awaitRecords();
      ending.set(true);
      records.close();
      assertThat(stale).isEmpty();
      assertThat(isMarkedInStep()).isFalse();
    }
  }

  private boolean isMarkedInStep() throws IOException {
    Path mark = directory.resolve(StoreCheckpoint.NAME);
    return java.nio.file.Files.exists(mark) && java.nio.file.Files.readAllBytes(mark)[5] == 1;
  }

  @Test
  void whatIsBeingWrittenIsNotVouchedFor() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    assertThat(records.vouchedFor(new long[] {1})).containsExactly(reduced(1000));
    AtomicReference<BlockRecord[]> found = new AtomicReference<>();
    blocks.lookedAt =
        id -> {
          try {
            found.compareAndSet(null, records.vouchedFor(new long[] {1}));
          } catch (MetadataException e) {
            throw new IllegalStateException(e);
          }
        };
    put(1, reduced(2000));
    await("a look at the block", () -> found.get() != null);
    assertThat(found.get()).containsOnlyNulls();
    blocks.lookedAt = id -> {};
    awaitRecords();
    assertThat(records.vouchedFor(new long[] {1})).containsExactly(reduced(2000));
  }

  /** While others are still looked at, the status is as before. */
  @Test
  void whatCannotBeLookedAtIsNotVouchedFor() {
    put(1, reduced(1000));
    awaitRecords();
    AtomicReference<BlockRecord[]> found = new AtomicReference<>();
    blocks.unreadable = 1;
    blocks.lookedAt =
        id -> {
          try {
            if (id == 900) {
              found.set(records.vouchedFor(new long[] {1}));
            }
          } catch (MetadataException e) {
            throw new IllegalStateException(e);
          }
        };
    for (long id = 1; id <= 900; id++) {
      put(id, reduced(2000));
    }
    await("a look at the last block", () -> found.get() != null);
    assertThat(found.get()).containsOnlyNulls();
    blocks.unreadable = -1;
    awaitRecords();
  }

  @Test
  void aChangeWhileItsRecordIsWrittenIsNotForgotten() {
    put(1, reduced(1000));
    awaitRecords();
    blocks.lookedAt =
        id -> {
          blocks.lookedAt = any -> {};
          put(1, reduced(3000));
        };
    put(1, reduced(2000));
    await("the block's last state", () -> reduced(3000).equals(stored().get(1L)));
    awaitRecords();
  }

  @Test
  void aRunThatKeepsNoRecordsIsNotForgotten() {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    VolumeRecords.distrust(directory, LocalDurableFiles.INSTANCE);
    blocks.present.clear();
    blocks.present.put(2L, reduced(2000));
    records = open(VOLUME);
    awaitRecords();
  }

  @Test
  void changeAfterTheEndIsNotForgotten() {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    put(2, reduced(2000));
    records = open(VOLUME);
    awaitRecords();
  }

  @Test
  void storeThatWasNotClosedIsCompared() {
    put(1, reduced(1000));
    awaitRecords();
    // What a killed process leaves: no mark of an orderly end.
    VolumeRecords killed = records;
    blocks.present.put(2L, reduced(2000));
    records = open(VOLUME);
    awaitRecords();
    await("the first finds itself replaced", () -> killed.status().toString().contains("another"));
    killed.close();
  }

  @Test
  void emptiedStoreIsFilledAgain() {
    put(1, reduced(1000));
    awaitRecords();
    stores.empty(context());
    await("all records are back", () -> isInStep() && blocks.present.equals(stored()));
  }

  @Test
  void olderCopyIsNoticedWhileRunning() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    Map<FailingStores.Key, byte[]> older = stores.copy(context());
    blocks.present.remove(1L);
    records.changed(1, BlockRecord.NO_REASON);
    put(2, reduced(2000));
    awaitRecords();
    stores.restore(context(), older);
    awaitRecords();
  }

  @Test
  void olderCopyIsNoticedAtTheStart() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    Map<FailingStores.Key, byte[]> older = stores.copy(context());
    put(2, reduced(2000));
    awaitRecords();
    records.close();
    stores.restore(context(), older);
    records = open(VOLUME);
    awaitRecords();
  }

  /** As stock code interrupts the thread that ends a pool. */
  @Test
  void anInterruptedCloseLeavesTheMarkAllTheSame() throws Exception {
    put(1, reduced(1000));
    awaitRecords();
    CountDownLatch silence = new CountDownLatch(1);
    stores.frozen = silence;
    await("a wait for the store", () -> isWaiting("hdrf-records-" + storageId));
    Thread later =
        new Thread(
            () -> {
              try {
                Thread.sleep(500);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              stores.frozen = null;
              silence.countDown();
            });
    later.start();
    Thread.currentThread().interrupt();
    records.close();
    assertThat(Thread.interrupted()).isTrue();
    later.join();
    assertThat(directory.resolve(StoreCheckpoint.NAME)).exists();
    long before = blocks.listings.get();
    records = open(VOLUME);
    await("in step", this::isInStep);
    assertThat(blocks.listings).hasValue(before);
  }

  /** Its successor took the mark off the volume, and knows of changes that it does not. */
  @Test
  void recordsThatEndLateLeaveNoMark() throws Exception {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    CountDownLatch silence = new CountDownLatch(1);
    stores.frozen = silence;
    VolumeRecords late = open(VOLUME);
    await("a wait", () -> isWaiting("hdrf-records-" + storageId));
    late.close();
    stores.frozen = null;
    stores.failure = new StoreUnreachableException("down");
    records = open(VOLUME);
    await("down", () -> records.status().state() == StoreStatus.State.DOWN);
    blocks.present.remove(1L);
    records.changed(1, BlockRecord.NO_REASON);
    put(2, reduced(2000));
    silence.countDown();
    late.close();
    assertThat(directory.resolve(StoreCheckpoint.NAME)).doesNotExist();
    stores.failure = null;
    awaitRecords();
  }

  @Test
  void aStoreThatIsReplacedWhileItIsTakenOverIsNotTrusted() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    Map<FailingStores.Key, byte[]> older = stores.copy(context());
    put(2, reduced(2000));
    awaitRecords();
    for (Map<FailingStores.Key, byte[]> other :
        List.of(older, Map.<FailingStores.Key, byte[]>of())) {
      records.close();
      AtomicBoolean replaced = new AtomicBoolean();
      records =
          open(
              VOLUME,
              directory,
              new ForwardingFiles(LocalDurableFiles.INSTANCE) {
                @Override
                public void rename(Path from, Path to) throws IOException {
                  super.rename(from, to);
                  if (to.endsWith(StoreCheckpoint.NAME) && replaced.compareAndSet(false, true)) {
                    stores.restore(context(), other);
                  }
                }
              });
      await("it is replaced", replaced::get);
      awaitRecords();
    }
  }

  @Test
  void storeOfAnotherVolumeIsLeftAlone() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    Map<FailingStores.Key, byte[]> before = stores.copy(context());
    byte[] other = VOLUME.clone();
    other[0] = 1;
    records = open(other);
    await("refusal", () -> records.status().toString().contains("belongs to another volume"));
    assertThat(stores.copy(context()).keySet()).isEqualTo(before.keySet());
  }

  @Test
  void changesWaitForAStoreThatIsDown() {
    awaitRecords();
    stores.failure = new StoreUnreachableException("gone");
    put(1, reduced(1000));
    put(2, reduced(2000));
    await("the failure is told", () -> downMillis.get() > 0);
    assertThat(records.status().state()).isEqualTo(StoreStatus.State.DOWN);
    assertThat(records.pending()).isEqualTo(2);
    stores.failure = null;
    awaitRecords();
  }

  /** Nor does any other block go unrecorded. */
  @Test
  void wantOfMemoryDoesNotEndTheRecords() {
    awaitRecords();
    for (Error fault :
        new Error[] {new OutOfMemoryError("for a test"), new StackOverflowError("for a test")}) {
      AtomicBoolean thrown = new AtomicBoolean();
      blocks.watcher =
          id -> {
            if (thrown.compareAndSet(false, true)) {
              throw fault;
            }
          };
      put(1, reduced(1000));
      await("the failure", thrown::get);
      put(2, reduced(2000));
      awaitRecords();
    }
    assertThat(counters.values().get("metadataFailures")).isEqualTo(2);
  }

  @Test
  void nobodyWaitsForAFrozenStore() {
    awaitRecords();
    stores.frozen = new CountDownLatch(1);
    for (long id = 0; id < 5000; id++) {
      put(id, reduced(1000 + id));
    }
    // A call that waited would have waited for ever.
    assertThat(records.pending()).isLessThanOrEqualTo(SETTINGS.maxPending());
    stores.frozen.countDown();
    awaitRecords();
    assertThat(counters.values().get("metadataOverflows")).isPositive();
  }

  @Test
  void damagedStoreIsSetAsideAndFilled() {
    put(1, reduced(1000));
    awaitRecords();
    stores.failure = new StoreCorruptException("bad block");
    await("set aside", () -> stores.setAside.get() == 1);
    awaitRecords();
  }

  @Test
  void damageThatAReaderMeetsIsMended() {
    put(1, reduced(1000));
    awaitRecords();
    stores.scanFailure = new StoreCorruptException("bad table");
    assertThatThrownBy(() -> records.check(false)).isInstanceOf(StoreCorruptException.class);
    await("set aside", () -> stores.setAside.get() == 1);
    awaitRecords();
  }

  /** Nothing else would ever mend it. */
  @Test
  void damagedIdentityIsClearedWhereNothingIsSetAside() throws IOException {
    stores.fixed = true;
    put(1, reduced(1000));
    awaitRecords();
    damageIdentities();
    await("it is noticed", () -> stores.setAside.get() > 0);
    awaitRecords();
    records.close();
    damageIdentities();
    records = open(VOLUME);
    awaitRecords();
  }

  private void damageIdentities() throws MetadataException {
    stores.set(context(), Table.STATE, StoreIdentity.key(0), new byte[] {1, 2, 3});
    stores.set(context(), Table.STATE, StoreIdentity.key(1), new byte[StoreIdentity.LENGTH]);
  }

  @Test
  void storeOfAnotherVolumeIsNotClearedThoughOneIdentityIsDamaged() throws IOException {
    stores.fixed = true;
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    byte[] other = VOLUME.clone();
    other[0] = 1;
    for (int own = 0; own < 2; own++) {
      damageIdentities();
      stores.set(
          context(),
          Table.STATE,
          StoreIdentity.key(own),
          new StoreIdentity(other, VOLUME, own, true).encode());
      isLeftAlone();
    }
  }

  @Test
  void storeOfAnotherPlaceIsNotClearedThoughItsIdentityIsDamaged() throws IOException {
    stores.fixed = true;
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    damageIdentities();
    stores.set(
        context(),
        Table.STATE,
        StoreOwner.key(),
        StoreOwner.here(directory.resolve("elsewhere"), 1000).encode());
    isLeftAlone();
  }

  private void isLeftAlone() throws IOException {
    Map<FailingStores.Key, byte[]> before = stores.copy(context());
    long failures = counters.values().get("metadataFailures");
    records = open(VOLUME);
    await("attempts", () -> counters.values().get("metadataFailures") > failures + 3);
    records.close();
    assertThat(stores.copy(context())).containsExactlyInAnyOrderEntriesOf(before);
  }

  @Test
  void storeThatIsEmptiedWhileItIsFilledIsFilledAgain() {
    records.close();
    for (long id = 0; id < 2000; id++) {
      blocks.present.put(id, reduced(1000 + id));
    }
    blocks.watcher =
        id -> {
          if (id == 1500) {
            blocks.watcher = any -> {};
            stores.empty(context());
          }
        };
    records = open(VOLUME);
    awaitRecords();
  }

  @Test
  void damagedRecordIsFoundAndMended() throws IOException {
    put(1, reduced(1000));
    put(2, reduced(2000));
    awaitRecords();
    byte[] bad = stores.value(context(), Table.BLOCKS, BlockRecord.key(1)).clone();
    bad[6] ^= 1;
    stores.set(context(), Table.BLOCKS, BlockRecord.key(1), bad);
    stores.set(context(), Table.BLOCKS, BlockRecord.key(9), reduced(9).encode());
    blocks.present.put(3L, reduced(3000));
    CheckResult found = records.check(false);
    assertThat(found.wrong()).isEqualTo(1);
    assertThat(found.extra()).isEqualTo(1);
    assertThat(found.missing()).isEqualTo(1);
    assertThat(found.examples()).hasSize(3).anyMatch(line -> line.contains("block 9"));
    records.check(true);
    assertThat(records.check(false).differences()).isZero();
    awaitRecords();
  }

  @Test
  void rebuildMakesAllRecordsAnew() throws IOException {
    put(1, reduced(1000));
    put(2, BlockRecord.plain(10, 3, 7, 0));
    awaitRecords();
    stores.set(context(), Table.BLOCKS, BlockRecord.key(9), new byte[] {1});
    assertThat(records.begin(RecordTask.Kind.REBUILD).await().missing()).isEqualTo(2);
    awaitRecords();
    assertThat(records.get(2).reason()).as("why it is plain").isEqualTo(3);
  }

  @Test
  void blockThatCannotBeLookedAtIsNotInStepUntilItCan() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    blocks.unreadable = 1;
    put(1, reduced(2000));
    await("it is told", () -> records.status().state() == StoreStatus.State.NOT_IN_STEP);
    assertThat(records.status().toString()).contains("block 1", "Too many open files");
    assertThat(records.get(1)).isEqualTo(reduced(1000));
    blocks.unreadable = -1;
    awaitRecords();
  }

  @Test
  void comparisonWithUnreadableBlocksDoesNotCount() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    blocks.unreadable = 1;
    assertThat(records.check(true).unreadable()).isEqualTo(1);
    await("it is told", () -> records.status().state() == StoreStatus.State.NOT_IN_STEP);
    records.close();
    long rebuilds = counters.values().get("metadataRebuilds");
    blocks.unreadable = -1;
    blocks.present.put(1L, reduced(2000));
    records = open(VOLUME);
    awaitRecords();
    assertThat(counters.values().get("metadataRebuilds")).isGreaterThan(rebuilds);
  }

  @Test
  void repairNeverWritesAnOlderStateOverANewerOne() throws Exception {
    put(1, reduced(1000));
    awaitRecords();
    blocks.present.put(1L, reduced(2000));
    // A look sees the second state; then the block changes, and that is written or queued.
    blocks.lookedAt =
        id -> {
          blocks.lookedAt = any -> {};
          put(1, reduced(3000));
          pause();
        };
    records.check(true);
    awaitRecords();
    assertThat(records.get(1)).isEqualTo(reduced(3000));
  }

  /** Waits as long as pending changes need to be written. */
  private static void pause() {
    pause(20 * SETTINGS.flushMillis());
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void olderCopyIsNoticedWhereverABatchFollowsIt() throws IOException {
    for (int copied = 0; copied < 3; copied++) {
      for (int later = 1; later < 4; later++) {
        for (int between = 0; between < 3; between++) {
          StoreLink link = link();
          write(link, copied);
          Map<FailingStores.Key, byte[]> older = stores.copy(context());
          write(link, later);
          stores.restore(context(), older);
          int losses = link.losses();
          write(link, between);
          link.checkInStep();
          assertThat(link.losses())
              .as("%d batches, a copy, %d batches, put back, %d", copied, later, between)
              .isEqualTo(losses + 1);
          link.close();
        }
      }
    }
  }

  private StoreLink link() throws IOException {
    return link(SETTINGS.checkMillis());
  }

  private StoreLink link(long beatMillis) throws IOException {
    records.close();
    return StoreLink.open(
        stores,
        context(),
        VOLUME,
        directory,
        LocalDurableFiles.INSTANCE,
        null,
        beatMillis,
        false,
        false,
        () -> false);
  }

  private static void write(StoreLink link, int batches) throws IOException {
    for (int i = 0; i < batches; i++) {
      link.write(new StoreBatch(), true);
    }
  }

  @Test
  void olderCopyIsNoticedWithinABatch() throws IOException {
    StoreLink link = link();
    write(link, 2);
    Map<FailingStores.Key, byte[]> older = stores.copy(context());
    write(link, 1);
    // After the batch has looked at the store, and before it is written.
    stores.beforeWrite = batch -> stores.restore(context(), older);
    write(link, 1);
    assertThat(link.checkInStep()).isFalse();
    assertThat(link.isComplete()).isFalse();
    link.close();
  }

  @Test
  void batchThatTheServerMakesMuchLaterIsNoticed() throws IOException {
    StoreLink link = link();
    StoreBatch[] late = new StoreBatch[1];
    stores.beforeWrite =
        batch -> {
          late[0] = batch;
          throw new StoreUnreachableException("timed out");
        };
    StoreBatch first = new StoreBatch().put(Table.BLOCKS, BlockRecord.key(1), new byte[] {1});
    assertThatThrownBy(() -> link.write(first, true)).isInstanceOf(StoreUnreachableException.class);
    link.write(new StoreBatch().put(Table.BLOCKS, BlockRecord.key(1), new byte[] {2}), true);
    assertThat(link.checkInStep()).isTrue();
    stores.write(context(), late[0]);
    assertThat(link.checkInStep()).isFalse();
    link.close();
  }

  @Test
  void olderCopyDuringAComparisonIsNoticed() throws IOException {
    for (long id = 0; id < 3000; id++) {
      blocks.present.put(id, reduced(1000 + id));
    }
    Map<FailingStores.Key, byte[]> older = new java.util.HashMap<>();
    blocks.watcher =
        id -> {
          try {
            if (id == 1000 && older.isEmpty()) {
              older.putAll(stores.copy(context()));
            } else if (id == 2500 && !older.isEmpty()) {
              blocks.watcher = any -> {};
              stores.restore(context(), older);
            }
          } catch (MetadataException e) {
            throw new IllegalStateException(e);
          }
        };
    records.begin(RecordTask.Kind.REBUILD);
    await("it is noticed", () -> counters.values().get("metadataRebuilds") >= 3);
    awaitRecords();
  }

  @Test
  void storeThatForgetsIsNeverVouchedFor() throws IOException {
    stores.forgets = "it evicts";
    put(1, reduced(1000));
    await("it is told", () -> records.status().toString().contains("it evicts"));
    assertThat(records.status().state()).isEqualTo(StoreStatus.State.NOT_IN_STEP);
    records.close();
    long rebuilds = counters.values().get("metadataRebuilds");
    records = open(VOLUME);
    await("it is told", () -> records.status().toString().contains("it evicts"));
    assertThat(counters.values().get("metadataRebuilds")).isGreaterThan(rebuilds);
    stores.delete(context(), Table.BLOCKS, BlockRecord.key(1));
    stores.forgets = null;
    awaitRecords();
  }

  /** Its records counted as right while it did not forget. */
  @Test
  void storeThatForgetsSinceTheLastStartIsCompared() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    stores.delete(context(), Table.BLOCKS, BlockRecord.key(1));
    stores.forgets = "it evicts";
    records = open(VOLUME);
    await("the record is there", () -> blocks.present.equals(stored()));
  }

  @Test
  void copyOfAStorageLeavesTheStoreAlone() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    Path place = java.nio.file.Files.createDirectory(directory.resolve("copy"));
    VolumeRecords copy = open(VOLUME, place);
    await("refusal", () -> copy.status().toString().contains("left alone"));
    assertThat(copy.status().toString()).contains("same identity", "looked at again");
    long rebuilds = counters.values().get("metadataRebuilds");
    put(2, reduced(2000));
    awaitRecords();
    long failures = counters.values().get("metadataFailures");
    await("a later look", () -> counters.values().get("metadataFailures") > failures + 40);
    assertThat(copy.status().toString()).contains("left alone");
    assertThat(counters.values().get("metadataRebuilds")).isEqualTo(rebuilds);
    assertThat(downMillis.get()).as("no failure of the volume").isEqualTo(-1);
    records.close();
    await("the store is free", () -> copy.status().state() == StoreStatus.State.IN_STEP);
    copy.close();
  }

  /** As in containers with one host name: the location that it names is no proof. */
  @Test
  void copiesAtOnePlaceDoNotTakeTheStoreFromEachOther() {
    put(1, reduced(1000));
    awaitRecords();
    VolumeRecords copy = open(VOLUME);
    await("one of two", () -> records.status().toString().contains("left alone"));
    await("the other", () -> copy.status().state() == StoreStatus.State.IN_STEP);
    long rebuilds = counters.values().get("metadataRebuilds");
    long failures = counters.values().get("metadataFailures");
    await("a later look", () -> counters.values().get("metadataFailures") > failures + 40);
    assertThat(records.status().toString()).contains("left alone");
    assertThat(copy.status().state()).isEqualTo(StoreStatus.State.IN_STEP);
    assertThat(counters.values().get("metadataRebuilds")).isEqualTo(rebuilds);
    copy.close();
    awaitRecords();
  }

  /** The store goes back, is emptied and comes back while its dead user is waited for. */
  @Test
  void failoversDuringTheWaitAreNoUser() throws IOException {
    StoreLink dead = link(300);
    write(dead, 1);
    Map<FailingStores.Key, byte[]> older = stores.copy(context());
    write(dead, 2);
    Map<FailingStores.Key, byte[]> newer = stores.copy(context());
    dead.close();
    Map<FailingStores.Key, byte[]> gone = Map.of();
    Path moved = java.nio.file.Files.createDirectory(directory.resolve("moved"));
    records = open(VOLUME, moved);
    long failures = counters.values().get("metadataFailures");
    for (Map<FailingStores.Key, byte[]> state : List.of(older, newer, gone, older)) {
      pause(250);
      stores.restore(context(), state);
    }
    awaitRecords();
    assertThat(counters.values().get("metadataFailures")).isEqualTo(failures);
  }

  @Test
  void storageThatWasMovedTakesItsStoreOver() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    Path moved = java.nio.file.Files.createDirectory(directory.resolve("moved"));
    records = open(VOLUME, moved);
    awaitRecords();
  }

  @Test
  void storageWhoseUserDiedIsTakenOver() throws IOException {
    Path moved = java.nio.file.Files.createDirectory(directory.resolve("moved"));
    StoreLink dead = link();
    write(dead, 1);
    dead.close();
    records = open(VOLUME, moved);
    blocks.present.put(1L, reduced(1000));
    awaitRecords();
  }

  @Test
  void blocksThatChangeMeanwhileAreNoDifference() throws IOException {
    for (long id = 0; id < 600; id++) {
      blocks.present.put(id, reduced(1000 + id));
    }
    records.begin(RecordTask.Kind.REBUILD).await();
    Random random = TestSeed.random("busy");
    blocks.watcher =
        id -> {
          // A finalized block: its file exists some time before its record is requested.
          long added = 1000L + random.nextInt(100_000);
          blocks.present.put(added, reduced(5000));
          new Thread(
                  () -> {
                    try {
                      Thread.sleep(20);
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                    records.changed(added, BlockRecord.NO_REASON);
                  })
              .start();
          blocks.present.put(id, reduced(7000 + id));
          records.changed(id, BlockRecord.NO_REASON);
          if (id > 400) {
            blocks.watcher = any -> {};
          }
        };
    CheckResult result = records.check(false);
    assertThat(result.examples()).isEmpty();
    awaitRecords();
  }

  @Test
  void pagesOfAListingTakeTheInventoryOnce() throws IOException {
    awaitRecords();
    for (long id = 0; id < 1005; id++) {
      blocks.present.put(id * 3, reduced(1000));
    }
    long before = blocks.listings.get();
    List<Long> listed = new ArrayList<>();
    long after = Long.MIN_VALUE;
    for (List<Long> page = records.blockIdsAfter(after, 10);
        !page.isEmpty();
        page = records.blockIdsAfter(after, 10)) {
      listed.addAll(page);
      after = page.get(page.size() - 1);
    }
    assertThat(listed).containsExactlyElementsOf(blocks.present.keySet());
    // One for the pages, and one that finds nothing behind the last.
    assertThat(blocks.listings.get() - before).isLessThanOrEqualTo(2);
  }

  @Test
  void newerStoreIsLeftAlone() throws IOException {
    put(1, reduced(1000));
    awaitRecords();
    records.close();
    byte[] key = StoreIdentity.key(0);
    byte[] identity = stores.value(context(), Table.STATE, key).clone();
    identity[0] = StoreIdentity.VERSION + 1;
    ByteBuffer.wrap(identity)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(identity.length - Integer.BYTES, StoreIdentity.checksum(identity));
    stores.set(context(), Table.STATE, key, identity);
    records = open(VOLUME);
    await("refusal", () -> records.status().toString().contains("version"));
    assertThat(stores.value(context(), Table.STATE, key)).isEqualTo(identity);
    assertThatThrownBy(() -> records.get(1)).isInstanceOf(StoreUnreachableException.class);
  }

  @Test
  void damagedIdentityIsNoNewerVersion() throws IOException {
    byte[] identity = new StoreIdentity(VOLUME, VOLUME, 1, true).encode();
    for (int i = 0; i < identity.length; i++) {
      byte[] damaged = identity.clone();
      damaged[i] ^= 1;
      assertThatThrownBy(() -> StoreIdentity.decode(damaged))
          .as("byte " + i)
          .isInstanceOf(StoreCorruptException.class);
    }
  }

  @Test
  void anyMixOfChangesAndFailuresEndsInStep() {
    Random random = TestSeed.random("records");
    List<MetadataException> failures =
        List.of(new StoreUnreachableException("gone"), new StoreFullException("full"));
    for (int i = 0; i < 400; i++) {
      long id = random.nextInt(50);
      if (random.nextInt(3) == 0) {
        blocks.present.remove(id);
        records.changed(id, BlockRecord.NO_REASON);
      } else {
        put(id, reduced(1000 + random.nextInt(1000)));
      }
      if (random.nextInt(40) == 0) {
        stores.failure = failures.get(random.nextInt(2));
      } else if (random.nextInt(10) == 0) {
        stores.failure = null;
      }
      if (random.nextInt(100) == 0) {
        records.close();
        records = open(VOLUME);
      }
    }
    stores.failure = null;
    awaitRecords();
  }

  @Test
  void damagedValuesAreRefused() throws IOException {
    byte[] good = reduced(1000).encode();
    assertThat(BlockRecord.decode(1, good)).isEqualTo(reduced(1000));
    Random random = TestSeed.random("record");
    List<byte[]> bad = new ArrayList<>();
    for (int bit = 0; bit < good.length * 8; bit++) {
      byte[] flipped = good.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      bad.add(flipped);
    }
    for (int length = 0; length < good.length; length++) {
      bad.add(java.util.Arrays.copyOf(good, length));
    }
    for (int i = 0; i < 1000; i++) {
      byte[] noise = new byte[random.nextInt(80)];
      random.nextBytes(noise);
      bad.add(noise);
    }
    for (byte[] value : bad) {
      assertThatThrownBy(() -> BlockRecord.decode(1, value))
          .isInstanceOfAny(StoreCorruptException.class, StoreVersionException.class);
    }
  }
}
