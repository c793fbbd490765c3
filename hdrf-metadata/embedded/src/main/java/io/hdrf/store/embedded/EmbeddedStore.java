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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store in one RocksDB database. Writes go to memory and to a log that is not synced, and to the
 * tables on the disk when a buffer is full or the store is closed.
 *
 * <p>Every call holds {@link #use} for reading, so that the handles are open; code that replaces or
 * closes handles holds it for writing.
 *
 * <p>After a background error, such as a want of file handles while a log is begun, RocksDB refuses
 * all writes until it is opened again. So the write after a failed one opens it again; what was
 * acknowledged is in the log.
 */
final class EmbeddedStore implements MetadataStore {

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedStore.class);

  private static final String COUNT = "rocksdb.estimate-num-keys";

  /** How long after an attempt to open the database again there is none. */
  private static final long PAUSE_MILLIS = 5_000;

  /** How long an attempt waits for others to leave the database; all wait behind it. */
  private static final long PATIENCE_MILLIS = 1_000;

  private final StoreDirectory directory;
  private final int memory;
  private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();
  private boolean closed;

  /** Null after it could not be opened again. */
  private volatile RocksHandles handles;

  /** Set when a write failed that may fail until the database is opened again. */
  private volatile boolean stuck;

  private volatile long pauseEnd = System.nanoTime();

  /** Set while a thread waits to close the store; long work must end then. */
  private volatile boolean closing;

  /**
   * Takes over both the directory and the handles.
   *
   * @param memory as for {@link #openHandles}
   */
  EmbeddedStore(StoreDirectory directory, int memory, RocksHandles handles) {
    this.directory = directory;
    this.memory = memory;
    this.handles = handles;
  }

  /** Opens the database in a directory, as it is. */
  static RocksHandles openHandles(StoreDirectory directory, int memory) throws MetadataException {
    directory.check();
    return RocksHandles.open(directory.path(), memory);
  }

  private interface Call<T> {
    T run() throws RocksDBException, MetadataException;
  }

  private <T> T read(Call<T> call) throws MetadataException {
    if (handles == null) {
      openAgain();
    }
    return call(use.readLock(), call);
  }

  private <T> T write(Lock lock, Call<T> call) throws MetadataException {
    if (stuck || handles == null) {
      openAgain();
    }
    return call(lock, call);
  }

  private <T> T call(Lock lock, Call<T> call) throws MetadataException {
    lock.lock();
    try {
      requireNotClosed();
      if (handles == null) {
        throw new StoreUnreachableException(directory.path() + " could not be opened again");
      }
      return call.run();
    } catch (RocksDBException e) {
      throw failure(e);
    } finally {
      lock.unlock();
    }
  }

  private void requireNotClosed() throws StoreUnreachableException {
    if (closed) {
      throw new StoreUnreachableException(directory.path() + " was closed");
    }
  }

  /** Opens the database again, unless that was tried just now, or this is a visitor of a scan. */
  private void openAgain() throws MetadataException {
    if (System.nanoTime() - pauseEnd < 0 || use.getReadHoldCount() > 0) {
      return;
    }
    pause();
    lockAll();
    try {
      requireNotClosed();
      if (handles != null && !stuck) {
        return;
      }
      if (handles != null) {
        // Else reads would end, too.
        directory.requireRoom();
      }
      closeHandles();
      handles = openHandles(directory, memory);
      stuck = false;
      LOG.info("{} was opened again after a failed write", directory.path());
    } catch (StoreCorruptException e) {
      directory.markDamaged(e);
      throw e;
    } finally {
      pause();
      use.writeLock().unlock();
    }
  }

  private void pause() {
    pauseEnd = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
  }

  /** Not for long: a scan that waits for another call must not wait for ever. */
  private void lockAll() throws StoreUnreachableException {
    try {
      if (use.writeLock().tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new StoreUnreachableException(directory.path() + " must be opened again, but is in use");
  }

  private void closeHandles() {
    RocksHandles old = handles;
    handles = null;
    if (old != null) {
      try {
        old.close();
      } catch (RocksDBException e) {
        LOG.debug("{} is closed after a failure", directory.path(), e);
      }
    }
  }

  private MetadataException failure(RocksDBException e) {
    MetadataException failure = Failures.of(directory.path(), e);
    if (failure instanceof StoreCorruptException) {
      directory.markDamaged(failure);
    }
    return failure;
  }

  @Override
  public List<byte[]> get(Table table, List<byte[]> keys) throws MetadataException {
    return read(
        () -> {
          List<byte[]> values = new ArrayList<>(keys.size());
          for (byte[] key : keys) {
            values.add(get(handles.family(table), key));
          }
          return values;
        });
  }

  private byte[] get(ColumnFamilyHandle family, byte[] key) throws RocksDBException {
    return handles.database().get(family, handles.options().lookUp(), key);
  }

  @Override
  public void write(StoreBatch changes) throws MetadataException {
    write(
        use.readLock(),
        () -> {
          try (WriteBatch batch = new WriteBatch()) {
            for (StoreBatch.Change change : changes.changes()) {
              ColumnFamilyHandle family = handles.family(change.table());
              if (change.value() == null) {
                batch.delete(family, change.key());
              } else {
                batch.put(family, change.key(), change.value());
              }
            }
            handles.database().write(handles.options().write(), batch);
          } catch (RocksDBException e) {
            stuck |= !Failures.passes(e);
            throw e;
          }
          return null;
        });
  }

  @Override
  public void scan(Table table, byte[] prefix, StoreVisitor visitor) throws MetadataException {
    read(
        () -> {
          try (RocksIterator entries =
              handles.database().newIterator(handles.family(table), handles.options().scan())) {
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
    return read(() -> handles.database().getLongProperty(handles.family(table), COUNT));
  }

  @Override
  public void compact(Table table) throws MetadataException {
    read(
        () -> {
          new Compaction(handles.database(), handles.family(table)).run(() -> closing);
          return null;
        });
  }

  @Override
  public void clear() throws MetadataException {
    write(
        use.writeLock(),
        () -> {
          boolean cleared = false;
          try {
            for (Table table : Table.values()) {
              handles.clear(table);
            }
            cleared = true;
          } finally {
            if (!cleared) {
              // A table may be missing. It is made when the database is opened again.
              closeHandles();
            }
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
    if (handles == null) {
      directory.close();
      return;
    }
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
