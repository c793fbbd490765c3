/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.util.List;

/**
 * A volume's store for others than its {@link VolumeRecords}: throws while it is not open, and has
 * damage dealt with. Neither cleared nor closed by this. Safe for use by many threads.
 */
final class SharedStore implements MetadataStore {

  private final VolumeRecords records;

  SharedStore(VolumeRecords records) {
    this.records = records;
  }

  @Override
  public Durability durability() {
    return Durability.PROCESS;
  }

  @Override
  public List<byte[]> get(Table table, List<byte[]> keys) throws MetadataException {
    return records.ask(store -> store.get(table, keys));
  }

  @Override
  public List<byte[]> putIfAbsent(Table table, List<StoreEntry> entries, Durability durability)
      throws MetadataException {
    return records.ask(store -> store.putIfAbsent(table, entries, durability));
  }

  @Override
  public void write(StoreBatch batch, Durability durability) throws MetadataException {
    records.ask(
        store -> {
          store.write(batch, durability);
          return null;
        });
  }

  @Override
  public void scan(Table table, byte[] prefix, StoreVisitor visitor) throws MetadataException {
    records.ask(
        store -> {
          store.scan(table, prefix, visitor);
          return null;
        });
  }

  @Override
  public long estimatedCount(Table table) throws MetadataException {
    return records.ask(store -> store.estimatedCount(table));
  }

  @Override
  public void compact(Table table) throws MetadataException {
    records.ask(
        store -> {
          store.compact(table);
          return null;
        });
  }

  @Override
  public void clear() {
    throw new UnsupportedOperationException("the store has other entries too");
  }

  @Override
  public void close() {}
}
