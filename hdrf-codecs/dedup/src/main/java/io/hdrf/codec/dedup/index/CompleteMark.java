/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.metadata.Durability;
import io.hdrf.metadata.MetadataException;
import io.hdrf.metadata.MetadataStore;
import io.hdrf.metadata.StoreBatch;
import io.hdrf.metadata.Table;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;

/**
 * Says that the store has the whole index: {@code dedup.index} in {@link Table#STATE}, with the
 * entries' version (u8) and of how many chunks one has an entry (u8). Safe for use by many threads.
 */
final class CompleteMark {

  private static final byte[] KEY = "dedup.index".getBytes(StandardCharsets.US_ASCII);

  private final MetadataStore store;
  private final byte[] value;

  /**
   * @param sample from 1 to {@link IndexSettings#MAX_SAMPLE}
   */
  CompleteMark(MetadataStore store, int sample) {
    this.store = store;
    this.value = new byte[] {IndexEntry.VERSION, (byte) sample};
  }

  /** Whether the store has the whole index as it is to be. */
  boolean isSet() throws MetadataException {
    return Arrays.equals(store.get(Table.STATE, Collections.singletonList(KEY)).get(0), value);
  }

  void set() throws MetadataException {
    store.write(new StoreBatch().put(Table.STATE, KEY, value), Durability.PROCESS);
  }

  /** Adds the mark's end to a batch. */
  void addRemoval(StoreBatch batch) {
    batch.delete(Table.STATE, KEY);
  }
}
