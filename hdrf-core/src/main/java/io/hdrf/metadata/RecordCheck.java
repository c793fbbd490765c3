/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Compares every record with its block, and every block with its record, and writes what differs
 * where that is wanted. It is what rebuilding, repairing and checking have in common. For one
 * thread.
 */
public final class RecordCheck {

  /** Records written or looked up at a time. */
  static final int BATCH = 512;

  private final MetadataStore store;
  private final BlockInventory inventory;
  private final boolean repair;
  private final BooleanSupplier stopping;
  private final LongConsumer progress;
  private final CheckResult result = new CheckResult();

  /**
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
    this.store = store;
    this.inventory = inventory;
    this.repair = repair;
    this.stopping = stopping;
    this.progress = progress;
  }

  /**
   * Compares all. What changes meanwhile is compared as it is when its turn comes; whoever changes
   * a block has its record written afterwards.
   *
   * @return null if it was stopped
   */
  public CheckResult run() throws IOException {
    long[] present = blockIds();
    for (int from = 0; from < present.length; from += BATCH) {
      if (stopping.getAsBoolean()) {
        return null;
      }
      compare(Arrays.copyOfRange(present, from, Math.min(from + BATCH, present.length)));
      progress.accept(Math.min(from + BATCH, present.length));
    }
    List<byte[]> strangers = new ArrayList<>();
    store.scan(
        Table.BLOCKS,
        new byte[0],
        (key, value) -> {
          if (key.length != Long.BYTES
              || Arrays.binarySearch(present, BlockRecord.blockId(key)) < 0) {
            strangers.add(key);
          }
          return !stopping.getAsBoolean();
        });
    for (int from = 0; from < strangers.size(); from += BATCH) {
      removeWhereGone(strangers.subList(from, Math.min(from + BATCH, strangers.size())));
    }
    return stopping.getAsBoolean() ? null : result;
  }

  private long[] blockIds() throws IOException {
    LongList ids = new LongList();
    inventory.forEach(ids);
    long[] present = ids.toArray();
    Arrays.sort(present);
    return present;
  }

  private void compare(long[] ids) throws IOException {
    List<byte[]> keys = new ArrayList<>();
    for (long id : ids) {
      keys.add(BlockRecord.key(id));
    }
    List<byte[]> values = store.get(Table.BLOCKS, keys);
    StoreBatch batch = new StoreBatch();
    for (int i = 0; i < ids.length; i++) {
      BlockRecord is;
      try {
        is = inventory.look(ids[i], BlockRecord.NO_REASON);
      } catch (IOException e) {
        result.unreadable(ids[i], e.getMessage());
        continue;
      }
      if (is != null) {
        result.block();
        if (!agrees(ids[i], is, values.get(i))) {
          batch.put(Table.BLOCKS, keys.get(i), is.encode());
        }
      }
    }
    write(batch);
  }

  private boolean agrees(long id, BlockRecord is, byte[] value) {
    if (value == null) {
      result.missing(id, is);
      return false;
    }
    try {
      BlockRecord record = BlockRecord.decode(id, value);
      if (!record.agreesWith(is)) {
        result.wrong(id, is, record.toString());
        return false;
      }
      return true;
    } catch (MetadataException e) {
      result.wrong(id, is, e.getMessage());
      return false;
    }
  }

  private void removeWhereGone(List<byte[]> keys) throws IOException {
    StoreBatch batch = new StoreBatch();
    for (byte[] key : keys) {
      long id = key.length == Long.BYTES ? BlockRecord.blockId(key) : -1;
      if (key.length != Long.BYTES || inventory.look(id, BlockRecord.NO_REASON) == null) {
        result.extra(id);
        batch.delete(Table.BLOCKS, key);
      }
    }
    write(batch);
  }

  private void write(StoreBatch batch) throws MetadataException {
    if (repair && batch.size() > 0) {
      store.write(batch, Durability.PROCESS);
    }
  }

  /** Longs without a box each. */
  private static final class LongList implements LongConsumer {
    private long[] values = new long[BATCH];
    private int size;

    @Override
    public void accept(long value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, 2 * size);
      }
      values[size++] = value;
    }

    long[] toArray() {
      return Arrays.copyOf(values, size);
    }
  }
}
