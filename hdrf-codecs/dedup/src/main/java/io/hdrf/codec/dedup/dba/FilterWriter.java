/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Writes filters to their files. Safe for use by many threads. */
final class FilterWriter {

  /**
   * A longer file is written only if it has enough elements to be worth it. Until then they are
   * read from the index at the next start, which is quickly done.
   */
  private static final int SMALL_FILE = 64 << 10;

  private static final int WORTH_WRITING = 8;

  private final FilterTable table;
  private final FilterDirectory directory;
  private final SegmentSource source;
  private final DbaCounters counters;

  FilterWriter(
      FilterTable table, FilterDirectory directory, SegmentSource source, DbaCounters counters) {
    this.table = table;
    this.directory = directory;
    this.source = source;
    this.counters = counters;
  }

  /**
   * Writes all filters that differ from their files and are not nearly empty, durably, and deletes
   * files that stand for nothing any more.
   *
   * @param staleToo whether a filter is written where only its stale counter differs
   */
  synchronized void flush(boolean staleToo) throws IOException {
    boolean written = false;
    for (Filter filter : table.filters()) {
      if (isDue(filter, staleToo)) {
        write(filter);
        written = true;
      }
    }
    if (written) {
      directory.force();
    }
    deleteObsolete();
  }

  /** Writes one filter durably. */
  synchronized void writeOne(Filter filter) throws IOException {
    write(filter);
    directory.force();
  }

  /** Deletes files that stand for nothing any more; whether there were any. */
  synchronized boolean deleteObsolete() throws IOException {
    List<Integer> names = table.deletableFiles();
    for (int name : names) {
      directory.delete(name);
      table.fileDeleted(name);
    }
    if (!names.isEmpty()) {
      directory.force();
    }
    return !names.isEmpty();
  }

  private boolean isDue(Filter filter, boolean staleToo) {
    synchronized (table) {
      return !filter.pending
          && (filter.changed || (staleToo && filter.staleChanged))
          && isWorthWriting(filter);
    }
  }

  private static boolean isWorthWriting(Filter filter) {
    return filter.sealed
        || filter.shape.groupBytes(1) <= SMALL_FILE
        || filter.elements >= filter.shape.capacity() / WORTH_WRITING;
  }

  /** The generations are read first: what the index holds by then has its bits by then. */
  private void write(Filter filter) throws IOException {
    int[] segments;
    synchronized (table) {
      segments = filter.segments();
    }
    long[] generations = new long[segments.length];
    for (int i = 0; i < segments.length; i++) {
      generations[i] = source.generation(segments[i]);
    }
    FilterGroup group;
    FilterFile content;
    synchronized (table) {
      group = table.groupOf(filter);
      if (group == null || !Arrays.equals(segments, filter.segments())) {
        return;
      }
      content =
          new FilterFile(
              filter.shape, filter.sealed, filter.elements, filter.stale, segments, generations);
      filter.changed = false;
      filter.staleChanged = false;
    }
    int column = group.columnOf(filter);
    boolean done = false;
    try {
      directory.write(content, (j, words) -> group.extractRow(column, j, words));
      counters.written.increment();
      done = true;
    } finally {
      if (!done) {
        synchronized (table) {
          filter.changed = true;
        }
      }
    }
  }
}
