/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreVisitor;
import io.hdrf.spi.store.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A metadata store that lives as long as an estimate, in memory. Thread-safe. */
final class MemoryStore implements MetadataStore {
  private final Map<Table, TreeMap<byte[], byte[]>> tables = new EnumMap<>(Table.class);

  MemoryStore() {
    for (Table table : Table.values()) {
      tables.put(table, new TreeMap<>(Arrays::compareUnsigned));
    }
  }

  @Override
  public synchronized List<byte[]> get(Table table, List<byte[]> keys) {
    List<byte[]> values = new ArrayList<>(keys.size());
    keys.forEach(key -> values.add(copy(tables.get(table).get(key))));
    return values;
  }

  @Override
  public synchronized void write(StoreBatch batch) {
    for (StoreBatch.Change change : batch.changes()) {
      if (change.value() == null) {
        tables.get(change.table()).remove(change.key());
      } else {
        tables.get(change.table()).put(change.key(), change.value());
      }
    }
  }

  @Override
  public synchronized void scan(Table table, byte[] prefix, StoreVisitor visitor) {
    for (Map.Entry<byte[], byte[]> entry : tables.get(table).tailMap(prefix).entrySet()) {
      byte[] key = entry.getKey();
      if (!MetadataStore.startsWith(key, prefix) || !visitor.visit(key, entry.getValue())) {
        return;
      }
    }
  }

  @Override
  public synchronized long estimatedCount(Table table) {
    return tables.get(table).size();
  }

  @Override
  public synchronized void clear() {
    tables.values().forEach(Map::clear);
  }

  @Override
  public void close() {}

  private static byte[] copy(byte[] value) {
    return value == null ? null : value.clone();
  }
}
