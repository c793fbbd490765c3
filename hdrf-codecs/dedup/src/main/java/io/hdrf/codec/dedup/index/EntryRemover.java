/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.dba.BloomFilterArray;
import io.hdrf.codec.dedup.dba.Candidates;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Removes the entries of chunks from the store. Most chunks have none, which the filters know. For
 * one removal by one thread.
 */
final class EntryRemover {

  private static final int BATCH = 1024;

  private final MetadataStore store;
  private final BloomFilterArray filters;
  private final IndexCounters counters;
  private final Candidates candidates = new Candidates();
  private final byte[] fingerprints = new byte[BATCH * Fingerprinter.LENGTH];
  private final long[] refs = new long[BATCH];
  private int count;

  EntryRemover(MetadataStore store, BloomFilterArray filters, IndexCounters counters) {
    this.store = store;
    this.filters = filters;
    this.counters = counters;
  }

  /**
   * Removes the entries that name chunks of a container.
   *
   * @param numbers the chunks' numbers
   * @return how many entries there were
   */
  long remove(long container, ContainerDirectory content, BitSet numbers) throws MetadataException {
    long removed = 0;
    for (int i = 0; i < content.chunkCount(); i++) {
      if (numbers.get(content.number(i))) {
        content.fingerprint(i, fingerprints, count * Fingerprinter.LENGTH);
        refs[count] = ChunkRef.pack(container, content.number(i));
        count++;
      }
      if (count == BATCH) {
        removed += removeBatch();
      }
    }
    return removed + removeBatch();
  }

  private int removeBatch() throws MetadataException {
    filters.query(fingerprints, count, candidates);
    List<byte[]> keys = new ArrayList<>();
    List<Long> wanted = new ArrayList<>();
    List<Integer> where = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < candidates.size(i); j++) {
        int segment = candidates.segment(i, j);
        keys.add(IndexEntry.key(segment, fingerprints, i * Fingerprinter.LENGTH));
        wanted.add(refs[i]);
        where.add(segment);
      }
    }
    count = 0;
    if (keys.isEmpty()) {
      return 0;
    }
    List<byte[]> values = store.get(Table.CHUNKS, keys);
    StoreBatch batch = new StoreBatch();
    Map<Integer, Integer> deleted = new HashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      if (values.get(i) != null && IndexEntry.ref(values.get(i)) == wanted.get(i)) {
        batch.delete(Table.CHUNKS, keys.get(i));
        deleted.merge(where.get(i), 1, Integer::sum);
      }
    }
    if (batch.size() > 0) {
      Deletions.write(store, batch);
      deleted.forEach(filters::deleted);
      counters.removed.add(batch.size());
    }
    return batch.size();
  }
}
