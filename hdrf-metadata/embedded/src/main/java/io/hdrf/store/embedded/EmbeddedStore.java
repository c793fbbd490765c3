/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.StoreVisitor;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;

/**
 * A store in one RocksDB database. Writes go to memory and to a log that is not synced, and to the
 * tables on the disk when a buffer is full or the store is closed.
 *
 * <p>Every call holds {@link #use} for reading, so that the handles are open; code that replaces or
 * closes handles holds it for writing.
 */
final class EmbeddedStore implements MetadataStore {

  private static final String COUNT = "rocksdb.estimate-num-keys";

  private final StoreDirectory directory;
  private final RocksHandles handles;
  private final ReadWriteLock use = new ReentrantReadWriteLock();
  private boolean closed;

  /** Set while a thread waits to close the store; long work must end then. */
  private volatile boolean closing;

  /** Takes over both the directory and the handles. */
  EmbeddedStore(StoreDirectory directory, RocksHandles handles) {
    this.directory = directory;
    this.handles = handles;
  }

  private interface Call<T> {
    T run() throws RocksDBException, MetadataException;
  }

  private <T> T call(Lock lock, Call<T> call) throws MetadataException {
    lock.lock();
    try {
      if (closed) {
        throw new StoreUnreachableException(directory.path() + " was closed");
      }
      return call.run();
    } catch (RocksDBException e) {
      throw failure(e);
    } finally {
      lock.unlock();
    }
  }

  private MetadataException failure(RocksDBException e) {
    MetadataException failure = Failures.of(directory.path(), e);
    if (failure instanceof StoreCorruptException) {
      directory.markDamaged(failure);
    }
    return failure;
  }

  private ColumnFamilyHandle family(Table table) throws StoreUnreachableException {
    ColumnFamilyHandle family = handles.family(table);
    if (family == null) {
      throw new StoreUnreachableException(
          directory.path() + " could not be cleared and must be opened again");
    }
    return family;
  }

  @Override
  public List<byte[]> get(Table table, List<byte[]> keys) throws MetadataException {
    return call(
        use.readLock(),
        () -> {
          List<byte[]> values = new ArrayList<>(keys.size());
          for (byte[] key : keys) {
            values.add(get(family(table), key));
          }
          return values;
        });
  }

  private byte[] get(ColumnFamilyHandle family, byte[] key) throws RocksDBException {
    return handles.database().get(family, handles.options().lookUp(), key);
  }

  @Override
  public void write(StoreBatch changes) throws MetadataException {
    call(
        use.readLock(),
        () -> {
          try (WriteBatch batch = new WriteBatch()) {
            for (StoreBatch.Change change : changes.changes()) {
              ColumnFamilyHandle family = family(change.table());
              if (change.value() == null) {
                batch.delete(family, change.key());
              } else {
                batch.put(family, change.key(), change.value());
              }
            }
            handles.database().write(handles.options().write(), batch);
          }
          return null;
        });
  }

  @Override
  public void scan(Table table, byte[] prefix, StoreVisitor visitor) throws MetadataException {
    call(
        use.readLock(),
        () -> {
          try (RocksIterator entries =
              handles.database().newIterator(family(table), handles.options().scan())) {
            entries.seek(prefix);
            boolean more = true;
            while (more && entries.isValid()) {
              byte[] key = entries.key();
              more = MetadataStore.startsWith(key, prefix) && visitor.visit(key, entries.value());
              entries.next();
            }
            entries.status();
          }
          return null;
        });
  }

  @Override
  public long estimatedCount(Table table) throws MetadataException {
    return call(use.readLock(), () -> handles.database().getLongProperty(family(table), COUNT));
  }

  @Override
  public void compact(Table table) throws MetadataException {
    call(
        use.readLock(),
        () -> {
          new Compaction(handles.database(), family(table)).run(() -> closing);
          return null;
        });
  }

  @Override
  public void clear() throws MetadataException {
    call(
        use.writeLock(),
        () -> {
          for (Table table : Table.values()) {
            handles.clear(table);
          }
          return null;
        });
  }

  @Override
  public void close() throws IOException {
    closing = true;
    use.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        flushAndClose();
      }
    } finally {
      use.writeLock().unlock();
    }
  }

  private void flushAndClose() throws MetadataException {
    RocksDBException failure = null;
    try {
      handles.flush();
    } catch (RocksDBException e) {
      failure = e;
    }
    try {
      handles.close();
    } catch (RocksDBException e) {
      failure = failure == null ? e : failure;
    }
    MetadataException thrown = failure == null ? null : failure(failure);
    directory.close();
    if (thrown != null) {
      throw thrown;
    }
  }
}
