/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreVisitor;
import io.hdrf.spi.store.Table;
import io.hdrf.spi.thread.RepeatingThread;
import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the records of one pool on one volume in step with its blocks. A separate thread makes all
 * calls to the store: nothing else ever waits for it.
 *
 * <p>The queue has the ids of changed blocks, not records; the thread looks at each block and
 * writes its state at that time. So the order of changes does not matter, and a change that waited
 * while the store was down is written with the block's latest state. If changes are lost (too many
 * waited, the process was killed, the store lost or restored from an older copy), all records are
 * compared with the blocks; a new store is filled in the same way. Safe for use by many threads.
 */
public final class VolumeRecords implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(VolumeRecords.class);

  /** How long {@link #close} waits for the store to take the remaining changes. */
  private static final long CLOSE_SECONDS = 10;

  private final StoreContext context;
  private final Path directory;
  private final BlockInventory inventory;
  private final RecordCounters counters;
  private final ChangedBlocks changes;
  private final RecordKeeper keeper;
  private final RepeatingThread thread;

  /** The ids of all blocks, for the next pages of a listing; 8 bytes for each block. */
  private volatile SoftReference<long[]> listing;

  /**
   * @param volume the volume's id, {@link StoreIdentity#ID_LENGTH} bytes
   * @param directory HDRF's directory of the pool on the volume
   */
  public VolumeRecords(
      MetadataStoreProvider provider,
      StoreContext context,
      byte[] volume,
      Path directory,
      DurableFiles files,
      BlockInventory inventory,
      RecordSettings settings,
      RecordCounters counters,
      StoreListener listener) {
    this.context = context;
    this.directory = directory;
    this.inventory = inventory;
    this.counters = counters;
    this.changes = new ChangedBlocks(directory, files, settings.maxPending());
    this.keeper =
        new RecordKeeper(
            provider, context, volume, directory, files, inventory, settings, counters, listener,
            changes);
    this.thread = new RepeatingThread("hdrf-records-" + context.storageId(), keeper);
  }

  /**
   * Starts to keep records. Call it once, before any call of {@link #changed}. Waits for the
   * volume's disk, which loses the mark of the last orderly end.
   */
  public void start() {
    keeper.takeMark();
    thread.start();
  }

  /**
   * Notes that a block came, went, or has another form. Never waits, but after {@link #close} for
   * the volume's disk.
   *
   * @param reason why it is plain, as for {@link BlockRecord#plain}, if it is and that is known;
   *     otherwise {@link BlockRecord#NO_REASON}
   */
  public void changed(long blockId, int reason) {
    if (!changes.add(blockId, reason)) {
      counters.overflow();
    }
  }

  /** Starts a task on the thread that writes the records. Never waits. */
  public RecordTask begin(RecordTask.Kind kind) {
    return keeper.begin(kind);
  }

  /** Returns the status of the store. */
  public StoreStatus status() {
    return keeper.status();
  }

  /** Returns the number of changes that wait to be written. */
  public int pending() {
    return changes.size() + keeper.unreadable();
  }

  /** Returns the volume's id in HDFS. */
  public String storageId() {
    return context.storageId();
  }

  public String poolId() {
    return context.poolId();
  }

  /**
   * Looks up a record. May take as long as the store's time-out.
   *
   * @return null if there is none
   */
  public BlockRecord get(long blockId) throws MetadataException {
    byte[] value = encoded(Collections.singletonList(blockId)).get(0);
    return value == null ? null : BlockRecord.decode(blockId, value);
  }

  /**
   * Looks up records that are known to be those of their blocks' present files, as far as nothing
   * but HDFS and HDRF changes these. May take as long as the store's time-out.
   *
   * @return as many records as ids; null for a block without one, or with one that can't be read or
   *     is about to be written. All are null unless the store is in step with the blocks
   */
  public BlockRecord[] vouchedFor(long[] blockIds) throws MetadataException {
    BlockRecord[] records = new BlockRecord[blockIds.length];
    boolean[] changing = new boolean[blockIds.length];
    for (int i = 0; i < blockIds.length; i++) {
      changing[i] = changes.contains(blockIds[i]);
    }
    // Afterwards: what can't be looked at is no longer a change.
    if (keeper.unreadable() > 0 || status().state() != StoreStatus.State.IN_STEP) {
      return records;
    }
    List<byte[]> values = encoded(LongStream.of(blockIds).boxed().collect(Collectors.toList()));
    for (int i = 0; i < blockIds.length; i++) {
      if (!changing[i] && !changes.contains(blockIds[i])) {
        records[i] = RecordCheck.decoded(blockIds[i], values.get(i));
      }
    }
    return records;
  }

  /**
   * Returns at most {@code limit} blocks with ids above {@code after}, ascending; {@link
   * Long#MIN_VALUE} begins a listing. Later pages show the blocks that existed when it began:
   * listing all blocks reads the inventory once, not once for each page.
   */
  public List<Long> blockIdsAfter(long after, int limit) throws IOException {
    SoftReference<long[]> reference = listing;
    long[] ids = reference == null || after == Long.MIN_VALUE ? null : reference.get();
    if (ids == null) {
      LongList all = new LongList();
      inventory.forEach(all);
      ids = all.sorted();
    }
    int found = Arrays.binarySearch(ids, after);
    int from = found < 0 ? -found - 1 : found + 1;
    int to = Math.min(ids.length, from + limit);
    listing = to < ids.length ? new SoftReference<>(ids) : null;
    List<Long> page = new ArrayList<>(to - from);
    for (int i = from; i < to; i++) {
      page.add(ids[i]);
    }
    return page;
  }

  /** Returns the values of many records as they are stored, null for a block without one. */
  public List<byte[]> encoded(List<Long> blockIds) throws MetadataException {
    List<byte[]> keys = new ArrayList<>();
    for (long id : blockIds) {
      keys.add(BlockRecord.key(id));
    }
    return ask(store -> store.get(Table.BLOCKS, keys));
  }

  /** Looks at the block itself; see {@link BlockInventory#look}. */
  public BlockRecord look(long blockId) throws IOException {
    return inventory.look(blockId, BlockRecord.NO_REASON);
  }

  /** Returns HDRF's directory of the pool on the volume. */
  public Path directory() {
    return directory;
  }

  /** Passes all records as they are stored. May take as long as the store needs. */
  public void scan(StoreVisitor visitor) throws MetadataException {
    ask(
        store -> {
          store.scan(Table.BLOCKS, new byte[0], visitor);
          return null;
        });
  }

  /** Asks the store. If that finds damage, the store is set aside and its records are rebuilt. */
  <T> T ask(RecordKeeper.Question<T> question) throws MetadataException {
    return keeper.ask(question);
  }

  /**
   * Compares all records with the blocks, and corrects differences if requested; waits for the end.
   * Pending changes are no differences.
   *
   * @return null if this is being closed
   */
  public CheckResult check(boolean repair) throws IOException {
    return begin(repair ? RecordTask.Kind.REPAIR : RecordTask.Kind.CHECK).await();
  }

  /**
   * Has the records of a volume compared with its blocks when they are kept again: nobody keeps
   * them now. An absent mark is ignored.
   */
  public static void distrust(Path directory, DurableFiles files) {
    try {
      if (Files.exists(directory.resolve(StoreCheckpoint.NAME))) {
        StoreCheckpoint.remove(directory, files);
      }
    } catch (IOException e) {
      LOG.warn("{} may miss a record; 'hdrf fsck --repair' mends that", directory, e);
    }
  }

  /** Begins to close, without waiting. */
  public void beginClose() {
    thread.stop();
    keeper.beginStop();
  }

  /** Writes the remaining changes and closes the store, or gives up after a few seconds. */
  @Override
  public void close() {
    beginClose();
    // Stock code ends a pool on a thread that it has interrupted.
    if (!thread.joinUninterruptibly(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS))) {
      LOG.warn("The store of records for {} takes long to close", directory);
      changes.abandon();
    }
  }
}
