/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.NativeWords;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Keeps the error rate as filters grow in number: raises groups by rows (tightening) or by room
 * (enlarging). For one thread at a time.
 */
final class ErrorControl {

  /** Enlarging begins when the filled room is more than so many times the room left. */
  private static final int HEADROOM_SHARE = 7;

  private final FilterTable table;
  private final SegmentScan scan;
  private final DbaSettings settings;
  private final DbaCounters counters;
  private final Retries retries;

  ErrorControl(
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

  /** Raises a group if there will soon be no room; returns whether there may be more to do. */
  boolean adjust() {
    FilterGroup group;
    Shape raised;
    synchronized (table) {
      ErrorBudget budget = table.budget();
      List<FilterGroup> groups = table.groups();
      int highest = budget.highestLevel(groups);
      long creatable = budget.creatable(groups, budget.shape(highest));
      if (groups.isEmpty() || (creatable >= 0 && hasHeadroom(creatable))) {
        return false;
      }
      if (creatable < 0 && settings.control() == DbaSettings.Control.ENLARGE) {
        group = best(groups, Comparator.comparingInt(g -> g.shape().hashes()));
        raised = group == null ? null : budget.tightened(group.shape());
      } else {
        group = best(groups, Comparator.comparingInt(g -> budget.level(g.shape())));
        raised = group == null ? null : raised(group, highest);
      }
      if (group == null
          || raised.equals(group.shape())
          || !raised.fits(group.width())
          || !table.allocator().fitsMemory(raised.groupBytes(group.width()) - group.bytes())
          || !table.reserve(newBytes(group, raised))) {
        return false;
      }
    }
    String what = keepsRows(group, raised) ? "Tightening a group" : "Enlarging a group";
    return retries.make(key(group), what, () -> raise(group, raised));
  }

  private static boolean keepsRows(FilterGroup group, Shape raised) {
    return raised.capacity() == group.shape().capacity();
  }

  /** Bytes of the rows that are made to raise a group. */
  private static long newBytes(FilterGroup group, Shape raised) {
    return raised.groupBytes(group.width()) - (keepsRows(group, raised) ? group.bytes() : 0);
  }

  /**
   * Returns whether there is room ahead of the end of the budget. Where filters are enlarged it is
   * counted in elements: a number of filters with room might never be reached, however often the
   * few that there are were enlarged. As nothing is enlarged while an eighth of the room is left,
   * all filters together never have more of it than growth times 8/7 of what they are filled with.
   */
  private boolean hasHeadroom(long creatable) {
    if (settings.control() == DbaSettings.Control.TIGHTEN) {
      return creatable + table.inserter().reopened() > table.budget().headroom();
    }
    return table.inserter().room() * HEADROOM_SHARE >= table.inserter().filled();
  }

  private Shape raised(FilterGroup group, int highest) {
    boolean isLast = table.budget().level(group.shape()) == highest;
    return table.budget().raised(group.shape(), isLast ? highest + 1 : highest);
  }

  /**
   * Returns one of the lowest groups, if possible one without the open filter; null if none is fit.
   */
  private FilterGroup best(List<FilterGroup> groups, Comparator<FilterGroup> order) {
    FilterGroup lowest = Collections.min(groups, order);
    FilterGroup chosen = null;
    for (FilterGroup group : groups) {
      if (order.compare(group, lowest) == 0
          && canBeRaised(group)
          && (chosen == null || (hasOpen(chosen) && !hasOpen(group)))) {
        chosen = group;
      }
    }
    return chosen;
  }

  /** Stands for the group as long as its rows are not replaced. */
  private static Object key(FilterGroup group) {
    return group.rows()[0];
  }

  private boolean canBeRaised(FilterGroup group) {
    return !group.hasPending() && !retries.isPutOff(key(group));
  }

  private boolean hasOpen(FilterGroup group) {
    for (Filter filter : group.filters()) {
      if (filter != null && table.inserter().isOpen(filter)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Makes a group of another shape: with rows more, which alone the elements are put into; or all
   * anew with more room, and then its filters take elements again.
   */
  private void raise(FilterGroup group, Shape raised) throws IOException {
    boolean keepsRows = keepsRows(group, raised);
    int first = keepsRows ? group.shape().hashes() : 0;
    int width = group.width();
    NativeWords[] rows = Arrays.copyOf(group.rows(), raised.hashes());
    for (int j = first; j < rows.length; j++) {
      rows[j] = FilterGroup.newRow(raised, width);
    }
    InsertLog log = table.inserter().beginLog(group);
    try {
      int[] stale = new int[width];
      int[] elements = new int[width];
      Filter[] filters = group.filters().clone();
      for (int c = 0; c < width; c++) {
        // Remains have no bits in new rows.
        filters[c] = keepsRows || group.isUsed(c) ? filters[c] : null;
      }
      FilterGroup built = new FilterGroup(raised, width, rows, filters);
      for (int c = 0; c < width; c++) {
        if (group.isUsed(c)) {
          int column = c;
          stale[column] = table.staleOf(group.filter(column));
          elements[column] =
              scan.run(
                  group.filter(column).segments(),
                  (hashes, count) -> built.add(column, first, hashes, 0, count));
        }
      }
      synchronized (table) {
        if (!table.areCurrent(group)) {
          table.discard(Arrays.asList(rows).subList(first, rows.length));
          return;
        }
        for (int column = 0; column < width; column++) {
          if (group.isUsed(column)) {
            Filter filter = group.filter(column);
            filter.shape = raised;
            filter.changed = true;
            if (!keepsRows) {
              filter.elements = elements[column] + log.count(column);
              filter.stale = Math.max(0, Math.min(filter.elements, filter.stale - stale[column]));
              filter.sealed = filter.room() == 0;
            }
          }
        }
        table.exchange(Collections.singletonList(group), built, log);
      }
      (keepsRows ? counters.tightened : counters.enlarged).increment();
    } finally {
      table.inserter().endLog();
    }
  }
}
