/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.scheme.SchemeSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stores in memory that outlive being closed, as a server's do, and that fail, freeze, forget and
 * go back in time when a test wants it.
 */
final class MapStores implements MetadataStoreProvider {

  /** What one store holds. */
  static final class Content {
    private Map<Key, byte[]> entries = new TreeMap<>();

    synchronized Map<Key, byte[]> copy() {
      return new TreeMap<>(entries);
    }

    synchronized void restore(Map<Key, byte[]> older) {
      entries = new TreeMap<>(older);
    }

    synchronized byte[] value(Table table, byte[] key) {
      return entries.get(new Key(table, key));
    }

    synchronized void set(Table table, byte[] key, byte[] value) {
      entries.put(new Key(table, key), value);
    }
  }

  record Key(Table table, byte[] bytes) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byTable = table.compareTo(other.table);
      return byTable != 0 ? byTable : Arrays.compareUnsigned(bytes, other.bytes);
    }
  }

  private final Map<String, Content> contents = new ConcurrentHashMap<>();
  volatile MetadataException failure;
  volatile MetadataException scanFailure;
  volatile CountDownLatch frozen;
  final AtomicInteger setAside = new AtomicInteger();

  Content content(StoreContext context) {
    return contents.computeIfAbsent(
        context.storageId() + "/" + context.poolId(), key -> new Content());
  }

  @Override
  public String name() {
    return "map";
  }

  @Override
  public int spiVersion() {
    return MetadataSpiVersion.CURRENT;
  }

  @Override
  public void checkSettings(SchemeSettings settings) {}

  @Override
  public MetadataStore open(StoreContext context) throws MetadataException {
    enter();
    return new Store(content(context));
  }

  @Override
  public void setAside(StoreContext context) {
    setAside.incrementAndGet();
    failure = null;
    scanFailure = null;
    content(context).restore(new TreeMap<>());
  }

  private void enter() throws MetadataException {
    CountDownLatch latch = frozen;
    if (latch != null) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    MetadataException wanted = failure;
    if (wanted != null) {
      throw wanted;
    }
  }

  private final class Store implements MetadataStore {
    private final Content content;
    private boolean closed;

    Store(Content content) {
      this.content = content;
    }

    private Map<Key, byte[]> entries() throws MetadataException {
      enter();
      if (closed) {
        throw new StoreUnreachableException("closed");
      }
      return content.entries;
    }

    @Override
    public Durability durability() {
      return Durability.PROCESS;
    }

    @Override
    public List<byte[]> get(Table table, List<byte[]> keys) throws MetadataException {
      enter();
      synchronized (content) {
        List<byte[]> values = new ArrayList<>();
        for (byte[] key : keys) {
          byte[] value = entries().get(new Key(table, key));
          values.add(value == null ? null : value.clone());
        }
        return values;
      }
    }

    @Override
    public List<byte[]> putIfAbsent(Table table, List<StoreEntry> added, Durability durability)
        throws MetadataException {
      enter();
      synchronized (content) {
        List<byte[]> before = new ArrayList<>();
        for (StoreEntry entry : added) {
          before.add(
              entries().putIfAbsent(new Key(table, entry.key().clone()), entry.value().clone()));
        }
        return before;
      }
    }

    @Override
    public void write(StoreBatch batch, Durability durability) throws MetadataException {
      enter();
      synchronized (content) {
        for (StoreBatch.Change change : batch.changes()) {
          Key key = new Key(change.table(), change.key().clone());
          if (change.value() == null) {
            entries().remove(key);
          } else {
            entries().put(key, change.value().clone());
          }
        }
      }
    }

    @Override
    public void scan(Table table, byte[] prefix, StoreVisitor visitor) throws MetadataException {
      enter();
      MetadataException wanted = scanFailure;
      if (wanted != null) {
        throw wanted;
      }
      Map<Key, byte[]> snapshot;
      synchronized (content) {
        snapshot = new TreeMap<>(entries());
      }
      for (Map.Entry<Key, byte[]> entry : snapshot.entrySet()) {
        byte[] key = entry.getKey().bytes();
        if (entry.getKey().table() == table
            && key.length >= prefix.length
            && Arrays.equals(Arrays.copyOf(key, prefix.length), prefix)
            && !visitor.visit(key, entry.getValue())) {
          return;
        }
      }
    }

    @Override
    public long estimatedCount(Table table) throws MetadataException {
      synchronized (content) {
        return entries().keySet().stream().filter(key -> key.table() == table).count();
      }
    }

    @Override
    public void clear() throws MetadataException {
      synchronized (content) {
        entries().clear();
      }
    }

    @Override
    public void close() {
      synchronized (content) {
        closed = true;
      }
    }
  }
}
