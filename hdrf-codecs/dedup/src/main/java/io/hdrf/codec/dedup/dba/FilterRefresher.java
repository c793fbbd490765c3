/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Frees filters of elements that are no longer in the index, and makes one of two that hold few.
 * For one thread at a time.
 */
final class FilterRefresher {

  /** Segments of one filter at most: each of its candidates is as many look-ups. */
  private static final int MAX_MERGED = 16;

  private static final Comparator<Filter> BY_LIVE = Comparator.comparingInt(Filter::live);

  private final FilterTable table;
  private final SegmentScan scan;
  private final DbaSettings settings;
  private final DbaCounters counters;
  private final Retries retries;

  FilterRefresher(
      FilterTable table,
      SegmentScan scan,
      DbaSettings settings,
      DbaCounters counters,
      Retries retries) {
    this.table = table;
    this.scan = scan;
    this.settings = settings;
    this.counters = counters;
    this.retries = retries;
  }

  /** Rebuilds a filter with too many stale elements; returns whether there was one. */
  boolean refreshOne() {
    for (Filter filter : table.filters()) {
      if (isStale(filter) && !retries.isPutOff(filter) && reserve(filter)) {
        return retries.make(filter, "Refreshing filter " + filter.name(), () -> refresh(filter));
      }
    }
    return false;
  }

  /**
   * Reserves memory for all rows of a filter's group: those before may stay as long as this step.
   */
  private boolean reserve(Filter filter) {
    FilterGroup group = table.groupOf(filter);
    return group != null && table.reserve(group.bytes());
  }

  private boolean isStale(Filter filter) {
    synchronized (table) {
      return !filter.pending
          && filter.stale > 0
          && filter.stale >= settings.staleShare() * filter.elements;
    }
  }

  private void refresh(Filter filter) throws IOException {
    InsertLog log = table.inserter().beginLog(filter);
    try {
      if (!table.has(filter)) {
        return;
      }
      int stale = table.staleOf(filter);
      ColumnBits bits = new ColumnBits(filter.shape);
      int elements = scan.run(filter, bits);
      int last = filter.shape.hashes() - 1;
      for (int j = 0; j < last; j++) {
        table.replaceRow(filter, j, bits, log);
      }
      synchronized (table) {
        table.replaceRow(filter, last, bits, log);
        filter.elements = elements + log.count(0);
        filter.stale = Math.max(0, Math.min(filter.elements, filter.stale - stale));
        filter.changed = true;
        table.inserter().endLog();
      }
      counters.refreshed.increment();
    } finally {
      table.inserter().endLog();
    }
    table.removeEmpty(filter);
  }

  /** Two of the emptiest sealed filters become one; returns whether there were any. */
  boolean orMergeOne() {
    List<Filter> sealed = new ArrayList<>();
    synchronized (table) {
      for (Filter filter : table.filters()) {
        if (filter.sealed
            && !filter.pending
            && filter.segments().length < MAX_MERGED
            && !retries.isPutOff(filter)) {
          sealed.add(filter);
        }
      }
      // Under the lock, or deletions would change the order meanwhile.
      sealed.sort(BY_LIVE);
    }
    for (int i = 0; i + 1 < sealed.size(); i++) {
      Filter first = sealed.get(i);
      if (first.live() > first.shape.capacity() / 2) {
        break;
      }
      for (Filter second : sealed.subList(i + 1, sealed.size())) {
        if (fitsInOne(first, second)) {
          return mergeOrRefresh(first, second);
        }
      }
    }
    return false;
  }

  private boolean fitsInOne(Filter first, Filter second) {
    synchronized (table) {
      return first.shape.equals(second.shape)
          && first.segments().length + second.segments().length <= MAX_MERGED
          && (long) first.live() + second.live() <= first.shape.capacity();
    }
  }

  private boolean mergeOrRefresh(Filter first, Filter second) {
    Filter stale;
    synchronized (table) {
      boolean fits = (long) first.elements + second.elements <= first.shape.capacity();
      stale = fits ? null : first.stale >= second.stale ? first : second;
    }
    if (stale != null) {
      return reserve(stale)
          && retries.make(stale, "Refreshing filter " + stale.name(), () -> refresh(stale));
    }
    orMerge(first, second);
    return true;
  }

  private void orMerge(Filter kept, Filter gone) {
    // Logged, so that their columns are not taken away meanwhile.
    table.inserter().beginLog(kept, gone);
    try {
      if (!table.has(kept) || !table.has(gone)) {
        return;
      }
      long[] row = new long[ColumnBits.rowWords(kept.shape)];
      for (int j = 0; j < kept.shape.hashes(); j++) {
        FilterGroup group = table.groupOf(gone);
        group.extractRow(group.columnOf(gone), j, row);
        table.include(kept, j, row);
      }
      synchronized (table) {
        table.inserter().endLog();
        table.orMerge(kept, gone);
      }
      counters.orMerged.increment();
    } finally {
      table.inserter().endLog();
    }
  }
}
