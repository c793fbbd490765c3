/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.dba.BloomFilterArray;
import io.hdrf.spi.store.Durability;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Puts entries into filters and store. For one thread at a time. */
final class EntryWriter {

  private final MetadataStore store;
  private final StoredSegments segments;
  private final IndexCounters counters;

  /** Of segments that entries were added to since start. */
  private final Map<Integer, Long> generations = new HashMap<>();

  EntryWriter(MetadataStore store, StoredSegments segments, IndexCounters counters) {
    this.store = store;
    this.segments = segments;
    this.counters = counters;
  }

  /**
   * Writes entries; may be called again with the same ones if it fails. Into the filters first:
   * what the store holds must never be missing there.
   */
  void write(IndexUpdate entries, BloomFilterArray filters) throws MetadataException {
    if (entries.segments() == null) {
      int[] given = new int[entries.count()];
      entries.setSegments(given, filters.insert(entries.fingerprints(), entries.count(), given));
    }
    StoreBatch batch = new StoreBatch();
    Set<Integer> touched = new TreeSet<>();
    for (int i = 0; i < entries.count(); i++) {
      int segment = entries.segments()[i];
      if (segment != BloomFilterArray.NO_SEGMENT) {
        batch.put(
            Table.CHUNKS,
            IndexEntry.key(segment, entries.fingerprints(), i * Fingerprinter.LENGTH),
            IndexEntry.value(entries.ref(i)));
        touched.add(segment);
      }
    }
    Map<Integer, Long> next = new HashMap<>();
    for (int segment : touched) {
      Long last = generations.get(segment);
      long generation = (last == null ? segments.generation(segment) : last) + 1;
      segments.addGeneration(batch, segment, generation);
      next.put(segment, generation);
    }
    store.write(batch, Durability.PROCESS);
    entries.end();
    generations.putAll(next);
    counters.written.add(entries.count());
  }

  /** The segments of the store are others from now on. */
  void forgetSegments() {
    generations.clear();
  }
}
