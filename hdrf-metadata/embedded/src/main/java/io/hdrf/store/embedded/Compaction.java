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
 * can be cancelled, but has no callback for that. For one use.
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
   * by an interrupt of the thread, which stays interrupted. By then nothing uses the handles.
   */
  void run(BooleanSupplier stopping) throws RocksDBException {
    boolean cancelled = false;
    boolean interrupted = false;
    // RocksDB checks the flag during a compaction only if it was set, even to false, before.
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
