/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataSpiVersion;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.StoreVisitor;
import io.hdrf.spi.store.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** The simplest store: maps that live as long as the JVM, behind one lock for each pool. */
public final class MapStoreProvider implements MetadataStoreProvider {

  private static final Map<String, Map<Table, Map<ByteBuffer, byte[]>>> STORES =
      new ConcurrentHashMap<>();

  @Override
  public String name() {
    return "map";
  }

  @Override
  public int spiVersion() {
    return MetadataSpiVersion.CURRENT;
  }

  @Override
  public void checkSettings(PluginSettings settings) {}

  @Override
  public MetadataStore open(StoreContext context) {
    return new MapStore(
        STORES.computeIfAbsent(
            context.storageId() + "/" + context.poolId(),
            name -> {
              Map<Table, Map<ByteBuffer, byte[]>> tables = new EnumMap<>(Table.class);
              for (Table table : Table.values()) {
                tables.put(table, new TreeMap<>());
              }
              return tables;
            }));
  }

  private static final class MapStore implements MetadataStore {

    private final Map<Table, Map<ByteBuffer, byte[]>> tables;
    private volatile boolean closed;

    MapStore(Map<Table, Map<ByteBuffer, byte[]>> tables) {
      this.tables = tables;
    }

    @Override
    public List<byte[]> get(Table table, List<byte[]> keys) throws StoreUnreachableException {
      synchronized (tables) {
        checkOpen();
        List<byte[]> values = new ArrayList<>();
        keys.forEach(key -> values.add(copy(tables.get(table).get(ByteBuffer.wrap(key)))));
        return values;
      }
    }

    @Override
    public void write(StoreBatch batch) throws StoreUnreachableException {
      synchronized (tables) {
        checkOpen();
        for (StoreBatch.Change change : batch.changes()) {
          if (change.value() == null) {
            tables.get(change.table()).remove(ByteBuffer.wrap(change.key()));
          } else {
            tables.get(change.table()).put(ByteBuffer.wrap(change.key()), change.value());
          }
        }
      }
    }

    @Override
    public void scan(Table table, byte[] prefix, StoreVisitor visitor)
        throws StoreUnreachableException {
      synchronized (tables) {
        checkOpen();
        for (Map.Entry<ByteBuffer, byte[]> entry : tables.get(table).entrySet()) {
          byte[] key = entry.getKey().array();
          if (key.length >= prefix.length
              && Arrays.equals(Arrays.copyOf(key, prefix.length), prefix)
              && !visitor.visit(key, entry.getValue())) {
            return;
          }
        }
      }
    }

    @Override
    public long estimatedCount(Table table) throws StoreUnreachableException {
      synchronized (tables) {
        checkOpen();
        return tables.get(table).size();
      }
    }

    @Override
    public void clear() throws StoreUnreachableException {
      synchronized (tables) {
        checkOpen();
        tables.values().forEach(Map::clear);
      }
    }

    @Override
    public void close() {
      closed = true;
    }

    private void checkOpen() throws StoreUnreachableException {
      if (closed) {
        throw new StoreUnreachableException("the map was closed");
      }
    }

    private static byte[] copy(byte[] value) {
      return value == null ? null : value.clone();
    }
  }
}
