/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Puts elements into the open filter, and keeps what may be missing in a filter that is built aside
 * meanwhile: elements that the index may not hold yet, and, in the log, those that come. Guarded by
 * the lock of {@link FilterTable}.
 */
final class FilterInserter {

  private final FilterTable table;
  private final DbaCounters counters;
  private final Set<Insertion> unfinished = new HashSet<>();

  /** The filter that takes elements now; null if that is still to be found. */
  private Filter open;

  private InsertLog log;

  FilterInserter(FilterTable table, DbaCounters counters) {
    this.table = table;
    this.counters = counters;
  }

  /**
   * Puts elements into open filters.
   *
   * @param hashes h1 and h2 of each, kept by the result
   * @param segments gets the segment of each
   */
  Insertion insert(long[] hashes, int count, int[] segments) {
    synchronized (table) {
      int done = 0;
      while (done < count) {
        Filter filter = openFilter();
        if (filter == null) {
          Arrays.fill(segments, done, count, BloomFilterArray.NO_SEGMENT);
          counters.notIndexed.add(count - done);
          break;
        }
        int part = Math.min(filter.room(), count - done);
        FilterGroup group = table.groupOf(filter);
        group.add(group.columnOf(filter), 0, hashes, done, part);
        if (log != null) {
          log.append(filter, hashes, done, part);
        }
        filter.elements += part;
        filter.changed = true;
        Arrays.fill(segments, done, done + part, filter.name());
        done += part;
        if (filter.room() == 0) {
          filter.sealed = true;
          counters.sealed.increment();
        }
      }
      counters.inserted.add(done);
      Insertion insertion = new Insertion(this, hashes, Arrays.copyOf(segments, count));
      unfinished.add(insertion);
      table.publishBits();
      return insertion;
    }
  }

  /** The index holds the elements now, which its generations show. */
  void finish(Insertion insertion) {
    synchronized (table) {
      if (!unfinished.remove(insertion)) {
        return;
      }
      int last = BloomFilterArray.NO_SEGMENT;
      for (int segment : insertion.segments()) {
        if (segment != last && table.isKnown(segment)) {
          table.bySegment(segment).changed = true;
        }
        last = segment;
      }
    }
  }

  private static boolean takesMore(Filter filter) {
    return !filter.sealed && !filter.pending && filter.room() > 0;
  }

  private Filter openFilter() {
    if (open != null && takesMore(open)) {
      return open;
    }
    open = null;
    for (Filter filter : table.filters()) {
      if (takesMore(filter)) {
        open = filter;
        return open;
      }
    }
    if (table.isComplete()) {
      open = table.allocator().newFilter();
    }
    return open;
  }

  Filter open() {
    return open;
  }

  /** Takes note that a filter is gone. */
  void forget(Filter filter) {
    if (open == filter) {
      open = null;
    }
  }

  boolean isOpen(Filter filter) {
    synchronized (table) {
      return filter == open;
    }
  }

  /** Filters, besides the open one, that take more elements. */
  int reopened() {
    synchronized (table) {
      int count = 0;
      for (Filter filter : table.filters()) {
        count += filter != open && takesMore(filter) ? 1 : 0;
      }
      return count;
    }
  }

  /**
   * Elements that the existing filters still take, and that filters take which the error rate
   * allows to be made.
   */
  long room() {
    synchronized (table) {
      Shape next = table.budget().creationShape(table.groups());
      long creatable = Math.max(0, table.budget().creatable(table.groups(), next));
      long room = 0;
      for (FilterGroup group : table.groups()) {
        for (int column = 0; column < group.width(); column++) {
          if (group.isUsed(column)) {
            Filter filter = group.filter(column);
            room += takesMore(filter) ? filter.room() : 0;
          } else if (creatable > 0) {
            room += group.shape().capacity();
            creatable--;
          }
        }
      }
      return room + creatable * next.capacity();
    }
  }

  /** Elements that the existing filters are made for, less those that they still take. */
  long filled() {
    synchronized (table) {
      long filled = 0;
      for (Filter filter : table.filters()) {
        filled += filter.shape.capacity() - (takesMore(filter) ? filter.room() : 0);
      }
      return filled;
    }
  }

  /** Starts to log insertions into filters. Their columns stay theirs meanwhile. */
  InsertLog beginLog(Filter... covered) {
    synchronized (table) {
      InsertLog begun = new InsertLog();
      for (Filter filter : covered) {
        begun.cover(filter, 0);
      }
      return begin(begun);
    }
  }

  /** Starts to log insertions into groups, whose columns are numbered side by side. */
  InsertLog beginLog(FilterGroup... covered) {
    synchronized (table) {
      InsertLog begun = new InsertLog();
      int offset = 0;
      for (FilterGroup group : covered) {
        for (int column = 0; column < group.width(); column++) {
          if (group.isUsed(column)) {
            begun.cover(group.filter(column), offset + column);
          }
        }
        offset += group.width();
      }
      return begin(begun);
    }
  }

  private InsertLog begin(InsertLog begun) {
    for (Insertion insertion : unfinished) {
      int[] segments = insertion.segments();
      for (int i = 0; i < segments.length; i++) {
        Filter filter = table.bySegment(segments[i]);
        if (filter != null) {
          begun.append(filter, insertion.hashes(), i, 1);
        }
      }
    }
    log = begun;
    return begun;
  }

  void endLog() {
    synchronized (table) {
      log = null;
    }
  }

  /** Returns whether inserts into any filter of a group are logged. Guarded by the table. */
  boolean isLogged(FilterGroup group) {
    return log != null && log.coversAnyOf(group);
  }
}
