/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreFullException;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.StoreVersionException;
import java.io.IOException;
import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Translates RocksDB's exceptions to those that callers of a store know. */
final class Failures {

  private static final String QUOTA = "Disk quota exceeded";
  private static final String NO_FILE = "No such file or directory";

  private Failures() {}

  static MetadataException of(Path directory, RocksDBException e) {
    String message = directory + ": " + e.getMessage();
    Status status = e.getStatus();
    if (status == null) {
      return new StoreUnreachableException(message, e);
    }
    if (status.getSubCode() == Status.SubCode.NoSpace || isFull(e)) {
      return new StoreFullException(message, e);
    }
    switch (status.getCode()) {
      case Corruption:
        return new StoreCorruptException(message, e);
      case NotSupported:
        return new StoreVersionException(message, e);
      case InvalidArgument:
        // Of the arguments, only the list of tables depends on the database's content.
        return message.contains("Column families not opened")
            ? new StoreVersionException(message, e)
            : new StoreCorruptException(message, e);
      default:
        // A file that the database's own list of files names, or a part of one.
        return message.contains(NO_FILE) || isBadSector(e)
            ? new StoreCorruptException(message, e)
            : new StoreUnreachableException(message, e);
    }
  }

  static MetadataException of(Path directory, IOException e) {
    String message = directory + ": " + e;
    return isFull(e)
        ? new StoreFullException(message, e)
        : new StoreUnreachableException(message, e);
  }

  /** Returns whether a part of a file can't be read: the rest of the store is no use without it. */
  private static boolean isBadSector(RocksDBException e) {
    return DiskErrors.isReadError(e)
        && (e.getMessage().contains("While pread") || e.getMessage().contains("While reading"));
  }

  /**
   * Returns whether RocksDB goes on by itself once the cause is gone: where there is no room.
   * Otherwise it may refuse all writes until the database is opened again.
   */
  static boolean passes(RocksDBException e) {
    return e.getStatus() != null && e.getStatus().getSubCode() == Status.SubCode.NoSpace;
  }

  private static boolean isFull(Exception e) {
    return DiskErrors.isNoSpace(e) || String.valueOf(e.getMessage()).contains(QUOTA);
  }
}
