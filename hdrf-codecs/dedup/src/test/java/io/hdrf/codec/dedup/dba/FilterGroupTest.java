/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.jni.FilterRows;
import io.hdrf.jni.NativeWords;
import io.hdrf.spi.scheme.TestSeed;
import java.nio.LongBuffer;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every width against one bit array for each filter. */
class FilterGroupTest {

  private static final Shape SHAPE = new Shape(500, 6);
  private static final int ELEMENTS = 300;

  private final Random random = TestSeed.random("group");

  private long[] hashes(int count) {
    return random.longs(2L * count).toArray();
  }

  private FilterGroup filled(int width, ColumnBits[] model) {
    FilterGroup group = FilterGroup.empty(SHAPE, width);
    for (int column = 0; column < width; column++) {
      model[column] = new ColumnBits(SHAPE);
      long[] hashes = hashes(ELEMENTS);
      model[column].add(hashes, 0, ELEMENTS);
      group.add(column, 0, hashes, 0, ELEMENTS);
    }
    return group;
  }

  private static void check(FilterGroup group, ColumnBits[] model) {
    long[] row = new long[ColumnBits.rowWords(SHAPE)];
    for (int column = 0; column < group.width(); column++) {
      for (int j = 0; j < SHAPE.hashes(); j++) {
        group.extractRow(column, j, row);
        assertThat(row).isEqualTo(model[column].row(j));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})
  void columnsDontDisturbEachOther(int width) {
    ColumnBits[] model = new ColumnBits[width];
    FilterGroup group = filled(width, model);
    check(group, model);
    int replaced = random.nextInt(width);
    model[replaced] = new ColumnBits(SHAPE);
    model[replaced].add(hashes(10), 0, 10);
    for (int j = 0; j < SHAPE.hashes(); j++) {
      group = group.withRow(j, group.replacedRow(replaced, j, model[replaced].row(j)));
    }
    check(group, model);
    model[replaced].clear();
    for (int j = 0; j < SHAPE.hashes(); j++) {
      group = group.withRow(j, group.replacedRow(replaced, j, null));
    }
    check(group, model);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16, 32, 64, 128, 256})
  void interleavingKeepsAllColumns(int width) {
    ColumnBits[] model = new ColumnBits[2 * width];
    ColumnBits[] second = new ColumnBits[width];
    FilterGroup a = filled(width, model);
    FilterGroup b = filled(width, second);
    System.arraycopy(second, 0, model, width, width);
    NativeWords[] rows = new NativeWords[SHAPE.hashes()];
    for (int j = 0; j < rows.length; j++) {
      rows[j] = FilterGroup.interleave(a, b, j);
    }
    check(new FilterGroup(SHAPE, 2 * width, rows, new Filter[2 * width]), model);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 32, 64, 128, 256, 512})
  void queriesFindWhatAskingEachFilterFinds(int width) {
    ColumnBits[] model = new ColumnBits[width];
    FilterGroup group = filled(width, model);
    Filter[] filters = new Filter[width];
    for (int column = 0; column < width; column++) {
      filters[column] = column % 5 == 4 ? null : new Filter(SHAPE, 1000 + column);
    }
    group = group.with(filters);
    // Few enough that Java reads the rows, and many enough that the native library does.
    for (int count : new int[] {1, 10, 1300}) {
      check(new FilterGroup[] {group, group}, model, count);
    }
  }

  private void check(FilterGroup[] groups, ColumnBits[] model, int count) {
    byte[] fingerprints = new byte[32 * count];
    random.nextBytes(fingerprints);
    long[] hashes = new long[2 * count];
    FilterGroup.hash(fingerprints, 0, count, LongBuffer.wrap(hashes), 0);
    Candidates found = new Candidates();
    int negatives = found.fill(fingerprints, count, groups, true);
    int total = 0;
    for (int i = 0; i < count; i++) {
      int expected = 0;
      for (int column = 0; column < model.length; column++) {
        if (groups[0].isUsed(column) && contains(model[column], hashes[2 * i], hashes[2 * i + 1])) {
          assertThat(found.segment(i, expected)).isEqualTo(1000 + column);
          expected++;
        }
      }
      assertThat(found.size(i)).isEqualTo(groups.length * expected);
      negatives -= expected == 0 ? 1 : 0;
      total += groups.length * expected;
    }
    assertThat(negatives).isZero();
    assertThat(found.total()).isEqualTo(total);
  }

  private static boolean contains(ColumnBits bits, long h1, long h2) {
    for (int j = 0; j < SHAPE.hashes(); j++) {
      int position = FilterRows.position(h1, h2, j, SHAPE.rowLength());
      if ((bits.row(j)[position >>> 6] >>> position & 1) == 0) {
        return false;
      }
    }
    return true;
  }
}
