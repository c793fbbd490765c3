/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.metadata.Durability;
import io.hdrf.metadata.MetadataException;
import io.hdrf.metadata.MetadataStore;
import io.hdrf.metadata.StoreBatch;
import io.hdrf.metadata.StoreEntry;
import io.hdrf.metadata.StoreVisitor;
import io.hdrf.metadata.Table;
import io.hdrf.scheme.SchemeContext;
import java.util.List;

/** The store that the context has at the moment of each call. Thread-safe. */
final class ContextStore implements MetadataStore {

  private final SchemeContext context;

  ContextStore(SchemeContext context) {
    this.context = context;
  }

  @Override
  public Durability durability() {
    return context.metadata().durability();
  }

  @Override
  public List<byte[]> get(Table table, List<byte[]> keys) throws MetadataException {
    return context.metadata().get(table, keys);
  }

  @Override
  public List<byte[]> putIfAbsent(Table table, List<StoreEntry> entries, Durability durability)
      throws MetadataException {
    return context.metadata().putIfAbsent(table, entries, durability);
  }

  @Override
  public void write(StoreBatch batch, Durability durability) throws MetadataException {
    context.metadata().write(batch, durability);
  }

  @Override
  public void scan(Table table, byte[] prefix, StoreVisitor visitor) throws MetadataException {
    context.metadata().scan(table, prefix, visitor);
  }

  @Override
  public long estimatedCount(Table table) throws MetadataException {
    return context.metadata().estimatedCount(table);
  }

  @Override
  public void compact(Table table) throws MetadataException {
    context.metadata().compact(table);
  }

  @Override
  public void clear() {
    throw new UnsupportedOperationException("the store has other entries too");
  }

  @Override
  public void close() {}
}
