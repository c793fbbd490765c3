/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows read natively and by Java, against a definition that looks at one bit at a time. */
class FilterRowsTest {

  private static final int MAX_COUNT = 1024;
  private static final long SEED = Long.getLong("hdrf.test.seed", System.nanoTime());

  private final Random random = new Random(SEED);

  @BeforeAll
  static void printSeed() {
    System.out.println("hdrf.test.seed=" + SEED);
  }

  /** One row, and the remaining elements of a query. */
  private final class Query implements Cloneable {
    final int width;
    final int length;
    final int function = random.nextInt(64);
    final int lanes;
    final boolean direct;
    final LongBuffer row;
    final LongBuffer hashes;
    LongBuffer columns;
    IntBuffer left;

    Query(int width, int length, int count) {
      this(width, length, count, true);
    }

    Query(int width, int length, int count, boolean direct) {
      this.direct = direct;
      this.width = width;
      this.length = length;
      this.lanes = Math.max(1, width / 64);
      int words = (int) (((long) length * width + 63) / 64);
      // Some rows have few bits.
      int ands = random.nextInt(8);
      long[] bits = random.longs(words).toArray();
      for (int i = 0; i < words; i++) {
        for (int j = 0; j < ands; j++) {
          bits[i] &= random.nextLong();
        }
      }
      row = longs(bits);
      hashes = longs(random.longs(2 * MAX_COUNT).toArray());
      long used = width < 64 ? (1L << width) - 1 : -1;
      columns = longs(random.longs((long) count * lanes).map(word -> word & used).toArray());
      left = ints(random.ints(count, 0, MAX_COUNT).toArray());
    }

    private LongBuffer longs(long[] values) {
      LongBuffer buffer =
          direct ? FilterRows.longs(values.length) : LongBuffer.allocate(values.length);
      buffer.duplicate().put(values);
      return buffer;
    }

    private IntBuffer ints(int[] values) {
      IntBuffer buffer =
          direct ? FilterRows.ints(values.length) : IntBuffer.allocate(values.length);
      buffer.duplicate().put(values);
      return buffer;
    }

    Query copy() {
      try {
        Query copy = (Query) clone();
        copy.columns = longs(longsOf(columns, columns.limit()));
        copy.left = ints(intsOf(left, left.limit()));
        return copy;
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }

    int keep() {
      return FilterRows.keep(row, length, width, function, hashes, left.limit(), columns, left);
    }

    int keepInJava() {
      return FilterRows.keepInJava(
          row, length, width, function, hashes, left.limit(), columns, left);
    }

    int keepByDefinition() {
      int remaining = 0;
      for (int i = 0; i < left.limit(); i++) {
        int position =
            FilterRows.position(
                hashes.get(2 * left.get(i)), hashes.get(2 * left.get(i) + 1), function, length);
        long[] found = new long[lanes];
        for (int column = 0; column < width; column++) {
          long bit = (long) position * width + column;
          long inRow = row.get((int) (bit / 64)) >>> (bit % 64) & 1;
          long inColumns = columns.get(i * lanes + column / 64) >>> (column % 64) & 1;
          found[column / 64] |= (inRow & inColumns) << (column % 64);
        }
        if (Arrays.stream(found).anyMatch(word -> word != 0)) {
          for (int lane = 0; lane < lanes; lane++) {
            columns.put(remaining * lanes + lane, found[lane]);
          }
          left.put(remaining++, left.get(i));
        }
      }
      return remaining;
    }

    void assertSame(Query other, int remaining) {
      String what = width + " wide, " + left.limit() + " elements";
      assertThat(intsOf(left, remaining)).as(what).isEqualTo(intsOf(other.left, remaining));
      assertThat(longsOf(columns, remaining * lanes))
          .as(what)
          .isEqualTo(longsOf(other.columns, remaining * lanes));
    }
  }

  private static long[] longsOf(LongBuffer buffer, int count) {
    long[] values = new long[count];
    buffer.duplicate().get(values);
    return values;
  }

  private static int[] intsOf(IntBuffer buffer, int count) {
    int[] values = new int[count];
    buffer.duplicate().get(values);
    return values;
  }

  private void check(int width, int count) {
    check(width, count, true);
    check(width, count, false);
  }

  private void check(int width, int count, boolean direct) {
    Query query = new Query(width, 1 + random.nextInt(2000), count, direct);
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

  /** Stored filters depend on these positions. */
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

  /**
   * Even a row of the right length may not be read beyond its end, however few elements the query
   * has.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, FilterRows.WORTH_WHILE, MAX_COUNT})
  void whatIsOutsideIsRefused(int count) {
    for (int width = 1; width <= FilterRows.MAX_WIDTH; width *= 2) {
      Query q = new Query(width, 640, count);
      Query before = q.copy();
      Class<?> outside = IndexOutOfBoundsException.class;
      LongBuffer shorter = q.row.duplicate();
      shorter.limit(q.row.limit() - 1);
      assertRefused(() -> keep(q, shorter, 640, q.width, count, q.left), outside);
      assertRefused(() -> keep(q, q.row, 704, q.width, count, q.left), outside);
      assertRefused(() -> keep(q, q.row, Integer.MAX_VALUE, q.width, count, q.left), outside);
      assertRefused(() -> keep(q, FilterRows.longs(0), 640, q.width, count, q.left), outside);
      assertRefused(() -> keep(q, q.row, 640, q.width, count + 1, q.left), outside);
      assertRefused(() -> keep(q, q.row, 640, q.width, Integer.MAX_VALUE, q.left), outside);
      assertRefused(() -> keep(q, q.row, 640, q.width, -1, q.left), outside);
      // More room for numbers than for columns.
      assertRefused(
          () -> keep(q, q.row, 640, q.width, count + 1, FilterRows.ints(count + 1)), outside);
      q.assertSame(before, count);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, FilterRows.WORTH_WHILE, MAX_COUNT})
  void elementsWithoutHashAreRefused(int count) {
    for (int width = 1; width <= FilterRows.MAX_WIDTH; width *= 2) {
      for (int wrong : new int[] {MAX_COUNT, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
        Query query = new Query(width, 640, count);
        query.left.put(random.nextInt(count), wrong);
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
        () -> FilterRows.keep(q.row, 640, 512, -1, q.hashes, MAX_COUNT, q.columns, q.left),
        IllegalArgumentException.class);
    for (int width : new int[] {0, -1, 3, 65, 192, 1024, Integer.MIN_VALUE}) {
      assertRefused(
          () -> keep(q, q.row, 640, width, MAX_COUNT, q.left), IllegalArgumentException.class);
    }
    for (int length : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertRefused(
          () -> keep(q, q.row, length, 512, MAX_COUNT, q.left), IllegalArgumentException.class);
    }
  }

  private static int keep(
      Query q, LongBuffer row, int length, int width, int count, IntBuffer left) {
    return FilterRows.keep(row, length, width, q.function, q.hashes, count, q.columns, left);
  }
}
