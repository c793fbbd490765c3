/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.FilterRows;
import io.hdrf.jni.NativeWords;
import io.hdrf.spi.scheme.ChunkFunction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * Filters of one shape in columns: for each position in each row stand the bits of all filters side
 * by side, in a part of a word, a word, or several.
 *
 * <p>What a group is made of never changes; only bits of its rows are set, under the lock of {@link
 * FilterTable}, and queries that begin after the table was published again see them. Bits are never
 * cleared; where they must go, a row is replaced in a new group. Rows lie outside the heap; {@link
 * RowReclaimer} gives those back that no group has any more.
 */
final class FilterGroup {

  private final Shape shape;
  private final int width;
  private final int log;
  private final int lanes;
  private final NativeWords[] rows;
  private final Filter[] filters;
  private final int[][] segments;
  private final long[] live;
  private final long[] always;

  /**
   * @param rows of {@link #newRow} each
   * @param filters one for each column, null where there is none
   */
  FilterGroup(Shape shape, int width, NativeWords[] rows, Filter[] filters) {
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

  static FilterGroup empty(Shape shape, int width) {
    NativeWords[] rows = new NativeWords[shape.hashes()];
    for (int j = 0; j < rows.length; j++) {
      rows[j] = newRow(shape, width);
    }
    return new FilterGroup(shape, width, rows, new Filter[width]);
  }

  static NativeWords newRow(Shape shape, int width) {
    return NativeWords.allocate(Math.toIntExact(shape.rowWords(width)));
  }

  /**
   * Writes h1 and h2 of fingerprints to {@code hashes} from index {@code at} on, in turns: the
   * first two 64-bit words of each, little-endian. {@link FilterRows#position} makes positions of
   * them. This is part of the format of filter files.
   */
  static void hash(byte[] fingerprints, int offset, int count, LongBuffer hashes, int at) {
    ByteBuffer in = ByteBuffer.wrap(fingerprints).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      int from = offset + i * ChunkFunction.FINGERPRINT_LENGTH;
      hashes.put(at + FilterRows.HASH_LONGS * i, in.getLong(from));
      hashes.put(at + FilterRows.HASH_LONGS * i + 1, in.getLong(from + Long.BYTES));
    }
  }

  static int lanes(int width) {
    return Math.max(1, width / Long.SIZE);
  }

  /** The same with other filters. */
  FilterGroup with(Filter[] others) {
    return new FilterGroup(shape, width, rows, others);
  }

  /** The same with one filter changed, or gone (null), or changed in what it says of itself. */
  FilterGroup with(int column, Filter filter) {
    Filter[] others = filters.clone();
    others[column] = filter;
    return with(others);
  }

  /** The same with one row replaced. */
  FilterGroup withRow(int j, NativeWords row) {
    NativeWords[] others = rows.clone();
    others[j] = row;
    return new FilterGroup(shape, width, others, filters);
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

  LongBuffer row(int j) {
    return rows[j].buffer();
  }

  /** Returns the rows, which the caller must not change. */
  NativeWords[] rows() {
    return rows;
  }

  Filter filter(int column) {
    return filters[column];
  }

  /** Returns the filters, which the caller must not change. */
  Filter[] filters() {
    return filters;
  }

  boolean isUsed(int column) {
    return filters[column] != null && !filters[column].isRemains();
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

  /** A column without a filter that still has bits; -1 if there is none. */
  int columnWithRemains() {
    for (int column = 0; column < width; column++) {
      if (filters[column] != null && filters[column].isRemains()) {
        return column;
      }
    }
    return -1;
  }

  int filterCount() {
    int count = 0;
    for (int column = 0; column < width; column++) {
      count += isUsed(column) ? 1 : 0;
    }
    return count;
  }

  boolean isFull() {
    return filterCount() == width;
  }

  boolean hasPending() {
    return isAnySet(always);
  }

  /** Returns whether the bits of any column count. */
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

  /** Returns the columns of a lane that are candidates regardless of their bits. */
  long always(int lane) {
    return always[lane];
  }

  long bytes() {
    return shape.groupBytes(width);
  }

  /** Adds elements by their h1 and h2 to a column, in the rows from {@code firstRow} on. */
  void add(int column, int firstRow, long[] hashes, int offset, int count) {
    for (int j = firstRow; j < rows.length; j++) {
      LongBuffer row = row(j);
      for (int i = 0; i < count; i++) {
        int at = FilterRows.HASH_LONGS * (offset + i);
        set(row, column, FilterRows.position(hashes[at], hashes[at + 1], j, shape.rowLength()));
      }
    }
  }

  /** The word with a column's bit of a position. */
  private int word(int column, int position) {
    return log == 6 ? position * lanes + column / Long.SIZE : position >>> (6 - log);
  }

  private void set(LongBuffer row, int column, int position) {
    int word = word(column, position);
    row.put(word, row.get(word) | 1L << ((position << log) + column));
  }

  /** Copies a column's row into {@code bits}. */
  void extractRow(int column, int j, long[] bits) {
    Arrays.fill(bits, 0);
    LongBuffer row = row(j);
    for (int position = 0; position < shape.rowLength(); position++) {
      long bit = (row.get(word(column, position)) >>> ((position << log) + column)) & 1;
      bits[position >>> 6] |= bit << position;
    }
  }

  /** Sets the bits of a column's row that are set in {@code bits}, in place. */
  void includeRow(int column, int j, long[] bits) {
    include(row(j), column, bits);
  }

  /** A copy of a row in which a column has the given bits; null for none. */
  NativeWords replacedRow(int column, int j, long[] bits) {
    NativeWords replaced = newRow(shape, width);
    LongBuffer row = replaced.buffer();
    long mask = 0;
    for (int at = column % Long.SIZE; at < Long.SIZE; at += Math.min(width, Long.SIZE)) {
      mask |= 1L << at;
    }
    row.duplicate().put(row(j).duplicate());
    for (int word = column / Long.SIZE; word < row.limit(); word += lanes) {
      row.put(word, row.get(word) & ~mask);
    }
    if (bits != null) {
      include(row, column, bits);
    }
    return replaced;
  }

  private void include(LongBuffer row, int column, long[] bits) {
    for (int i = 0; i < bits.length; i++) {
      for (long rest = bits[i]; rest != 0; rest &= rest - 1) {
        set(row, column, i * Long.SIZE + Long.numberOfTrailingZeros(rest));
      }
    }
  }

  /** Row {@code j} of two groups of one shape and width side by side, in twice the width. */
  static NativeWords interleave(FilterGroup first, FilterGroup second, int j) {
    NativeWords both = newRow(first.shape, first.width * 2);
    LongBuffer merged = both.buffer();
    LongBuffer a = first.row(j);
    LongBuffer b = second.row(j);
    if (first.width >= Long.SIZE) {
      int lanes = first.lanes;
      for (int position = 0; position < first.shape.rowLength(); position++) {
        for (int lane = 0; lane < lanes; lane++) {
          int from = position * lanes + lane;
          int to = position * 2 * lanes + lane;
          merged.put(to, a.get(from));
          merged.put(to + lanes, b.get(from));
        }
      }
      return both;
    }
    int width = first.width;
    long mask = (1L << width) - 1;
    for (int position = 0; position < first.shape.rowLength(); position++) {
      int from = position >>> (6 - first.log);
      int shift = position << first.log;
      long pair = ((a.get(from) >>> shift) & mask) | (((b.get(from) >>> shift) & mask) << width);
      int to = position >>> (5 - first.log);
      merged.put(to, merged.get(to) | pair << (position << (first.log + 1)));
    }
    return both;
  }
}
