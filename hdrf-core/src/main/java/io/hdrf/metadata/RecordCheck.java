/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.store.Durability;
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
import java.util.function.LongConsumer;

/**
 * Compares every record with its block, and every block with its record, and writes what differs
 * where that is wanted. It is what rebuilding, repairing and checking have in common. For one
 * thread, on a running DataNode that of {@link VolumeRecords}: then nobody writes an older state of
 * a block over a newer one.
 *
 * <p>Blocks change meanwhile, and their records some time after them. So what differs is no
 * difference yet: it is looked at once more at the end, when what was under way has been written.
 */
public final class RecordCheck {

  /** Records written or looked up at a time. */
  static final int BATCH = 512;

  private static final String TO_BE_MADE_ANEW =
      "; its records are to be made anew, see hdrf rebuild-metadata";

  /** What is done about differences. */
  enum Mode {
    /** They are counted. */
    LOOK,
    /** They are counted, and mended. */
    MEND,
    /** All that differs is written at once: nothing was trusted anyway. */
    MAKE
  }

  /** What a check needs of whoever runs it. All calls come on the check's thread. */
  interface Host {

    boolean isStopping();

    /** How many blocks were compared so far. */
    void progress(long blocks);

    /** Writes what differs. */
    void write(StoreBatch batch) throws IOException;

    /** Between two batches. */
    default void between() throws IOException {}

    /** Now and then while all records are read; the table of records is not to be changed. */
    default void alive() throws IOException {}

    /** Has changes that are under way written, before what differs is looked at once more. */
    default void settle() throws IOException {}

    /** Whether a block's record is about to be written. */
    default boolean isUnderWay(long blockId) {
      return false;
    }

    /** A block can't be looked at; its record stays as it is. */
    default void unreadable(long blockId) {}

    /** Why a block is plain, if it is and that is known. */
    default int reason(long blockId) {
      return BlockRecord.NO_REASON;
    }
  }

  /** Of records without a block, how many are taken into memory: more than a volume has blocks. */
  static final int MAX_STRANGERS = 1 << 24;

  /** Of keys that are none of a block. No store that HDRF wrote has any. */
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
   * A check of a store that nobody else uses.
   *
   * @param repair whether what differs is written
   * @param stopping asked now and then whether to stop
   * @param progress told how many blocks were compared, after each batch
   */
  public RecordCheck(
      MetadataStore store,
      BlockInventory inventory,
      boolean repair,
      BooleanSupplier stopping,
      LongConsumer progress) {
    this(
        store,
        inventory,
        repair ? Mode.MEND : Mode.LOOK,
        new Alone(store, stopping, progress, PlainReasons.none()));
  }

  /** Nobody else uses the store. */
  private static final class Alone implements Host {
    private final MetadataStore store;
    private final BooleanSupplier stopping;
    private final LongConsumer progress;
    private final PlainReasons reasons;

    Alone(
        MetadataStore store,
        BooleanSupplier stopping,
        LongConsumer progress,
        PlainReasons reasons) {
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
    public void progress(long blocks) {
      progress.accept(blocks);
    }

    @Override
    public void write(StoreBatch batch) throws IOException {
      store.write(batch, Durability.PROCESS);
    }

    @Override
    public int reason(long blockId) {
      return reasons.of(blockId);
    }
  }

  /**
   * Empties a store that nobody else uses, and makes all records anew. Why blocks are plain, which
   * the old records alone tell, is kept.
   *
   * @param progress told how many blocks were compared, after each batch
   */
  public static CheckResult rebuild(
      MetadataStore store, BlockInventory inventory, LongConsumer progress) throws IOException {
    PlainReasons reasons = PlainReasons.of(store);
    // First: a store is not emptied that can't be filled again.
    long[] present = present(inventory);
    store.clear();
    return new RecordCheck(
            store, inventory, Mode.MAKE, new Alone(store, () -> false, progress, reasons))
        .run(present);
  }

  /**
   * Compares all. What changes meanwhile is compared as it is when its turn comes; whoever changes
   * a block has its record written afterwards.
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
      host.progress(to);
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

  /** Those of blocks that were not there. */
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
   * @param certain whether what differs is counted, and written where that is wanted; otherwise it
   *     is kept to be looked at again
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

  /** Null where it can't be read. */
  private static BlockRecord decoded(long id, byte[] value) {
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
