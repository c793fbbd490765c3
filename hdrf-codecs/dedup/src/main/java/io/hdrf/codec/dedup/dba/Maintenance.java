/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.io.CorruptFileException;
import io.hdrf.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background work, in units. What fails is put off until all else has been done. For one thread
 * at a time.
 */
final class Maintenance {

  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

  /** Segments of one filter at most: each of its candidates is as many look-ups. */
  private static final int MAX_MERGED = 16;

  /** Enlarging begins when what is filled is more than so many times the room that is left. */
  private static final int HEADROOM_SHARE = 7;

  private static final Comparator<Filter> BY_LIVE = Comparator.comparingInt(Filter::live);

  private final FilterTable table;
  private final FilterDirectory directory;
  private final FilterWriter writer;
  private final SegmentSource source;
  private final DbaSettings settings;
  private final DbaCounters counters;
  private final SegmentScan scan;

  /**
   * What failed since the last time that nothing was left to do: filters, groups, a kind of work.
   */
  private final Set<Object> putOff = new HashSet<>();

  private static final Object LISTING = new Object();
  private static final Object DELETING = new Object();

  Maintenance(
      FilterTable table,
      FilterDirectory directory,
      FilterWriter writer,
      SegmentSource source,
      DbaSettings settings,
      DbaCounters counters,
      BooleanSupplier ended) {
    this.table = table;
    this.directory = directory;
    this.writer = writer;
    this.source = source;
    this.settings = settings;
    this.counters = counters;
    this.scan = new SegmentScan(source, counters, ended);
  }

  /** Does one unit; returns whether there may be more. */
  boolean step() {
    boolean done =
        list()
            || loadOne()
            || adjust()
            || refreshOne()
            || orMergeOne()
            || combineOne()
            || clearOne()
            || table.prepareRoom()
            || writeOne()
            || deleteFiles();
    if (!done) {
      putOff.clear();
    }
    return done;
  }

  private interface Work {
    void run() throws IOException;
  }

  /** Always returns true: something was done, or noted as put off. */
  private boolean attempt(Object subject, String what, Work work) {
    try {
      work.run();
    } catch (IOException e) {
      counters.putOff.increment();
      putOff.add(subject);
      LOG.warn("{} is put off", what, e);
    }
    return true;
  }

  // Beginning

  /** Reads the headers of all files. Only damaged files are an exception here, and are counted. */
  void readFiles() throws IOException {
    List<FilterFile> headers = new ArrayList<>();
    for (Path path : directory.list()) {
      try {
        FilterFile header = FilterDirectory.readHeader(path);
        if (!path.equals(directory.path(header.segments()[0]))) {
          throw new CorruptFileException(path, "it is the file of another segment");
        }
        headers.add(header);
      } catch (CorruptFileException e) {
        counters.damaged.increment();
        LOG.warn("A filter will be made anew from the index", e);
        directory.delete(path);
      } catch (UnknownFormatVersionException e) {
        LOG.info("A filter will be made anew from the index: {}", e.getMessage());
      } catch (IOException e) {
        counters.damaged.increment();
        LOG.warn("A filter will be made anew from the index", e);
      }
    }
    // A merged filter may have been written, and the file of the other not yet deleted.
    headers.sort(
        Comparator.<FilterFile>comparingInt(header -> -header.segments().length)
            .thenComparingInt(header -> -header.segments()[0]));
    Set<Integer> claimed = new HashSet<>();
    List<Filter> filters = new ArrayList<>();
    long bytes = 0;
    for (FilterFile header : headers) {
      for (int segment : header.segments()) {
        table.reserve(segment);
      }
      if (Arrays.stream(header.segments()).anyMatch(claimed::contains)) {
        directory.delete(header.segments()[0]);
        continue;
      }
      bytes += header.shape().groupBytes(1);
      if (settings.memory() != DbaSettings.UNLIMITED && bytes > settings.memory()) {
        counters.retired.add(header.segments().length);
        directory.delete(header.segments()[0]);
        continue;
      }
      Filter filter = new Filter(header.shape(), header.segments());
      filter.elements = header.elements();
      filter.stale = header.stale();
      filter.file = header;
      filters.add(filter);
      Arrays.stream(header.segments()).forEach(claimed::add);
    }
    filters.sort(Comparator.comparingInt(Filter::name));
    table.addPending(filters);
  }

  /** Learns which segments there are. */
  boolean list() {
    if (table.isComplete() || putOff.contains(LISTING)) {
      return false;
    }
    return attempt(LISTING, "The list of segments", () -> addMissing(source.segments()));
  }

  private void addMissing(Collection<Integer> segments) {
    TreeSet<Integer> missing = new TreeSet<>();
    for (int segment : segments) {
      table.reserve(segment);
      if (!table.isKnown(segment)) {
        missing.add(segment);
      }
    }
    List<Filter> filters = new ArrayList<>();
    Shape shape;
    synchronized (table) {
      shape = table.budget().shapeFor(table.groups(), missing.size());
    }
    long bytes = 0;
    for (int segment : missing.descendingSet()) {
      bytes += shape.groupBytes(1);
      if (table.fitsMemory(bytes)) {
        filters.add(new Filter(shape, segment));
      } else {
        counters.retired.increment();
      }
    }
    filters.sort(Comparator.comparingInt(Filter::name));
    table.addPending(filters);
    table.setComplete();
  }

  // Bits for filters that have none

  private boolean loadOne() {
    for (Filter filter : table.filters()) {
      if (filter.pending && !putOff.contains(filter)) {
        return attempt(filter, "Filling filter " + filter.name(), () -> load(filter));
      }
    }
    return false;
  }

  private void load(Filter filter) throws IOException {
    FilterFile file = filter.file;
    // Logged, so that its column is not taken away meanwhile.
    table.beginLog(filter);
    try {
      ColumnBits bits = file != null && isCurrent(file) ? read(filter) : null;
      if (bits == null) {
        rebuild(filter);
      } else {
        table.fill(filter, bits, file.elements(), filter.stale, file.sealed());
        counters.loaded.increment();
      }
      filter.file = null;
    } finally {
      table.endLog();
    }
    table.removeEmpty(filter);
  }

  private boolean isCurrent(FilterFile file) throws IOException {
    for (int i = 0; i < file.segments().length; i++) {
      if (source.generation(file.segments()[i]) != file.generations()[i]) {
        return false;
      }
    }
    return true;
  }

  /** Null if the file can't be used. */
  private ColumnBits read(Filter filter) {
    try {
      ColumnBits bits = directory.readRows(filter.name());
      return bits.shape().equals(filter.shape) ? bits : null;
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      counters.damaged.increment();
      LOG.warn("A filter is made anew from the index", e);
      return null;
    }
  }

  private void rebuild(Filter filter) throws IOException {
    ColumnBits bits = new ColumnBits(filter.shape);
    int elements = scan(filter, bits);
    if (elements > filter.shape.capacity()) {
      // Its lost file was of an enlarged group.
      table.move(filter, table.budget().holding(filter.shape, elements));
      bits = new ColumnBits(filter.shape);
      elements = scan(filter, bits);
    }
    synchronized (table) {
      filter.changed = true;
    }
    table.fill(filter, bits, elements, 0, elements >= filter.shape.capacity());
    counters.rebuilt.increment();
  }

  private int scan(Filter filter, ColumnBits bits) throws IOException {
    return scan.run(filter.segments(), (hashes, count) -> bits.add(hashes, 0, count));
  }

  // Error rate

  private boolean adjust() {
    Group group;
    Shape raised;
    synchronized (table) {
      ErrorBudget budget = table.budget();
      List<Group> groups = table.groups();
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
          || !table.fitsMemory(raised.groupBytes(group.width()) - group.bytes())) {
        return false;
      }
    }
    if (raised.capacity() == group.shape().capacity()) {
      return attempt(key(group), "Tightening a group", () -> tighten(group, raised));
    }
    return attempt(key(group), "Enlarging a group", () -> enlarge(group, raised));
  }

  /**
   * Whether there is room ahead of the end of the budget. Where filters are enlarged it is counted
   * in elements: a number of filters with room might never be reached, however often the few that
   * there are were enlarged. As nothing is enlarged while an eighth of the room is left, all
   * filters together never have more of it than growth times 8/7 of what they are filled with.
   */
  private boolean hasHeadroom(long creatable) {
    if (settings.control() == DbaSettings.Control.TIGHTEN) {
      return creatable + table.reopened() > table.budget().headroom();
    }
    return table.room() * HEADROOM_SHARE >= table.filled();
  }

  private Shape raised(Group group, int highest) {
    boolean isLast = table.budget().level(group.shape()) == highest;
    return table.budget().raised(group.shape(), isLast ? highest + 1 : highest);
  }

  /** One of the lowest groups, if possible one without the open filter; null if none is fit. */
  private Group best(List<Group> groups, Comparator<Group> order) {
    Group lowest = Collections.min(groups, order);
    Group chosen = null;
    for (Group group : groups) {
      if (order.compare(group, lowest) == 0
          && canBeRaised(group)
          && (chosen == null || (hasOpen(chosen) && !hasOpen(group)))) {
        chosen = group;
      }
    }
    return chosen;
  }

  /** Stands for the group as long as its rows are not replaced. */
  private static Object key(Group group) {
    return group.row(0);
  }

  private boolean canBeRaised(Group group) {
    return !group.hasPending() && !putOff.contains(key(group));
  }

  private boolean hasOpen(Group group) {
    for (Filter filter : group.filters()) {
      if (filter != null && table.isOpen(filter)) {
        return true;
      }
    }
    return false;
  }

  /** Adds rows, and puts the elements into these only. */
  private void tighten(Group group, Shape raised) throws IOException {
    int first = group.shape().hashes();
    long[][] rows = Arrays.copyOf(group.rows(), raised.hashes());
    for (int j = first; j < rows.length; j++) {
      rows[j] = Group.newRow(raised, group.width());
    }
    InsertLog log = table.beginLog(group);
    try {
      Filter[] filters = group.filters().clone();
      Group built = new Group(group.id(), raised, group.width(), rows, filters);
      for (int c = 0; c < group.width(); c++) {
        if (group.isUsed(c)) {
          int column = c;
          scan.run(
              group.filter(column).segments(),
              (hashes, count) -> built.add(column, first, hashes, 0, count));
        }
      }
      synchronized (table) {
        for (int column = 0; column < group.width(); column++) {
          if (group.isUsed(column)) {
            Filter filter = group.filter(column);
            filter.shape = raised;
            filter.changed = true;
          }
        }
        table.exchange(Collections.singletonList(group), built, log);
      }
      counters.tightened.increment();
    } finally {
      table.endLog();
    }
  }

  /** Makes a group anew with more room; its filters take elements again. */
  private void enlarge(Group group, Shape raised) throws IOException {
    InsertLog log = table.beginLog(group);
    try {
      int[] stale = new int[group.width()];
      int[] elements = new int[group.width()];
      Filter[] filters = group.filters().clone();
      for (int column = 0; column < filters.length; column++) {
        filters[column] = group.isUsed(column) ? filters[column] : null;
      }
      Group empty = Group.empty(group.id(), raised, group.width());
      Group built = empty.with(filters);
      for (int c = 0; c < group.width(); c++) {
        if (group.isUsed(c)) {
          int column = c;
          stale[column] = staleOf(group.filter(column));
          elements[column] =
              scan.run(
                  group.filter(column).segments(),
                  (hashes, count) -> built.add(column, 0, hashes, 0, count));
        }
      }
      synchronized (table) {
        for (int column = 0; column < group.width(); column++) {
          if (group.isUsed(column)) {
            Filter filter = group.filter(column);
            filter.shape = raised;
            filter.elements = elements[column] + log.count(column);
            filter.stale = Math.max(0, Math.min(filter.elements, filter.stale - stale[column]));
            filter.sealed = filter.room() == 0;
            filter.changed = true;
          }
        }
        table.exchange(Collections.singletonList(group), built, log);
      }
      counters.enlarged.increment();
    } finally {
      table.endLog();
    }
  }

  private int staleOf(Filter filter) {
    synchronized (table) {
      return filter.stale;
    }
  }

  // Deleted elements

  private boolean refreshOne() {
    for (Filter filter : table.filters()) {
      if (isStale(filter) && !putOff.contains(filter)) {
        return attempt(filter, "Refreshing filter " + filter.name(), () -> refresh(filter));
      }
    }
    return false;
  }

  private boolean isStale(Filter filter) {
    synchronized (table) {
      return !filter.pending
          && filter.stale > 0
          && filter.stale >= settings.staleShare() * filter.elements;
    }
  }

  private void refresh(Filter filter) throws IOException {
    InsertLog log = table.beginLog(filter);
    try {
      int stale = staleOf(filter);
      ColumnBits bits = new ColumnBits(filter.shape);
      int elements = scan(filter, bits);
      int last = filter.shape.hashes() - 1;
      for (int j = 0; j < last; j++) {
        table.replaceRow(filter, j, bits, log);
      }
      synchronized (table) {
        table.replaceRow(filter, last, bits, log);
        filter.elements = elements + log.count(0);
        filter.stale = Math.max(0, Math.min(filter.elements, filter.stale - stale));
        filter.changed = true;
        table.endLog();
      }
      counters.refreshed.increment();
    } finally {
      table.endLog();
    }
    table.removeEmpty(filter);
  }

  /** Two of the emptiest sealed filters become one. */
  private boolean orMergeOne() {
    List<Filter> sealed = new ArrayList<>();
    synchronized (table) {
      for (Filter filter : table.filters()) {
        if (filter.sealed
            && !filter.pending
            && filter.segments().length < MAX_MERGED
            && !putOff.contains(filter)) {
          sealed.add(filter);
        }
      }
    }
    sealed.sort(BY_LIVE);
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
      return attempt(stale, "Refreshing filter " + stale.name(), () -> refresh(stale));
    }
    orMerge(first, second);
    return true;
  }

  private void orMerge(Filter kept, Filter gone) {
    // Logged, so that their columns are not taken away meanwhile.
    table.beginLog(kept, gone);
    try {
      long[] row = new long[ColumnBits.rowWords(kept.shape)];
      for (int j = 0; j < kept.shape.hashes(); j++) {
        Group group = table.groupOf(gone);
        group.extractRow(group.columnOf(gone), j, row);
        table.include(kept, j, row);
      }
      table.endLog();
      table.orMerge(kept, gone);
      counters.orMerged.increment();
    } finally {
      table.endLog();
    }
  }

  // Groups

  /** Two groups become one of twice the width. */
  private boolean combineOne() {
    if (settings.group() != DbaSettings.AUTO) {
      return false;
    }
    Group first = null;
    Group second = null;
    synchronized (table) {
      int wanted = table.width(table.filterCount());
      List<Group> groups = table.groups();
      for (int i = 0; i < groups.size() && second == null; i++) {
        first = groups.get(i);
        second = partner(first, groups.subList(i + 1, groups.size()), wanted);
      }
    }
    if (second == null) {
      return false;
    }
    combine(first, second);
    return true;
  }

  /** The group to combine one with; null for none. Guarded by the table's lock. */
  private Group partner(Group group, List<Group> others, int wanted) {
    if (group.width() == DbaSettings.MAX_GROUP || !group.shape().fits(2 * group.width())) {
      return null;
    }
    for (Group other : others) {
      if (other.width() == group.width()
          && other.shape().equals(group.shape())
          && (group.width() < wanted || wasteNothing(group, other))) {
        return other;
      }
    }
    return null;
  }

  /**
   * Whether two groups can be combined however wide they are: no column is without a filter, and
   * the memory that is allowed has room for them beside what they become.
   */
  private boolean wasteNothing(Group first, Group second) {
    return first.isFull() && second.isFull() && table.fitsMemory(first.bytes() + second.bytes());
  }

  private void combine(Group first, Group second) {
    InsertLog log = table.beginLog(first, second);
    try {
      int width = first.width();
      Filter[] filters = Arrays.copyOf(first.filters(), 2 * width);
      System.arraycopy(second.filters(), 0, filters, width, width);
      long[][] rows = new long[first.shape().hashes()][];
      for (int j = 0; j < rows.length; j++) {
        rows[j] = Group.interleave(first, second, j);
      }
      synchronized (table) {
        Group built = new Group(table.newGroupId(), first.shape(), 2 * width, rows, filters);
        table.exchange(Arrays.asList(first, second), built, log);
      }
      counters.combined.increment();
    } finally {
      table.endLog();
    }
  }

  /** Makes a column without a filter fit for another one. */
  private boolean clearOne() {
    Group group = null;
    synchronized (table) {
      for (Group other : table.groups()) {
        group = other.columnOf(Filter.REMAINS) >= 0 ? other : group;
      }
    }
    if (group == null) {
      return false;
    }
    int column = group.columnOf(Filter.REMAINS);
    for (int j = 0; j < group.shape().hashes(); j++) {
      table.clearRow(group.id(), column, j);
    }
    table.freeColumn(group.id(), column);
    return true;
  }

  // Files

  private boolean writeOne() {
    for (Filter filter : table.filters()) {
      boolean due;
      synchronized (table) {
        due = filter.changed && filter.sealed && !filter.pending;
      }
      if (due && !putOff.contains(filter)) {
        return attempt(filter, "Writing filter " + filter.name(), () -> writer.writeOne(filter));
      }
    }
    return false;
  }

  private boolean deleteFiles() {
    if (putOff.contains(DELETING)) {
      return false;
    }
    try {
      return writer.deleteObsolete();
    } catch (IOException e) {
      return attempt(
          DELETING,
          "Deleting files of filters",
          () -> {
            throw e;
          });
    }
  }
}
