/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.NativeWords;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The filters in memory. Queries read {@link #view} once and then only rows; every change happens
 * under this object's lock and ends with {@link #publish}, a volatile write. Whoever reads rows
 * without the lock does so between {@link #enter} and {@link #exit}: all others are given back to
 * the system as soon as they are published no more.
 */
final class FilterTable {

  /** All groups as queries see them. Immutable but for the bits of the groups. */
  static final class View {
    final FilterGroup[] groups;
    final boolean complete;

    View(FilterGroup[] groups, boolean complete) {
      this.groups = groups;
      this.complete = complete;
    }
  }

  /** A new group begins empty: it is at most twice this share of all filters wide. */
  private static final int SMALLEST_SHARE = 8;

  private final DbaSettings settings;
  private final DbaCounters counters;
  private final ErrorBudget budget;

  private final RowMemory memory = new RowMemory();

  private volatile View view = new View(new FilterGroup[0], false);

  private final List<FilterGroup> groups = new ArrayList<>();
  private final Map<Integer, Filter> bySegment = new TreeMap<>();
  private final Set<Insertion> unfinished = new HashSet<>();

  /** Files to delete: their names, and the filter whose file must be there first (or null). */
  private final Map<Integer, Filter> obsolete = new HashMap<>();

  private Filter open;
  private boolean complete;
  private int nextSegment;
  private long nextGroup;
  private InsertLog log;

  FilterTable(DbaSettings settings, DbaCounters counters) {
    this.settings = settings;
    this.counters = counters;
    this.budget = new ErrorBudget(settings);
  }

  ErrorBudget budget() {
    return budget;
  }

  /** What a query reads. Without the lock. */
  View view() {
    return view;
  }

  /** Guarded by this object's lock, and not to be changed. */
  List<FilterGroup> groups() {
    return groups;
  }

  synchronized double errorRate() {
    return ErrorBudget.errorRate(groups);
  }

  synchronized int filterCount() {
    return countFilters();
  }

  private int countFilters() {
    int count = 0;
    for (FilterGroup group : groups) {
      count += group.filterCount();
    }
    return count;
  }

  synchronized List<Filter> filters() {
    List<Filter> all = new ArrayList<>();
    for (FilterGroup group : groups) {
      for (int column = 0; column < group.width(); column++) {
        if (group.isUsed(column)) {
          all.add(group.filter(column));
        }
      }
    }
    return all;
  }

  /**
   * From now on the calling thread reads groups without the lock; to be handed to {@link #exit}.
   */
  int enter() {
    return memory.enter();
  }

  void exit(int entered) {
    memory.exit(entered);
  }

  /** Rows that are not published any more, and that readers may still have. */
  int unreclaimedRows() {
    return memory.unreclaimed();
  }

  /** Takes everything away from queries, and gives it back when the last one has ended. */
  synchronized void close() {
    groups.clear();
    bySegment.clear();
    open = null;
    complete = false;
    publish();
  }

  /** Makes all changes visible to queries that begin from now on. */
  private void publish() {
    FilterGroup[] before = view.groups;
    view = new View(groups.toArray(new FilterGroup[0]), complete);
    retireRows(before);
    long bytes = 0;
    for (FilterGroup group : groups) {
      bytes += group.bytes();
    }
    counters.memoryBytes = bytes;
  }

  private void retireRows(FilterGroup[] before) {
    Set<NativeWords> gone = Collections.newSetFromMap(new IdentityHashMap<>());
    for (FilterGroup group : before) {
      Collections.addAll(gone, group.rows());
    }
    for (FilterGroup group : groups) {
      for (NativeWords row : group.rows()) {
        gone.remove(row);
      }
    }
    if (!gone.isEmpty()) {
      memory.retire(new ArrayList<>(gone));
    }
  }

  /** As {@link #publish}, where only bits were set. */
  private void publishBits() {
    View same = view;
    view = same;
  }

  // Segments

  /** Takes note of segments that are in use, here or elsewhere, so that none is given out again. */
  synchronized void reserve(int segment) {
    nextSegment = Math.max(nextSegment, segment + 1);
  }

  synchronized void setComplete() {
    complete = true;
    publish();
  }

  synchronized boolean isComplete() {
    return complete;
  }

  synchronized boolean isKnown(int segment) {
    return bySegment.containsKey(segment);
  }

  synchronized void deleted(int segment, int count) {
    Filter filter = bySegment.get(segment);
    if (filter != null) {
      filter.stale = (int) Math.min(filter.elements, (long) filter.stale + count);
      filter.staleChanged = true;
    }
  }

  synchronized int staleOf(Filter filter) {
    return filter.stale;
  }

  /** Whether groups are still those that were looked at: an insertion may have put others there. */
  synchronized boolean areCurrent(FilterGroup... looked) {
    return groups.containsAll(Arrays.asList(looked));
  }

  /** Whether a filter is still there: an insertion may have given it up for want of memory. */
  synchronized boolean has(Filter filter) {
    return groupOf(filter) != null;
  }

  // Inserting

  /**
   * Puts elements into open filters.
   *
   * @param hashes h1 and h2 of each, kept by the result
   * @param segments gets the segment of each
   */
  synchronized Insertion insert(long[] hashes, int count, int[] segments) {
    int done = 0;
    while (done < count) {
      Filter filter = openFilter();
      if (filter == null) {
        Arrays.fill(segments, done, count, BloomFilterArray.NO_SEGMENT);
        counters.notIndexed.add(count - done);
        break;
      }
      int part = Math.min(filter.room(), count - done);
      FilterGroup group = groupOf(filter);
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
    publishBits();
    return insertion;
  }

  /** The index holds the elements now, which its generations show. */
  synchronized void finish(Insertion insertion) {
    if (!unfinished.remove(insertion)) {
      return;
    }
    int last = BloomFilterArray.NO_SEGMENT;
    for (int segment : insertion.segments()) {
      if (segment != last && bySegment.containsKey(segment)) {
        bySegment.get(segment).changed = true;
      }
      last = segment;
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
    for (Filter filter : filters()) {
      if (takesMore(filter)) {
        open = filter;
        return open;
      }
    }
    if (complete) {
      open = create();
    }
    return open;
  }

  synchronized boolean isOpen(Filter filter) {
    return filter == open;
  }

  /** Filters, besides the open one, that take more elements. */
  synchronized int reopened() {
    int count = 0;
    for (Filter filter : filters()) {
      count += filter != open && takesMore(filter) ? 1 : 0;
    }
    return count;
  }

  /**
   * Elements that the existing filters still take, and that filters take which the error rate
   * allows to be made.
   */
  synchronized long room() {
    Shape next = budget.creationShape(groups);
    long creatable = Math.max(0, budget.creatable(groups, next));
    long room = 0;
    for (FilterGroup group : groups) {
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

  /** Elements that the existing filters are made for, less those that they still take. */
  synchronized long filled() {
    long filled = 0;
    for (Filter filter : filters()) {
      filled += filter.shape.capacity() - (takesMore(filter) ? filter.room() : 0);
    }
    return filled;
  }

  private Filter create() {
    Shape wanted = budget.creationShape(groups);
    FilterGroup group = groupWithRoom();
    if (group == null) {
      group = newGroup(wanted);
    }
    if (group == null) {
      group = reclaim();
    }
    if (group == null) {
      counters.exceeded.increment();
      group = FilterGroup.empty(nextGroup++, wanted, 1);
      groups.add(group);
    }
    if (budget.creatable(groups, group.shape()) < 1) {
      counters.exceeded.increment();
    }
    Filter filter = new Filter(group.shape(), nextSegment++);
    filter.changed = true;
    bySegment.put(filter.name(), filter);
    replace(group, group.with(group.freeColumn(), filter));
    publish();
    return filter;
  }

  private boolean isLogged(FilterGroup group) {
    return log != null && log.coversAnyOf(group);
  }

  private FilterGroup groupWithRoom() {
    for (FilterGroup group : groups) {
      if (group.freeColumn() >= 0 && !isLogged(group)) {
        return group;
      }
    }
    return null;
  }

  /** A group for new filters; null where the memory does not allow even a narrow one. */
  private FilterGroup newGroup(Shape shape) {
    int width = possibleWidth(shape);
    if (width == 0) {
      return null;
    }
    FilterGroup group = FilterGroup.empty(nextGroup++, shape, width);
    groups.add(group);
    return group;
  }

  /** The width of the next group, less where the memory is short; 0 where there is none. */
  private int possibleWidth(Shape shape) {
    int width = width(countFilters() + 1);
    while (width > 0 && !(shape.fits(width) && fitsMemory(shape.groupBytes(width)))) {
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

  /** Whether so many bytes more are allowed. */
  synchronized boolean fitsMemory(long bytes) {
    return settings.memory() == DbaSettings.UNLIMITED
        || counters.memoryBytes + bytes <= settings.memory();
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
    int column = group.columnOf(Filter.REMAINS);
    FilterGroup cleared = group;
    for (int j = 0; j < group.shape().hashes(); j++) {
      cleared = cleared.withRow(j, cleared.replacedRow(column, j, null));
    }
    cleared = cleared.with(column, null);
    replace(group, cleared);
    return cleared;
  }

  private FilterGroup groupWithRemains() {
    for (FilterGroup group : groups) {
      if (group.columnOf(Filter.REMAINS) >= 0 && !isLogged(group)) {
        return group;
      }
    }
    return null;
  }

  private boolean retireOldest() {
    Filter oldest = null;
    for (FilterGroup group : groups) {
      for (int column = 0; column < group.width() && !isLogged(group); column++) {
        Filter filter = group.filter(column);
        if (group.isUsed(column)
            && filter != open
            && (oldest == null || filter.name() < oldest.name())) {
          oldest = filter;
        }
      }
    }
    if (oldest != null) {
      retire(oldest);
    }
    return oldest != null;
  }

  /** Gives a filter up for want of memory. */
  private void retire(Filter filter) {
    counters.retired.add(filter.segments().length);
    removeKeepingGroup(filter, null);
    publish();
  }

  /** Makes room ahead for the next filter; whether anything was done. */
  boolean prepareRoom() {
    Shape shape;
    int width;
    synchronized (this) {
      if (!complete
          || open == null
          || open.room() > open.shape.capacity() / 4
          || reopened() > 0
          || groupWithRoom() != null) {
        return false;
      }
      shape = budget.creationShape(groups);
      if (settings.control() == DbaSettings.Control.ENLARGE
          && budget.creatable(groups, shape) < 1) {
        // Those that there are will be enlarged.
        return false;
      }
      width = possibleWidth(shape);
      if (width == 0) {
        return groupWithRemains() == null && retireOldest();
      }
    }
    FilterGroup ahead = FilterGroup.empty(-1, shape, width);
    synchronized (this) {
      if (groupWithRoom() == null && shape.equals(budget.creationShape(groups))) {
        groups.add(new FilterGroup(nextGroup++, shape, width, ahead.rows(), ahead.filters()));
        publish();
      }
    }
    return true;
  }

  // Filters from files

  /** Adds groups of filters whose bits are still to come. */
  synchronized void addPending(List<Filter> pending) {
    Map<Shape, List<Filter>> byShape = new LinkedHashMap<>();
    for (Filter filter : pending) {
      filter.pending = true;
      byShape.computeIfAbsent(filter.shape, shape -> new ArrayList<>()).add(filter);
      for (int segment : filter.segments()) {
        bySegment.put(segment, filter);
        nextSegment = Math.max(nextSegment, segment + 1);
      }
    }
    int all = countFilters() + pending.size();
    for (Map.Entry<Shape, List<Filter>> entry : byShape.entrySet()) {
      addGroups(entry.getKey(), entry.getValue(), width(all));
    }
    publish();
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
              || !shape.fits(width)
              || !fitsMemory(shape.groupBytes(width)))) {
        width /= 2;
      }
      List<Filter> some = filters.subList(first, Math.min(filters.size(), first + width));
      Filter[] columns = some.toArray(new Filter[width]);
      groups.add(FilterGroup.empty(nextGroup++, shape, width).with(columns));
      first += some.size();
      publish();
    }
  }

  /** Gives a filter that has no bits yet another shape. */
  synchronized void move(Filter filter, Shape shape) {
    FilterGroup group = groupOf(filter);
    replace(group, group.with(group.columnOf(filter), null));
    filter.shape = shape;
    FilterGroup target = null;
    for (FilterGroup other : groups) {
      if (other.shape().equals(shape) && other.freeColumn() >= 0) {
        target = other;
      }
    }
    if (target == null) {
      target = FilterGroup.empty(nextGroup++, shape, Math.max(1, possibleWidth(shape)));
      groups.add(target);
    }
    replace(target, target.with(target.freeColumn(), filter));
    dropEmptyGroups();
    publish();
  }

  /** Sets the bits of a filter that had none, and lets it take part. */
  void fill(Filter filter, ColumnBits bits, int elements, int stale, boolean sealed) {
    for (int j = 0; j < bits.shape().hashes(); j++) {
      synchronized (this) {
        FilterGroup group = groupOf(filter);
        group.includeRow(group.columnOf(filter), j, bits.row(j));
      }
    }
    synchronized (this) {
      FilterGroup group = groupOf(filter);
      filter.pending = false;
      filter.elements = elements;
      filter.stale = stale;
      filter.sealed = sealed;
      replace(group, group.with(group.columnOf(filter), filter));
      publish();
    }
  }

  // Building aside

  /** From now on, what is inserted into filters is logged too, and their columns stay theirs. */
  synchronized InsertLog beginLog(Filter... covered) {
    InsertLog begun = new InsertLog();
    for (Filter filter : covered) {
      begun.cover(filter, 0);
    }
    return begin(begun);
  }

  /** From now on, what is inserted into groups is logged too, by column side by side. */
  synchronized InsertLog beginLog(FilterGroup... covered) {
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

  private InsertLog begin(InsertLog begun) {
    for (Insertion insertion : unfinished) {
      int[] segments = insertion.segments();
      for (int i = 0; i < segments.length; i++) {
        Filter filter = bySegment.get(segments[i]);
        if (filter != null) {
          begun.append(filter, insertion.hashes(), i, 1);
        }
      }
    }
    log = begun;
    return begun;
  }

  synchronized void endLog() {
    log = null;
  }

  /** Puts groups in the place of others. Also ends the log. */
  synchronized void exchange(List<FilterGroup> old, FilterGroup built, InsertLog logged) {
    logged.drain((column, hashes, offset, count) -> built.add(column, 0, hashes, offset, count));
    log = null;
    int at = groups.indexOf(old.get(0));
    groups.set(at, built);
    for (FilterGroup other : old.subList(1, old.size())) {
      groups.remove(other);
    }
    publish();
  }

  synchronized long newGroupId() {
    return nextGroup++;
  }

  /** Puts one row of new bits in a filter's column, with what was logged until now. */
  synchronized void replaceRow(Filter filter, int j, ColumnBits bits, InsertLog logged) {
    logged.drain((column, hashes, offset, count) -> bits.add(hashes, offset, count));
    FilterGroup group = groupOf(filter);
    int column = group.columnOf(filter);
    replace(group, group.withRow(j, group.replacedRow(column, j, bits.row(j))));
    publish();
  }

  /** Clears one row of a column that has remains. */
  synchronized void clearRow(long groupId, int column, int j) {
    FilterGroup group = byId(groupId);
    if (group != null && group.filter(column) == Filter.REMAINS) {
      replace(group, group.withRow(j, group.replacedRow(column, j, null)));
      publish();
    }
  }

  /** A column with remains has been cleared. */
  synchronized void freeColumn(long groupId, int column) {
    FilterGroup group = byId(groupId);
    if (group != null && group.filter(column) == Filter.REMAINS) {
      replace(group, group.with(column, null));
      publish();
    }
  }

  /** Lets {@code kept}, whose column has all bits of both, stand for the segments of both. */
  synchronized void orMerge(Filter kept, Filter gone) {
    int[] all = Arrays.copyOf(kept.segments(), kept.segments().length + gone.segments().length);
    System.arraycopy(gone.segments(), 0, all, kept.segments().length, gone.segments().length);
    kept.setSegments(all);
    kept.elements += gone.elements;
    kept.stale += gone.stale;
    kept.changed = true;
    FilterGroup group = groupOf(kept);
    replace(group, group.with(group.columnOf(kept), kept));
    removeKeepingGroup(gone, kept);
    dropEmptyGroups();
    for (int segment : all) {
      bySegment.put(segment, kept);
    }
    publish();
  }

  /** Sets a row's bits in a column, in place. */
  synchronized void include(Filter filter, int j, long[] bits) {
    FilterGroup group = groupOf(filter);
    group.includeRow(group.columnOf(filter), j, bits);
    publishBits();
  }

  /** A filter without elements goes, unless elements are being inserted into it. */
  synchronized boolean removeEmpty(Filter filter) {
    if (filter == open || filter.elements > 0 || !has(filter)) {
      return false;
    }
    removeKeepingGroup(filter, null);
    dropEmptyGroups();
    publish();
    return true;
  }

  private void removeKeepingGroup(Filter filter, Filter successor) {
    FilterGroup group = groupOf(filter);
    replace(group, group.with(group.columnOf(filter), Filter.REMAINS));
    for (int segment : filter.segments()) {
      bySegment.remove(segment);
    }
    obsolete.put(filter.name(), successor);
    if (open == filter) {
      open = null;
    }
  }

  private void dropEmptyGroups() {
    groups.removeIf(group -> group.filterCount() == 0 && !isLogged(group));
  }

  /** Files that can be deleted now. */
  synchronized List<Integer> deletableFiles() {
    List<Integer> names = new ArrayList<>();
    obsolete.forEach(
        (name, successor) -> {
          if (successor == null || !successor.changed) {
            names.add(name);
          }
        });
    return names;
  }

  synchronized void fileDeleted(int name) {
    obsolete.remove(name);
  }

  // Groups

  private void replace(FilterGroup old, FilterGroup with) {
    groups.set(groups.indexOf(old), with);
  }

  /** The group with an id, as it is now; null if there is none. */
  synchronized FilterGroup byId(long id) {
    for (FilterGroup group : groups) {
      if (group.id() == id) {
        return group;
      }
    }
    return null;
  }

  /** The group in which a filter stands; null if it is gone. */
  synchronized FilterGroup groupOf(Filter filter) {
    for (FilterGroup group : groups) {
      if (group.columnOf(filter) >= 0) {
        return group;
      }
    }
    return null;
  }
}
