/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.NativeWords;
import java.util.Arrays;
import java.util.List;

/** Makes wider groups of narrow ones, and columns free again. For one thread at a time. */
final class GroupCombiner {

  private final FilterTable table;
  private final DbaSettings settings;
  private final DbaCounters counters;

  GroupCombiner(FilterTable table, DbaSettings settings, DbaCounters counters) {
    this.table = table;
    this.settings = settings;
    this.counters = counters;
  }

  /** Two groups become one of twice the width; returns whether there were any. */
  boolean combineOne() {
    if (settings.group() != DbaSettings.AUTO) {
      return false;
    }
    FilterGroup first = null;
    FilterGroup second = null;
    synchronized (table) {
      int wanted = table.allocator().width(table.filterCount());
      List<FilterGroup> groups = table.groups();
      for (int i = 0; i < groups.size() && second == null; i++) {
        first = groups.get(i);
        second = partner(first, groups.subList(i + 1, groups.size()), wanted);
      }
    }
    if (second == null || !table.reserve(first.shape().groupBytes(2 * first.width()))) {
      return false;
    }
    combine(first, second);
    return true;
  }

  /** The group to combine one with; null for none. Guarded by the table's lock. */
  private FilterGroup partner(FilterGroup group, List<FilterGroup> others, int wanted) {
    if (group.width() == DbaSettings.MAX_GROUP
        || !group.shape().fits(2 * group.width())
        || !table.mayBeGroup(group.shape().groupBytes(2 * group.width()))) {
      return null;
    }
    for (FilterGroup other : others) {
      if (other.width() == group.width()
          && other.shape().equals(group.shape())
          && (group.width() < wanted || wasteNothing(group, other))) {
        return other;
      }
    }
    return null;
  }

  /**
   * Returns whether two groups can be combined however wide they are: no column is without a
   * filter, and the memory that is allowed has room for them beside what they become.
   */
  private boolean wasteNothing(FilterGroup first, FilterGroup second) {
    return first.isFull()
        && second.isFull()
        && table.allocator().fitsMemory(first.bytes() + second.bytes());
  }

  private void combine(FilterGroup first, FilterGroup second) {
    InsertLog log = table.inserter().beginLog(first, second);
    try {
      int width = first.width();
      Filter[] filters = Arrays.copyOf(first.filters(), 2 * width);
      System.arraycopy(second.filters(), 0, filters, width, width);
      NativeWords[] rows = new NativeWords[first.shape().hashes()];
      for (int j = 0; j < rows.length; j++) {
        rows[j] = FilterGroup.interleave(first, second, j);
      }
      synchronized (table) {
        if (!table.areCurrent(first, second)) {
          table.discard(Arrays.asList(rows));
          return;
        }
        FilterGroup built = new FilterGroup(first.shape(), 2 * width, rows, filters);
        table.exchange(Arrays.asList(first, second), built, log);
      }
      counters.combined.increment();
    } finally {
      table.inserter().endLog();
    }
  }

  /** Makes a column without a filter fit for another one; returns whether there was one. */
  boolean clearOne() {
    FilterGroup group = null;
    synchronized (table) {
      for (FilterGroup other : table.groups()) {
        group = other.columnWithRemains() >= 0 ? other : group;
      }
    }
    if (group == null || !table.reserve(group.bytes())) {
      return false;
    }
    Filter remains = group.filter(group.columnWithRemains());
    for (int j = 0; j < group.shape().hashes(); j++) {
      table.clearRow(remains, j);
    }
    table.freeColumn(remains);
    return true;
  }
}
