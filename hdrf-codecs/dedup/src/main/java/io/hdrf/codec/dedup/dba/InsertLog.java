/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.FilterRows;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Insertions into filters that are being rebuilt, so that the rebuilt ones don't miss them. Guarded
 * by the lock of {@link FilterTable}.
 */
final class InsertLog {

  /** Takes over logged elements. */
  interface Target {
    void add(int column, long[] hashes, int offset, int count);
  }

  /** The columns in the rebuilt group, by filter. */
  private final Map<Filter, Integer> columns = new HashMap<>();

  private int[] loggedColumns = new int[64];
  private long[] hashes = new long[64 * FilterRows.HASH_LONGS];
  private int size;

  /** Elements logged so far for each column of the target. */
  private int[] counts = new int[0];

  void cover(Filter filter, int column) {
    columns.put(filter, column);
    counts = Arrays.copyOf(counts, Math.max(counts.length, column + 1));
  }

  /** Returns whether inserts into a filter are logged. */
  boolean covers(Filter filter) {
    return columns.containsKey(filter);
  }

  boolean coversAnyOf(FilterGroup group) {
    for (Filter filter : group.filters()) {
      if (filter != null && covers(filter)) {
        return true;
      }
    }
    return false;
  }

  void append(Filter filter, long[] inserted, int offset, int count) {
    Integer column = columns.get(filter);
    if (column == null) {
      return;
    }
    if (size + count > loggedColumns.length) {
      int room = Math.max(2 * loggedColumns.length, size + count);
      loggedColumns = Arrays.copyOf(loggedColumns, room);
      hashes = Arrays.copyOf(hashes, room * FilterRows.HASH_LONGS);
    }
    Arrays.fill(loggedColumns, size, size + count, column);
    System.arraycopy(
        inserted,
        offset * FilterRows.HASH_LONGS,
        hashes,
        size * FilterRows.HASH_LONGS,
        count * FilterRows.HASH_LONGS);
    size += count;
    counts[column] += count;
  }

  /** Hands everything to the target and forgets it. */
  void drain(Target target) {
    int from = 0;
    while (from < size) {
      int to = from + 1;
      while (to < size && loggedColumns[to] == loggedColumns[from]) {
        to++;
      }
      target.add(loggedColumns[from], hashes, from, to - from);
      from = to;
    }
    size = 0;
  }

  /** Returns the number of elements logged for a column since the beginning. */
  int count(int column) {
    return counts[column];
  }
}
