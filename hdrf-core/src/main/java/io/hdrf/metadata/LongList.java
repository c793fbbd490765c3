/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.util.Arrays;
import java.util.function.LongConsumer;

/** A list of unboxed longs. For one thread. */
final class LongList implements LongConsumer {
  private static final int FIRST_LENGTH = 64;

  private long[] values = new long[FIRST_LENGTH];
  private int size;

  @Override
  public void accept(long value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  int size() {
    return size;
  }

  /** Returns the longs in the order in which they were added; a copy. */
  long[] toArray() {
    return Arrays.copyOf(values, size);
  }

  /** Returns the longs, ascending; a copy. */
  long[] sorted() {
    long[] sorted = toArray();
    Arrays.sort(sorted);
    return sorted;
  }
}
