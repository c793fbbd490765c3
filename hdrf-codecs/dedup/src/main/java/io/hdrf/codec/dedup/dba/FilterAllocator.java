/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds a column for each filter: a free one, one in a new group, or that of the oldest filter, as
 * memory and error rate allow. Guarded by the lock of {@link FilterTable}.
 */
final class FilterAllocator {

  /** A new group begins empty: it is at most twice this share of all filters wide. */
  private static final int SMALLEST_SHARE = 8;

  private final FilterTable table;
  private final DbaSettings settings;
  private final DbaCounters counters;

  FilterAllocator(FilterTable table, DbaSettings settings, DbaCounters counters) {
    this.table = table;
    this.settings = settings;
    this.counters = counters;
  }

  /** Makes a filter, for which an old one may have to go; null where there is no memory now. */
  Filter newFilter() {
    Shape wanted = table.budget().creationShape(table.groups());
    FilterGroup group = groupWithRoom();
    if (group == null) {
      group = newGroup(wanted);
    }
    if (group == null && possibleWidth(wanted) > 0 && table.toBeReleased() > 0) {
      // What was given up before comes back first.
      return null;
    }
    if (group == null) {
      group = reclaim();
    }
    if (group == null) {
      if (!table.reserve(wanted.groupBytes(1))) {
        return null;
      }
      counters.exceeded.increment();
      group = FilterGroup.empty(wanted, 1);
      table.add(group);
    }
    if (table.budget().creatable(table.groups(), group.shape()) < 1) {
      counters.exceeded.increment();
    }
    Filter filter = new Filter(group.shape(), table.newSegment());
    filter.changed = true;
    table.register(filter);
    table.replace(group, group.with(group.freeColumn(), filter));
    table.publish();
    return filter;
  }

  private FilterGroup groupWithRoom() {
    for (FilterGroup group : table.groups()) {
      if (group.freeColumn() >= 0 && !table.inserter().isLogged(group)) {
        return group;
      }
    }
    return null;
  }

  /** A group for new filters; null where the memory does not allow even a narrow one. */
  private FilterGroup newGroup(Shape shape) {
    int width = reserveWidth(shape, possibleWidth(shape));
    if (width == 0) {
      return null;
    }
    FilterGroup group = FilterGroup.empty(shape, width);
    table.add(group);
    return group;
  }

  /** The width of the next group, less where the memory is short; 0 where there is none. */
  private int possibleWidth(Shape shape) {
    int width = width(table.filterCount() + 1);
    while (width > 0 && !(mayBeGroup(shape, width) && fitsMemory(shape.groupBytes(width)))) {
      width /= 2;
    }
    return width;
  }

  private boolean mayBeGroup(Shape shape, int width) {
    return shape.fits(width) && (width == 1 || table.mayBeGroup(shape.groupBytes(width)));
  }

  /** Reserves memory for a group as wide as it may be; returns its width, 0 if there is none. */
  private int reserveWidth(Shape shape, int most) {
    int width = most;
    while (width > 0 && !table.reserve(shape.groupBytes(width))) {
      width /= 2;
    }
    return width;
  }

  /** The width of new groups; those that are full get wider. */
  int width(int filters) {
    if (settings.group() != DbaSettings.AUTO) {
      return settings.group();
    }
    int width = 1;
    while (width < DbaSettings.MAX_GROUP && width * SMALLEST_SHARE < filters) {
      width *= 2;
    }
    return width;
  }

  /** Returns whether so many bytes more are allowed. */
  boolean fitsMemory(long bytes) {
    synchronized (table) {
      return settings.memory() == DbaSettings.UNLIMITED
          || counters.memoryBytes + bytes <= settings.memory();
    }
  }

  /** Frees a column, that of the oldest filter if need be; null where there is none. */
  private FilterGroup reclaim() {
    FilterGroup group = groupWithRemains();
    if (group == null && retireOldest()) {
      group = groupWithRemains();
    }
    if (group == null) {
      return null;
    }
    if (!table.reserve(group.bytes())) {
      giveUp(group);
      return newGroup(table.budget().creationShape(table.groups()));
    }
    int column = group.columnWithRemains();
    FilterGroup cleared = group;
    for (int j = 0; j < group.shape().hashes(); j++) {
      cleared = cleared.withRow(j, cleared.replacedRow(column, j, null));
    }
    cleared = cleared.with(column, null);
    table.replace(group, cleared);
    return cleared;
  }

  private FilterGroup groupWithRemains() {
    for (FilterGroup group : table.groups()) {
      if (group.columnWithRemains() >= 0 && !table.inserter().isLogged(group)) {
        return group;
      }
    }
    return null;
  }

  /**
   * Gives up the groups with the oldest filters, as others need the memory more.
   *
   * @param bytes about how many
   */
  void shrink(long bytes) {
    synchronized (table) {
      // What was given up before, and is still to come back, was asked for again.
      long left = bytes - table.toBeReleased();
      FilterGroup group = oldestGroup();
      while (left > 0 && group != null) {
        left -= group.bytes();
        giveUp(group);
        group = oldestGroup();
      }
    }
  }

  /** The group with the oldest filter of those without the open one; null if there is none. */
  private FilterGroup oldestGroup() {
    FilterGroup chosen = null;
    int oldest = Integer.MAX_VALUE;
    Filter open = table.inserter().open();
    for (FilterGroup group : table.groups()) {
      if (!table.inserter().isLogged(group) && (open == null || group.columnOf(open) < 0)) {
        for (int column = 0; column < group.width(); column++) {
          if (group.isUsed(column) && group.filter(column).name() < oldest) {
            oldest = group.filter(column).name();
            chosen = group;
          }
        }
      }
    }
    return chosen;
  }

  /** Gives up all filters of a group, and with them its memory. */
  private void giveUp(FilterGroup group) {
    for (Filter filter : group.filters().clone()) {
      if (filter != null && !filter.isRemains()) {
        counters.retired.add(filter.segments().length);
        table.removeKeepingGroup(filter, null);
      }
    }
    table.dropEmptyGroups();
    table.publish();
  }

  private boolean retireOldest() {
    Filter oldest = oldest();
    if (oldest != null) {
      retire(oldest);
    }
    return oldest != null;
  }

  /** The oldest filter that can be given up; null if there is none. */
  private Filter oldest() {
    Filter oldest = null;
    for (FilterGroup group : table.groups()) {
      for (int column = 0; column < group.width() && !table.inserter().isLogged(group); column++) {
        Filter filter = group.filter(column);
        if (group.isUsed(column)
            && !table.inserter().isOpen(filter)
            && (oldest == null || filter.name() < oldest.name())) {
          oldest = filter;
        }
      }
    }
    return oldest;
  }

  /** Gives a filter up for want of memory. */
  private void retire(Filter filter) {
    counters.retired.add(filter.segments().length);
    table.removeKeepingGroup(filter, null);
    table.publish();
  }

  /** Makes room ahead for the next filter; whether anything was done. */
  boolean prepareRoom() {
    Shape shape;
    int width;
    synchronized (table) {
      Filter open = table.inserter().open();
      if (!table.isComplete()
          || open == null
          || open.room() > open.shape.capacity() / 4
          || table.inserter().reopened() > 0
          || groupWithRoom() != null) {
        return false;
      }
      shape = table.budget().creationShape(table.groups());
      if (settings.control() == DbaSettings.Control.ENLARGE
          && table.budget().creatable(table.groups(), shape) < 1) {
        // The existing filters will be enlarged.
        return false;
      }
      width = possibleWidth(shape);
    }
    if (width > 0 && !table.reserveOfOthers(shape.groupBytes(width))) {
      width = reserveWidth(shape, width / 2);
    }
    if (width == 0) {
      synchronized (table) {
        return groupWithRemains() == null && retireOldest();
      }
    }
    FilterGroup ahead = FilterGroup.empty(shape, width);
    synchronized (table) {
      if (groupWithRoom() == null && shape.equals(table.budget().creationShape(table.groups()))) {
        table.add(ahead);
        table.publish();
      } else {
        table.discard(Arrays.asList(ahead.rows()));
      }
    }
    return true;
  }

  /**
   * Adds groups of filters whose bits are still to come. The oldest are given up if there is no
   * memory for all.
   *
   * @param filters the oldest first
   */
  void addPending(List<Filter> filters) {
    List<Filter> pending = new ArrayList<>(filters);
    for (int i = pending.size() - 1; i >= 0; i--) {
      if (!table.reserveOfOthers(pending.get(i).shape.groupBytes(1))) {
        table.giveUp(pending.remove(i));
      }
    }
    synchronized (table) {
      Map<Shape, List<Filter>> byShape = new LinkedHashMap<>();
      for (Filter filter : pending) {
        filter.pending = true;
        byShape.computeIfAbsent(filter.shape, shape -> new ArrayList<>()).add(filter);
        table.register(filter);
      }
      int all = table.filterCount() + pending.size();
      for (Map.Entry<Shape, List<Filter>> entry : byShape.entrySet()) {
        addGroups(entry.getKey(), entry.getValue(), width(all));
      }
      table.publish();
    }
  }

  private void addGroups(Shape shape, List<Filter> filters, int wanted) {
    boolean auto = settings.group() == DbaSettings.AUTO;
    int first = 0;
    while (first < filters.size()) {
      int left = filters.size() - first;
      // A group that is full at once may be wider.
      int full = Math.min(DbaSettings.MAX_GROUP, Integer.highestOneBit(left));
      int width = auto ? Math.max(wanted, full) : wanted;
      while (width > 1
          && ((auto && width / 2 >= left)
              || !mayBeGroup(shape, width)
              || !fitsMemory(shape.groupBytes(width))
              || !table.reserve(beyondReserved(shape, width, left)))) {
        width /= 2;
      }
      table.release(-Math.min(0, reservedLess(shape, width, left)));
      List<Filter> some = filters.subList(first, Math.min(filters.size(), first + width));
      Filter[] columns = some.toArray(new Filter[width]);
      table.add(FilterGroup.empty(shape, width).with(columns));
      first += some.size();
      table.publish();
    }
  }

  /** Bytes of a group beyond those that are reserved for each of its filters alone. */
  private static long beyondReserved(Shape shape, int width, int left) {
    return Math.max(0, reservedLess(shape, width, left));
  }

  private static long reservedLess(Shape shape, int width, int left) {
    return shape.groupBytes(width) - Math.min(width, left) * shape.groupBytes(1);
  }

  /**
   * Gives a filter that has no bits yet another shape; or gives it up, and returns false, if there
   * is no memory.
   */
  boolean move(Filter filter, Shape shape) {
    synchronized (table) {
      FilterGroup target = null;
      for (FilterGroup other : table.groups()) {
        if (other.shape().equals(shape) && other.freeColumn() >= 0) {
          target = other;
        }
      }
      if (target == null) {
        int width = reserveWidth(shape, Math.max(1, possibleWidth(shape)));
        if (width == 0) {
          retire(filter);
          return false;
        }
        target = FilterGroup.empty(shape, width);
        table.add(target);
      }
      FilterGroup group = table.groupOf(filter);
      table.replace(group, group.with(group.columnOf(filter), null));
      filter.shape = shape;
      table.replace(target, target.with(target.freeColumn(), filter));
      table.dropEmptyGroups();
      table.publish();
      return true;
    }
  }
}
