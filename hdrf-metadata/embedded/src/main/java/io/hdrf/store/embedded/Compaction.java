/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.spi.thread.HdrfThreads;
import java.util.function.BooleanSupplier;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/**
 * Rewrites a table, on a thread of its own, so that the caller's can look whether that is still
 * wanted: RocksDB does not ask, but can be told. For one use.
 */
final class Compaction {

  private static final long LOOK_MILLIS = 20;

  private final RocksDB database;
  private final ColumnFamilyHandle table;
  private RocksDBException failure;

  Compaction(RocksDB database, ColumnFamilyHandle table) {
    this.database = database;
    this.table = table;
  }

  /**
   * Returns when the table has been rewritten, or soon after that is not wanted any more: when
   * {@code stopping} says so, or the thread is interrupted, which it then stays. Nothing uses the
   * handles any more by then.
   */
  void run(BooleanSupplier stopping) throws RocksDBException {
    boolean cancelled = false;
    boolean interrupted = false;
    // Unless it is set before, RocksDB looks for it no more once it has begun.
    try (CompactRangeOptions options = new CompactRangeOptions().setCanceled(false)) {
      Thread thread = HdrfThreads.create("hdrf-compaction", () -> compact(options));
      thread.start();
      while (thread.isAlive()) {
        if (!cancelled && (interrupted || stopping.getAsBoolean())) {
          cancelled = true;
          options.setCanceled(true);
        }
        try {
          thread.join(LOOK_MILLIS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure != null && !(cancelled && saysSo(failure))) {
      throw failure;
    }
  }

  private void compact(CompactRangeOptions options) {
    try {
      database.compactRange(table, null, null, options);
    } catch (RocksDBException e) {
      failure = e;
    }
  }

  /** How RocksDB ends what was cancelled. */
  private static boolean saysSo(RocksDBException e) {
    return e.getStatus() != null && e.getStatus().getCode() == Status.Code.Incomplete;
  }
}
