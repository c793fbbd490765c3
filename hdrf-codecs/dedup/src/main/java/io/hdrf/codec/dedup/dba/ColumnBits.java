/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.FilterRows;
import java.util.Arrays;

/** The bits of one filter by themselves: a bit array for each hash function. Not thread-safe. */
final class ColumnBits {

  private final Shape shape;
  private final long[][] rows;

  ColumnBits(Shape shape) {
    this.shape = shape;
    this.rows = new long[shape.hashes()][rowWords(shape)];
  }

  static int rowWords(Shape shape) {
    return (shape.rowLength() + Long.SIZE - 1) / Long.SIZE;
  }

  Shape shape() {
    return shape;
  }

  /** The words of a row; bits behind the row's length are 0. */
  long[] row(int j) {
    return rows[j];
  }

  /** Adds elements by their h1 and h2. */
  void add(long[] hashes, int offset, int count) {
    for (int j = 0; j < rows.length; j++) {
      long[] row = rows[j];
      for (int i = 0; i < count; i++) {
        int at = FilterRows.HASH_LONGS * (offset + i);
        int position = FilterRows.position(hashes[at], hashes[at + 1], j, shape.rowLength());
        row[position >>> 6] |= 1L << position;
      }
    }
  }

  /** Removes all elements. */
  void clear() {
    for (long[] row : rows) {
      Arrays.fill(row, 0);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ColumnBits
        && ((ColumnBits) other).shape.equals(shape)
        && Arrays.deepEquals(((ColumnBits) other).rows, rows);
  }

  @Override
  public int hashCode() {
    return Arrays.deepHashCode(rows);
  }
}
