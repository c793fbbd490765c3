/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.util.List;

/** Stands for a store where there is none: every call says so. */
public final class AbsentStore implements MetadataStore {

  private final String reason;

  /**
   * @param reason for messages
   */
  public AbsentStore(String reason) {
    this.reason = reason;
  }

  private StoreUnreachableException absent() {
    return new StoreUnreachableException(reason);
  }

  @Override
  public Durability durability() {
    return Durability.BUFFERED;
  }

  @Override
  public List<byte[]> get(Table table, List<byte[]> keys) throws MetadataException {
    throw absent();
  }

  @Override
  public List<byte[]> putIfAbsent(Table table, List<StoreEntry> entries, Durability durability)
      throws MetadataException {
    throw absent();
  }

  @Override
  public void write(StoreBatch batch, Durability durability) throws MetadataException {
    throw absent();
  }

  @Override
  public void scan(Table table, byte[] prefix, StoreVisitor visitor) throws MetadataException {
    throw absent();
  }

  @Override
  public long estimatedCount(Table table) throws MetadataException {
    throw absent();
  }

  @Override
  public void clear() throws MetadataException {
    throw absent();
  }

  @Override
  public void close() {}
}
