/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.util.Arrays;

/**
 * Filters of one shape in columns: for each position in each row stand the bits of all filters side
 * by side, in a part of a word, a word, or several.
 *
 * <p>What a group is made of never changes; only bits of its rows are set, under the lock of {@link
 * FilterTable}, and queries that begin after the table was published again see them. Bits are never
 * cleared; where they must go, a row is replaced in a new group.
 */
final class Group {

  /**
   * Where the words of a row begin in its array. With the 16 bytes that most virtual machines have
   * before the elements that is a cache line, so that no position lies in two of them where the
   * array itself begins at one, as big arrays do in the heap of the collector G1.
   */
  static final int FIRST_WORD = 6;

  private final long id;
  private final Shape shape;
  private final int width;
  private final int log;
  private final int lanes;
  private final long[][] rows;
  private final Filter[] filters;
  private final int[][] segments;
  private final long[] live;
  private final long[] always;

  /**
   * @param id stays the same when a group takes the place of another
   * @param rows of {@link #newRow} each
   * @param filters one for each column, null where there is none
   */
  Group(long id, Shape shape, int width, long[][] rows, Filter[] filters) {
    this.id = id;
    this.shape = shape;
    this.width = width;
    this.log = Integer.numberOfTrailingZeros(Math.min(width, Long.SIZE));
    this.lanes = lanes(width);
    this.rows = rows;
    this.filters = filters;
    this.segments = new int[width][];
    this.live = new long[lanes];
    this.always = new long[lanes];
    for (int column = 0; column < width; column++) {
      Filter filter = filters[column];
      if (isUsed(column)) {
        segments[column] = filter.segments();
        long[] mask = filter.pending ? always : live;
        mask[column / Long.SIZE] |= 1L << column;
      }
    }
  }

  static Group empty(long id, Shape shape, int width) {
    long[][] rows = new long[shape.hashes()][];
    for (int j = 0; j < rows.length; j++) {
      rows[j] = newRow(shape, width);
    }
    return new Group(id, shape, width, rows, new Filter[width]);
  }

  static long[] newRow(Shape shape, int width) {
    return new long[Math.toIntExact(FIRST_WORD + shape.rowWords(width))];
  }

  static int lanes(int width) {
    return Math.max(1, width / Long.SIZE);
  }

  /** The same with other filters. */
  Group with(Filter[] others) {
    return new Group(id, shape, width, rows, others);
  }

  /** The same with one filter changed, or gone (null), or changed in what it says of itself. */
  Group with(int column, Filter filter) {
    Filter[] others = filters.clone();
    others[column] = filter;
    return with(others);
  }

  /** The same with one row replaced. */
  Group withRow(int j, long[] row) {
    long[][] others = rows.clone();
    others[j] = row;
    return new Group(id, shape, width, others, filters);
  }

  long id() {
    return id;
  }

  Shape shape() {
    return shape;
  }

  int width() {
    return width;
  }

  /** Words for each position; 1 also where the bits of several positions share a word. */
  int lanes() {
    return lanes;
  }

  long[] row(int j) {
    return rows[j];
  }

  /** Not to be changed. */
  long[][] rows() {
    return rows;
  }

  Filter filter(int column) {
    return filters[column];
  }

  /** Not to be changed. */
  Filter[] filters() {
    return filters;
  }

  boolean isUsed(int column) {
    return filters[column] != null && filters[column] != Filter.REMAINS;
  }

  /** The column of a filter; -1 if it stands elsewhere. */
  int columnOf(Filter filter) {
    for (int column = 0; column < width; column++) {
      if (filters[column] == filter) {
        return column;
      }
    }
    return -1;
  }

  /** A column without a filter and without bits; -1 if there is none. */
  int freeColumn() {
    return columnOf(null);
  }

  int filterCount() {
    int count = 0;
    for (Filter filter : filters) {
      count += filter == null || filter == Filter.REMAINS ? 0 : 1;
    }
    return count;
  }

  boolean isFull() {
    return filterCount() == width;
  }

  boolean hasPending() {
    return isAnySet(always);
  }

  /** Whether the bits of any column count. */
  boolean isLive() {
    return isAnySet(live);
  }

  private static boolean isAnySet(long[] masks) {
    for (long mask : masks) {
      if (mask != 0) {
        return true;
      }
    }
    return false;
  }

  /** The segments that a column stands for. */
  int[] segments(int column) {
    return segments[column];
  }

  /** The columns whose bits count, in a lane. */
  long live(int lane) {
    return live[lane];
  }

  /** The columns that are candidates whatever their bits say, in a lane. */
  long always(int lane) {
    return always[lane];
  }

  long bytes() {
    return shape.groupBytes(width);
  }

  /** Adds elements by their h1 and h2 to a column, in the rows from {@code firstRow} on. */
  void add(int column, int firstRow, long[] hashes, int offset, int count) {
    for (int j = firstRow; j < rows.length; j++) {
      addToRow(rows[j], shape.rowLength(), width, column, j, hashes, offset, count);
    }
  }

  /** Adds elements to a column in row {@code j} of a group. */
  static void addToRow(
      long[] row,
      int rowLength,
      int width,
      int column,
      int j,
      long[] hashes,
      int offset,
      int count) {
    int log = Integer.numberOfTrailingZeros(Math.min(width, Long.SIZE));
    int lanes = lanes(width);
    int lane = column / Long.SIZE;
    for (int i = 0; i < count; i++) {
      int at = Fingerprints.HASH_LONGS * (offset + i);
      int position = Fingerprints.position(hashes[at], hashes[at + 1], j, rowLength);
      int word = log == 6 ? position * lanes + lane : position >>> (6 - log);
      row[FIRST_WORD + word] |= 1L << ((position << log) + column);
    }
  }

  /** Copies a column's row into {@code bits}. */
  void extractRow(int column, int j, long[] bits) {
    Arrays.fill(bits, 0);
    long[] row = rows[j];
    int lane = column / Long.SIZE;
    for (int position = 0; position < shape.rowLength(); position++) {
      int word = log == 6 ? position * lanes + lane : position >>> (6 - log);
      long bit = (row[FIRST_WORD + word] >>> ((position << log) + column)) & 1;
      bits[position >>> 6] |= bit << position;
    }
  }

  /** Sets the bits of a column's row that are set in {@code bits}, in place. */
  void includeRow(int column, int j, long[] bits) {
    include(rows[j], column, bits);
  }

  /** A copy of a row in which a column has the given bits; null for none. */
  long[] replacedRow(int column, int j, long[] bits) {
    long[] row = rows[j].clone();
    long mask = 0;
    for (int at = column % Long.SIZE; at < Long.SIZE; at += Math.min(width, Long.SIZE)) {
      mask |= 1L << at;
    }
    for (int word = FIRST_WORD + column / Long.SIZE; word < row.length; word += lanes) {
      row[word] &= ~mask;
    }
    if (bits != null) {
      include(row, column, bits);
    }
    return row;
  }

  private void include(long[] row, int column, long[] bits) {
    int lane = column / Long.SIZE;
    for (int i = 0; i < bits.length; i++) {
      for (long rest = bits[i]; rest != 0; rest &= rest - 1) {
        int position = i * Long.SIZE + Long.numberOfTrailingZeros(rest);
        int word = log == 6 ? position * lanes + lane : position >>> (6 - log);
        row[FIRST_WORD + word] |= 1L << ((position << log) + column);
      }
    }
  }

  /** Row {@code j} of two groups of one shape and width side by side, in twice the width. */
  static long[] interleave(Group first, Group second, int j) {
    long[] merged = newRow(first.shape, first.width * 2);
    long[] a = first.rows[j];
    long[] b = second.rows[j];
    if (first.width >= Long.SIZE) {
      int lanes = first.lanes;
      for (int position = 0; position < first.shape.rowLength(); position++) {
        int from = FIRST_WORD + position * lanes;
        int to = FIRST_WORD + position * 2 * lanes;
        System.arraycopy(a, from, merged, to, lanes);
        System.arraycopy(b, from, merged, to + lanes, lanes);
      }
      return merged;
    }
    int width = first.width;
    long mask = (1L << width) - 1;
    for (int position = 0; position < first.shape.rowLength(); position++) {
      int from = FIRST_WORD + (position >>> (6 - first.log));
      int shift = position << first.log;
      long both = ((a[from] >>> shift) & mask) | (((b[from] >>> shift) & mask) << width);
      merged[FIRST_WORD + (position >>> (5 - first.log))] |= both << (position << (first.log + 1));
    }
    return merged;
  }
}
