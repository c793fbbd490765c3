/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreFullException;

/** Changes that only delete. */
final class Deletions {

  private Deletions() {}

  /**
   * Writes a batch of them, or, where there is no room for it, one after the other: a Redis that is
   * full refuses batches, and frees room by single ones. If that fails, some may have been done.
   */
  static void write(MetadataStore store, StoreBatch batch) throws MetadataException {
    try {
      store.write(batch);
    } catch (StoreFullException e) {
      if (batch.size() == 1) {
        throw e;
      }
      for (StoreBatch.Change change : batch.changes()) {
        store.write(new StoreBatch().delete(change.table(), change.key()));
      }
    }
  }
}
