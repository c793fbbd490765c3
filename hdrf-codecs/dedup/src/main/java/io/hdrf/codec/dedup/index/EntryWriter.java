/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.dba.BloomFilterArray;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * Puts entries into filters and store. Entries wait here until the store takes them: any thread may
 * {@link #offer} some, and one thread at a time writes.
 */
final class EntryWriter {

  private static final int MAX_WAITING = 1 << 18;

  private final MetadataStore store;
  private final StoredSegments segments;
  private final IndexCounters counters;

  /** The generations of segments that got entries since the start. */
  private final Map<Integer, Long> generations = new HashMap<>();

  /** Guarded by this object, as is the next. */
  private final Deque<IndexUpdate> waiting = new ArrayDeque<>();

  /** The number of waiting entries. */
  private int waitingEntries;

  EntryWriter(MetadataStore store, StoredSegments segments, IndexCounters counters) {
    this.store = store;
    this.segments = segments;
    this.counters = counters;
  }

  /** Lets entries wait to be written; false if too many wait already. */
  synchronized boolean offer(IndexUpdate update) {
    if (waitingEntries + update.count() > MAX_WAITING) {
      return false;
    }
    waiting.add(update);
    waitingEntries += update.count();
    return true;
  }

  /** Returns the number of waiting entries. */
  synchronized int waiting() {
    return waitingEntries;
  }

  /** Ends and forgets all that wait. */
  synchronized void clear() {
    waiting.forEach(IndexUpdate::end);
    waiting.clear();
    waitingEntries = 0;
  }

  /** Writes what waits, the oldest first. What fails to be written waits on. */
  void writeWaiting(BloomFilterArray filters, BooleanSupplier stopping) throws MetadataException {
    IndexUpdate next = oldest();
    while (next != null && !stopping.getAsBoolean()) {
      write(next, filters);
      remove(next);
      next = oldest();
    }
  }

  /** The oldest one that waits, which stays; null if there is none. */
  synchronized IndexUpdate oldest() {
    return waiting.peek();
  }

  /** Takes out the oldest one, if it is this one still: it may have been cleared meanwhile. */
  synchronized void remove(IndexUpdate written) {
    if (waiting.peek() == written) {
      waiting.remove();
      waitingEntries -= written.count();
    }
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
    store.write(batch);
    entries.end();
    generations.putAll(next);
    counters.written.add(entries.count());
  }

  /** The segments of the store are others from now on. */
  void forgetSegments() {
    generations.clear();
  }
}
