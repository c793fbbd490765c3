/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreNotOpenException;
import io.hdrf.spi.store.StoreVisitor;
import io.hdrf.spi.store.Table;
import java.util.List;

/**
 * A volume's store for users other than its {@link VolumeRecords}, which may come later or never:
 * until it is open every call throws, and damage found by a call is reported and repaired. This
 * neither clears nor closes it. Safe for use by many threads.
 */
public final class LateStore implements MetadataStore {

  private final String reason;
  private volatile VolumeRecords records;

  /**
   * @param reason why there is no store, for messages
   */
  public LateStore(String reason) {
    this.reason = reason;
  }

  /** Sets the store to the one in which {@code opener} keeps the records. */
  public void set(VolumeRecords opener) {
    records = opener;
  }

  private <T> T ask(RecordKeeper.Question<T> question) throws MetadataException {
    VolumeRecords opener = records;
    if (opener == null) {
      throw new StoreNotOpenException(reason);
    }
    return opener.ask(question);
  }

  @Override
  public List<byte[]> get(Table table, List<byte[]> keys) throws MetadataException {
    return ask(store -> store.get(table, keys));
  }

  @Override
  public void write(StoreBatch batch) throws MetadataException {
    ask(
        store -> {
          store.write(batch);
          return null;
        });
  }

  @Override
  public void scan(Table table, byte[] prefix, StoreVisitor visitor) throws MetadataException {
    ask(
        store -> {
          store.scan(table, prefix, visitor);
          return null;
        });
  }

  @Override
  public long estimatedCount(Table table) throws MetadataException {
    return ask(store -> store.estimatedCount(table));
  }

  @Override
  public void compact(Table table) throws MetadataException {
    ask(
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
