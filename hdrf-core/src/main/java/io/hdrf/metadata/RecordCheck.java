/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Compares every record with its block, and every block with its record, and on request corrects
 * the records. Rebuilding, repairing and checking share it. For one thread, on a running DataNode
 * that of {@link VolumeRecords}, so that no older state of a block overwrites a newer one.
 *
 * <p>Blocks change meanwhile, and their records some time later. So a first mismatch does not
 * count: the block is compared again at the end, after pending changes have been written.
 */
public final class RecordCheck {

  /** Records written or looked up at a time. */
  static final int BATCH = 512;

  private static final String TO_BE_MADE_ANEW =
      "; its records are to be made anew, see hdrf rebuild-metadata";

  /** The treatment of differences. */
  enum Mode {
    /** Counts them. */
    LOOK,
    /** Counts and corrects them. */
    MEND,
    /** Writes each difference immediately: no record was trusted anyway. */
    MAKE
  }

  /** Receives the progress of a check. */
  @FunctionalInterface
  public interface Progress {

    /**
     * Called after each batch.
     *
     * @param done the number of compared blocks
     * @param total the number of all blocks
     */
    void set(long done, long total);
  }

  /** The needs of a check. All calls come on the check's thread. */
  interface Host {

    boolean isStopping();

    /** As {@link Progress#set}. */
    void progress(long done, long total);

    /** Writes corrections. */
    void write(StoreBatch batch) throws IOException;

    /** Called between two batches. */
    default void between() throws IOException {}

    /** Called now and then while all records are read; must not change the table of records. */
    default void alive() throws IOException {}

    /** Writes pending changes, before mismatches are compared again. */
    default void settle() throws IOException {}

    /** Returns whether a change of a block's record is pending. */
    default boolean isUnderWay(long blockId) {
      return false;
    }

    /** Called for a block that can't be read; its record stays as it is. */
    default void unreadable(long blockId) {}

    /** Returns why a block is plain, if it is and that is known. */
    default int reason(long blockId) {
      return BlockRecord.NO_REASON;
    }
  }

  /**
   * The maximum number of records without a block taken into memory: more than a volume has blocks.
   */
  static final int MAX_STRANGERS = 1 << 24;

  /** The maximum number of keys that are not a block's. No store that HDRF wrote has any. */
  static final int MAX_NO_KEYS = 1 << 16;

  private final MetadataStore store;
  private final BlockInventory inventory;
  private final Mode mode;
  private final Host host;
  private final CheckResult result = new CheckResult();
  private LongList suspects = new LongList();

  RecordCheck(MetadataStore store, BlockInventory inventory, Mode mode, Host host) {
    this.store = store;
    this.inventory = inventory;
    this.mode = mode;
    this.host = host;
  }

  /**
   * Makes a check of a store that nothing else uses.
   *
   * @param repair whether differing records are corrected
   * @param stopping returns true to stop; called now and then
   * @param progress receives the number of compared blocks and that of all, after each batch
   */
  public RecordCheck(
      MetadataStore store,
      BlockInventory inventory,
      boolean repair,
      BooleanSupplier stopping,
      Progress progress) {
    this(
        store,
        inventory,
        repair ? Mode.MEND : Mode.LOOK,
        new Alone(store, stopping, progress, PlainReasons.none()));
  }

  /** The host of a check of a store that nothing else uses. */
  private static final class Alone implements Host {
    private final MetadataStore store;
    private final BooleanSupplier stopping;
    private final Progress progress;
    private final PlainReasons reasons;

    Alone(MetadataStore store, BooleanSupplier stopping, Progress progress, PlainReasons reasons) {
      this.store = store;
      this.stopping = stopping;
      this.progress = progress;
      this.reasons = reasons;
    }

    @Override
    public boolean isStopping() {
      return stopping.getAsBoolean();
    }

    @Override
    public void progress(long done, long total) {
      progress.set(done, total);
    }

    @Override
    public void write(StoreBatch batch) throws IOException {
      store.write(batch);
    }

    @Override
    public int reason(long blockId) {
      return reasons.of(blockId);
    }
  }

  /**
   * Empties a store that nothing else uses, and makes all records again. Keeps the reasons why
   * blocks are plain, which only the old records have.
   *
   * @param progress receives the number of compared blocks and that of all, after each batch
   */
  public static CheckResult rebuild(
      MetadataStore store, BlockInventory inventory, Progress progress) throws IOException {
    PlainReasons reasons = PlainReasons.of(store);
    // Comes first: a store that can't be filled again must not be emptied.
    long[] present = present(inventory);
    store.clear();
    return new RecordCheck(
            store, inventory, Mode.MAKE, new Alone(store, () -> false, progress, reasons))
        .run(present);
  }

  /**
   * Compares all blocks and records. A block that changes meanwhile is compared in its state at
   * that time; its change writes the record afterwards.
   *
   * @return null if it was stopped
   */
  public CheckResult run() throws IOException {
    return run(present(inventory));
  }

  private static long[] present(BlockInventory inventory) throws IOException {
    LongList ids = new LongList();
    inventory.forEach(ids);
    return ids.sorted();
  }

  private CheckResult run(long[] present) throws IOException {
    for (int from = 0; from < present.length && !host.isStopping(); from += BATCH) {
      host.between();
      int to = Math.min(from + BATCH, present.length);
      compare(Arrays.copyOfRange(present, from, to), mode == Mode.MAKE);
      host.progress(to, present.length);
    }
    compareStrangers(present);
    if (mode != Mode.MAKE && !host.isStopping()) {
      long[] again = suspects.toArray();
      if (again.length > 0) {
        host.settle();
      }
      for (int from = 0; from < again.length && !host.isStopping(); from += BATCH) {
        host.between();
        compare(Arrays.copyOfRange(again, from, Math.min(from + BATCH, again.length)), true);
      }
    }
    return host.isStopping() ? null : result;
  }

  /** Compares the records of blocks that did not exist. */
  private void compareStrangers(long[] present) throws IOException {
    LongList strangers = new LongList();
    List<byte[]> noKeys = new ArrayList<>();
    long[] shown = new long[1];
    IOException[] failure = new IOException[1];
    store.scan(
        Table.BLOCKS,
        new byte[0],
        (key, value) -> {
          if (key.length == 0 || key.length > MetadataStore.MAX_KEY_LENGTH) {
            failure[0] =
                new StoreCorruptException(
                    "the store has a key of " + key.length + " bytes" + TO_BE_MADE_ANEW);
            return false;
          } else if (key.length != Long.BYTES) {
            noKeys.add(key);
          } else if (Arrays.binarySearch(present, BlockRecord.blockId(key)) < 0) {
            strangers.accept(BlockRecord.blockId(key));
          }
          if (noKeys.size() > MAX_NO_KEYS || strangers.size() > MAX_STRANGERS) {
            failure[0] =
                new StoreCorruptException(
                    "the store tells of more than "
                        + (noKeys.size() > MAX_NO_KEYS
                            ? MAX_NO_KEYS + " blocks without a number"
                            : MAX_STRANGERS + " blocks that are not here")
                        + TO_BE_MADE_ANEW);
            return false;
          }
          if (++shown[0] % BATCH != 0) {
            return true;
          }
          try {
            host.alive();
          } catch (IOException e) {
            failure[0] = e;
          }
          return failure[0] == null && !host.isStopping();
        });
    if (failure[0] != null) {
      throw failure[0];
    }
    if (host.isStopping()) {
      return;
    }
    long[] ids = strangers.toArray();
    for (int from = 0; from < ids.length && !host.isStopping(); from += BATCH) {
      host.between();
      compare(Arrays.copyOfRange(ids, from, Math.min(from + BATCH, ids.length)), mode == Mode.MAKE);
    }
    StoreBatch batch = new StoreBatch();
    for (byte[] key : noKeys) {
      result.extra(-1);
      batch.delete(Table.BLOCKS, key);
    }
    write(batch);
  }

  /**
   * @param certain whether differences count and are corrected on request; otherwise they are kept
   *     for a second comparison
   */
  private void compare(long[] ids, boolean certain) throws IOException {
    List<byte[]> keys = new ArrayList<>();
    for (long id : ids) {
      keys.add(BlockRecord.key(id));
    }
    List<byte[]> values = store.get(Table.BLOCKS, keys);
    StoreBatch batch = new StoreBatch();
    for (int i = 0; i < ids.length; i++) {
      long id = ids[i];
      BlockRecord is;
      try {
        is = inventory.look(id, host.reason(id));
      } catch (IOException e) {
        result.unreadable(id, e.getMessage());
        host.unreadable(id);
        continue;
      }
      BlockRecord record = decoded(id, values.get(i));
      if (agree(is, record, values.get(i) != null)) {
        count(is);
      } else if (!certain) {
        suspects.accept(id);
      } else if (host.isUnderWay(id)) {
        count(is);
      } else {
        count(is);
        differs(id, is, record, values.get(i) != null);
        if (is == null) {
          batch.delete(Table.BLOCKS, keys.get(i));
        } else {
          batch.put(Table.BLOCKS, keys.get(i), is.encode());
        }
      }
    }
    write(batch);
  }

  private void count(BlockRecord is) {
    if (is != null) {
      result.block();
    }
  }

  /** Returns null if it can't be read. */
  static BlockRecord decoded(long id, byte[] value) {
    try {
      return value == null ? null : BlockRecord.decode(id, value);
    } catch (MetadataException e) {
      return null;
    }
  }

  private static boolean agree(BlockRecord is, BlockRecord record, boolean stored) {
    if (is == null || record == null) {
      return is == null && !stored;
    }
    return record.agreesWith(is);
  }

  private void differs(long id, BlockRecord is, BlockRecord record, boolean stored) {
    if (is == null) {
      result.extra(id);
    } else if (!stored) {
      result.missing(id, is);
    } else {
      result.wrong(id, is, record == null ? "nothing that can be read" : record.toString());
    }
  }

  private void write(StoreBatch batch) throws IOException {
    if (mode != Mode.LOOK && batch.size() > 0) {
      host.write(batch);
    }
  }
}
