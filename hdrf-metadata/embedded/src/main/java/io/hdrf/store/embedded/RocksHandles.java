/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.Table;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Owns everything native of one database: opens it, and closes it in the order that RocksDB
 * demands. Each table is a column family, named {@code t} and the table's code. Using a handle
 * after {@link #close}, or one of {@link #family} after {@link #clear}, crashes the JVM: the caller
 * prevents that. After a failed {@link #clear} only {@link #close} may follow.
 */
final class RocksHandles {

  private final SharedMemory memory;
  private final RocksOptions options;
  private final RocksDB database;
  private final ColumnFamilyHandle defaultFamily;
  private final Map<Table, ColumnFamilyHandle> families;

  private RocksHandles(
      SharedMemory memory,
      RocksOptions options,
      RocksDB database,
      ColumnFamilyHandle defaultFamily,
      Map<Table, ColumnFamilyHandle> families) {
    this.memory = memory;
    this.options = options;
    this.database = database;
    this.defaultFamily = defaultFamily;
    this.families = families;
  }

  /**
   * Opens the database in a directory; creates it if there is none.
   *
   * @param memory in bytes, for all databases of the process
   */
  static RocksHandles open(Path directory, int memory) throws MetadataException {
    SharedMemory shared = SharedMemory.acquire(memory);
    RocksOptions options = new RocksOptions(shared);
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, options.table()));
    for (Table table : Table.values()) {
      descriptors.add(descriptor(table, options));
    }
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try {
      RocksDB database =
          RocksDB.open(options.database(), directory.toString(), descriptors, handles);
      Iterator<ColumnFamilyHandle> opened = handles.iterator();
      ColumnFamilyHandle defaultFamily = opened.next();
      Map<Table, ColumnFamilyHandle> families = new EnumMap<>(Table.class);
      for (Table table : Table.values()) {
        families.put(table, opened.next());
      }
      return new RocksHandles(shared, options, database, defaultFamily, families);
    } catch (RocksDBException e) {
      options.close();
      SharedMemory.release(shared);
      throw Failures.of(directory, e);
    }
  }

  private static ColumnFamilyDescriptor descriptor(Table table, RocksOptions options) {
    return new ColumnFamilyDescriptor(
        ("t" + table.code()).getBytes(StandardCharsets.US_ASCII), options.table());
  }

  RocksDB database() {
    return database;
  }

  RocksOptions options() {
    return options;
  }

  ColumnFamilyHandle family(Table table) {
    return families.get(table);
  }

  /** Replaces a table with an empty one; durable on return. */
  void clear(Table table) throws RocksDBException {
    ColumnFamilyHandle old = families.get(table);
    database.dropColumnFamily(old);
    families.remove(table);
    old.close();
    families.put(table, database.createColumnFamily(descriptor(table, options)));
  }

  /** Writes data that is only in memory to the disk. */
  void flush() throws RocksDBException {
    try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
      database.flush(flush, new ArrayList<>(families.values()));
    }
  }

  /** Frees everything, even if something throws. */
  void close() throws RocksDBException {
    try {
      families.values().forEach(ColumnFamilyHandle::close);
      defaultFamily.close();
      database.closeE();
    } finally {
      options.close();
      SharedMemory.release(memory);
    }
  }
}
