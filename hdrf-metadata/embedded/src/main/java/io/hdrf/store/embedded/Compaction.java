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
 * Rewrites a table on its own thread, so that the caller's thread can cancel the rewrite: RocksDB
 * does not ask whether to go on, but can be cancelled. For one use.
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
   * Returns when the table has been rewritten, or soon after cancellation: by {@code stopping}, or
   * by an interrupt of the thread, which stays interrupted. Nothing uses the handles any more by
   * then.
   */
  void run(BooleanSupplier stopping) throws RocksDBException {
    boolean cancelled = false;
    boolean interrupted = false;
    // Unless the flag is set before, a running RocksDB compaction does not look for it.
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

  /** Returns whether RocksDB ended because of a cancellation. */
  private static boolean saysSo(RocksDBException e) {
    return e.getStatus() != null && e.getStatus().getCode() == Status.Code.Incomplete;
  }
}
