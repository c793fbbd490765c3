/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows read natively and by Java, against a definition that looks at one bit at a time. */
class FilterRowsTest {

  private static final int START = 6;
  private static final int MAX_COUNT = 1024;
  private static final long SEED = Long.getLong("hdrf.test.seed", System.nanoTime());

  private final Random random = new Random(SEED);

  @BeforeAll
  static void printSeed() {
    System.out.println("hdrf.test.seed=" + SEED);
  }

  /** One row, and elements that are left. */
  private final class Query implements Cloneable {
    final int width;
    final int length;
    final int function = random.nextInt(64);
    final int lanes;
    final long[] row;
    final long[] hashes = random.longs(2 * MAX_COUNT).toArray();
    long[] columns;
    int[] left;

    Query(int width, int length, int count) {
      this.width = width;
      this.length = length;
      this.lanes = Math.max(1, width / 64);
      int words = (int) (((long) length * width + 63) / 64);
      // Some rows have few bits.
      int ands = random.nextInt(8);
      row = new long[START + words];
      for (int i = 0; i < row.length; i++) {
        row[i] = random.nextLong();
        for (int j = 0; j < ands; j++) {
          row[i] &= random.nextLong();
        }
      }
      long used = width < 64 ? (1L << width) - 1 : -1;
      columns = random.longs((long) count * lanes).map(word -> word & used).toArray();
      left = random.ints(count, 0, MAX_COUNT).toArray();
    }

    Query copy() {
      try {
        Query copy = (Query) clone();
        copy.columns = columns.clone();
        copy.left = left.clone();
        return copy;
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }

    int keep() {
      return FilterRows.keep(
          row, START, length, width, function, hashes, left.length, columns, left);
    }

    int keepInJava() {
      return FilterRows.keepInJava(
          row, START, length, width, function, hashes, left.length, columns, left);
    }

    int keepByDefinition() {
      int remaining = 0;
      for (int i = 0; i < left.length; i++) {
        int position =
            FilterRows.position(hashes[2 * left[i]], hashes[2 * left[i] + 1], function, length);
        long[] found = new long[lanes];
        for (int column = 0; column < width; column++) {
          long bit = (long) position * width + column;
          long inRow = row[(int) (START + bit / 64)] >>> (bit % 64) & 1;
          long inColumns = columns[i * lanes + column / 64] >>> (column % 64) & 1;
          found[column / 64] |= (inRow & inColumns) << (column % 64);
        }
        if (Arrays.stream(found).anyMatch(word -> word != 0)) {
          System.arraycopy(found, 0, columns, remaining * lanes, lanes);
          left[remaining++] = left[i];
        }
      }
      return remaining;
    }

    void assertSame(Query other, int remaining) {
      String what = width + " wide, " + left.length + " elements";
      assertThat(Arrays.copyOf(left, remaining))
          .as(what)
          .isEqualTo(Arrays.copyOf(other.left, remaining));
      assertThat(Arrays.copyOf(columns, remaining * lanes))
          .as(what)
          .isEqualTo(Arrays.copyOf(other.columns, remaining * lanes));
    }
  }

  private void check(int width, int count) {
    Query query = new Query(width, 1 + random.nextInt(2000), count);
    Query java = query.copy();
    Query expected = query.copy();
    int remaining = expected.keepByDefinition();
    assertThat(query.keep()).isEqualTo(remaining);
    query.assertSame(expected, remaining);
    assertThat(java.keepInJava()).isEqualTo(remaining);
    java.assertSame(expected, remaining);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})
  void allReadTheSame(int width) {
    for (int count = 0; count <= FilterRows.WORTH_WHILE + 70; count++) {
      check(width, count);
    }
    for (int round = 0; round < 20; round++) {
      check(width, random.nextInt(MAX_COUNT + 1));
      check(width, MAX_COUNT);
    }
  }

  /** Filters are stored by these. */
  @Test
  void positionsNeverChange() {
    assertThat(FilterRows.position(0, 0, 5, 1000)).isZero();
    assertThat(FilterRows.position(1, 2, 0, 756388)).isEqualTo(255785);
    assertThat(FilterRows.position(-1, 0x123456789abcdefL, 21, 756388)).isEqualTo(740241);
    assertThat(FilterRows.position(-1, 0x123456789abcdefL, 21, Integer.MAX_VALUE))
        .isEqualTo(2101641176);
  }

  private static void assertRefused(ThrowingCallable call, Class<?> by) {
    assertThatThrownBy(call).isInstanceOf(by);
  }

  /** Not even a row of the right length may be read beyond its end, however few elements ask. */
  @ParameterizedTest
  @ValueSource(ints = {1, FilterRows.WORTH_WHILE, MAX_COUNT})
  void whatIsOutsideIsRefused(int count) {
    for (int width = 1; width <= FilterRows.MAX_WIDTH; width *= 2) {
      Query q = new Query(width, 640, count);
      Query before = q.copy();
      Class<?> outside = IndexOutOfBoundsException.class;
      assertRefused(() -> keep(q, q.row, START + 1, 640, q.width, count, q.left), outside);
      assertRefused(() -> keep(q, q.row, -1, 640, q.width, count, q.left), outside);
      assertRefused(() -> keep(q, q.row, Integer.MAX_VALUE, 640, q.width, count, q.left), outside);
      assertRefused(() -> keep(q, q.row, START, 704, q.width, count, q.left), outside);
      assertRefused(
          () -> keep(q, q.row, START, Integer.MAX_VALUE, q.width, count, q.left), outside);
      assertRefused(() -> keep(q, new long[0], 0, 640, q.width, count, q.left), outside);
      assertRefused(() -> keep(q, q.row, START, 640, q.width, count + 1, q.left), outside);
      assertRefused(() -> keep(q, q.row, START, 640, q.width, Integer.MAX_VALUE, q.left), outside);
      assertRefused(() -> keep(q, q.row, START, 640, q.width, -1, q.left), outside);
      // More room for numbers than for columns.
      assertRefused(
          () -> keep(q, q.row, START, 640, q.width, count + 1, new int[count + 1]), outside);
      q.assertSame(before, count);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, FilterRows.WORTH_WHILE, MAX_COUNT})
  void elementsWithoutHashAreRefused(int count) {
    for (int width = 1; width <= FilterRows.MAX_WIDTH; width *= 2) {
      for (int wrong : new int[] {MAX_COUNT, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
        Query query = new Query(width, 640, count);
        query.left[random.nextInt(count)] = wrong;
        Query before = query.copy();
        assertRefused(query::keep, IndexOutOfBoundsException.class);
        query.assertSame(before, count);
        assertRefused(query::keepInJava, IndexOutOfBoundsException.class);
        query.assertSame(before, count);
      }
    }
  }

  @Test
  void rowsThatThereAreNotAreRefused() {
    Query q = new Query(512, 640, MAX_COUNT);
    assertRefused(
        () -> FilterRows.keep(q.row, START, 640, 512, -1, q.hashes, MAX_COUNT, q.columns, q.left),
        IllegalArgumentException.class);
    for (int width : new int[] {0, -1, 3, 65, 192, 1024, Integer.MIN_VALUE}) {
      assertRefused(
          () -> keep(q, q.row, START, 640, width, MAX_COUNT, q.left),
          IllegalArgumentException.class);
    }
    for (int length : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertRefused(
          () -> keep(q, q.row, START, length, 512, MAX_COUNT, q.left),
          IllegalArgumentException.class);
    }
  }

  private static int keep(
      Query q, long[] row, int start, int length, int width, int count, int[] left) {
    return FilterRows.keep(row, start, length, width, q.function, q.hashes, count, q.columns, left);
  }
}
