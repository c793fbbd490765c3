/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.NativeWords;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The filters in memory, their columns and their bits; {@link FilterInserter} fills and {@link
 * FilterAllocator} places them. Queries read {@link #view} once and then only rows; every change
 * happens under this object's lock and ends with {@link #publish}, a volatile write. A thread that
 * reads rows without the lock does so between {@link #enter} and {@link #exit}: rows that are not
 * published any more are freed once no such thread can have them.
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

  /** A group of several filters takes at most this part of the memory of the DataNode. */
  private static final int GROUP_SHARE = 16;

  private final DbaCounters counters;
  private final ErrorBudget budget;
  private final FilterInserter inserter;
  private final FilterAllocator allocator;

  /** What rows are reserved in before they are made. */
  private final MemoryShare share;

  private final MemoryBudget memoryBudget;
  private final RowReclaimer memory;

  private volatile View view = new View(new FilterGroup[0], false);

  private final List<FilterGroup> groups = new ArrayList<>();
  private final Map<Integer, Filter> bySegment = new TreeMap<>();

  /** Files to delete: their names, and the filter whose file must be there first (or null). */
  private final Map<Integer, Filter> obsolete = new HashMap<>();

  private boolean complete;
  private int nextSegment;

  FilterTable(DbaSettings settings, DbaCounters counters, MemoryBudget memoryBudget) {
    this.counters = counters;
    this.budget = new ErrorBudget(settings);
    this.memoryBudget = memoryBudget;
    long least = budget.shape(0).groupBytes(1);
    long most = settings.memory() == DbaSettings.UNLIMITED ? Long.MAX_VALUE : settings.memory();
    this.share =
        memoryBudget.open(
            "Filters",
            MemoryShare.Kind.LASTING,
            least,
            Math.max(least, most),
            bytes -> allocator().shrink(bytes));
    this.memory = new RowReclaimer(share);
    this.inserter = new FilterInserter(this, counters);
    this.allocator = new FilterAllocator(this, settings, counters);
  }

  ErrorBudget budget() {
    return budget;
  }

  FilterInserter inserter() {
    return inserter;
  }

  FilterAllocator allocator() {
    return allocator;
  }

  /** Returns the groups as queries see them. Without the lock. */
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
   * Lets the calling thread read groups without the lock until {@link #exit}, which takes the
   * result.
   */
  int enter() {
    return memory.enter();
  }

  void exit(int entered) {
    memory.exit(entered);
  }

  // Memory

  /** Reserves memory for rows that are about to be made; false if there is none. */
  boolean reserve(long bytes) {
    return share.tryReserve(bytes);
  }

  /** As {@link #reserve}; others give way if need be. Without the lock. */
  boolean reserveOfOthers(long bytes) {
    return share.reserve(bytes);
  }

  /** Releases what was reserved for rows that are not made. */
  void release(long bytes) {
    share.release(bytes);
  }

  /**
   * Returns the bytes of rows that were given up and will be released when no query or unit of
   * background work can have them any more.
   */
  long toBeReleased() {
    return memory.unreclaimedBytes();
  }

  /** Frees rows that were made, but never published. */
  void discard(List<NativeWords> rows) {
    memory.discard(rows);
  }

  /** Releases what was reserved and not used, by work that ended early. */
  synchronized void settle() {
    long bytes = 0;
    for (FilterGroup group : groups) {
      bytes += group.bytes();
    }
    memory.settle(bytes);
  }

  /**
   * Returns whether a group may have so many bytes: where memory is short, groups are replaced, and
   * given up, as wholes.
   */
  boolean mayBeGroup(long bytes) {
    return bytes <= memoryBudget.limit() / GROUP_SHARE;
  }

  /** Takes everything away from queries, and gives it back when the last one has ended. */
  synchronized void close() {
    groups.clear();
    bySegment.clear();
    inserter.forget(inserter.open());
    complete = false;
    publish();
    share.close();
  }

  /** Makes all changes visible to queries that begin from now on. */
  void publish() {
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

  /** As {@link #publish}, after bits alone were set. */
  void publishBits() {
    View same = view;
    view = same;
  }

  // Segments

  /** Takes note of segments that are in use, here or elsewhere, so that none is given out again. */
  synchronized void reserve(int segment) {
    nextSegment = Math.max(nextSegment, segment + 1);
  }

  /** A segment that was never used. */
  synchronized int newSegment() {
    return nextSegment++;
  }

  /** Lets a filter go that never had a column, and its file. */
  synchronized void giveUp(Filter filter) {
    counters.retired.add(filter.segments().length);
    obsolete.put(filter.name(), null);
  }

  /** A filter stands for its segments from now on. */
  synchronized void register(Filter filter) {
    for (int segment : filter.segments()) {
      bySegment.put(segment, filter);
      reserve(segment);
    }
  }

  /** The filter that stands for a segment; null if there is none. */
  synchronized Filter bySegment(int segment) {
    return bySegment.get(segment);
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

  /** Returns whether the groups are still there: an insertion may have replaced them. */
  synchronized boolean areCurrent(FilterGroup... looked) {
    return groups.containsAll(Arrays.asList(looked));
  }

  /**
   * Returns whether a filter is still there: an insertion may have given it up for want of memory.
   */
  synchronized boolean has(Filter filter) {
    return groupOf(filter) != null;
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

  /** Replaces groups by one. Also ends the log. */
  synchronized void exchange(List<FilterGroup> old, FilterGroup built, InsertLog logged) {
    logged.drain((column, hashes, offset, count) -> built.add(column, 0, hashes, offset, count));
    inserter.endLog();
    int at = groups.indexOf(old.get(0));
    groups.set(at, built);
    for (FilterGroup other : old.subList(1, old.size())) {
      groups.remove(other);
    }
    publish();
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
  synchronized void clearRow(Filter remains, int j) {
    FilterGroup group = groupOf(remains);
    if (group != null) {
      int column = group.columnOf(remains);
      replace(group, group.withRow(j, group.replacedRow(column, j, null)));
      publish();
    }
  }

  /** A column with remains has been cleared. */
  synchronized void freeColumn(Filter remains) {
    FilterGroup group = groupOf(remains);
    if (group != null) {
      replace(group, group.with(group.columnOf(remains), null));
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
  synchronized void removeEmpty(Filter filter) {
    if (!inserter.isOpen(filter) && filter.elements <= 0 && has(filter)) {
      removeKeepingGroup(filter, null);
      dropEmptyGroups();
      publish();
    }
  }

  /**
   * Takes a filter out of its column, where its bits remain.
   *
   * @param successor the filter whose file must be there before this one's is deleted, or null
   */
  void removeKeepingGroup(Filter filter, Filter successor) {
    FilterGroup group = groupOf(filter);
    replace(group, group.with(group.columnOf(filter), Filter.remains()));
    for (int segment : filter.segments()) {
      bySegment.remove(segment);
    }
    obsolete.put(filter.name(), successor);
    inserter.forget(filter);
  }

  void dropEmptyGroups() {
    groups.removeIf(group -> group.filterCount() == 0 && !inserter.isLogged(group));
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

  void add(FilterGroup group) {
    groups.add(group);
  }

  void replace(FilterGroup old, FilterGroup with) {
    groups.set(groups.indexOf(old), with);
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
