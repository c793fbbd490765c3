/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A table of 16 places for four super-features each. */
class RecentBasesTest {

  private static final int BYTES = 64 * 16;
  private static final long NONE = BaseTable.NONE;

  private final MemoryBudget budget = new MemoryBudget(1 << 20);
  private final RecentBases table = new RecentBases(BYTES, budget);

  /** A super-feature that belongs to a place. */
  private static long feature(int place, int number) {
    return (long) place << Integer.SIZE | number;
  }

  private void add(long superFeature, long base) {
    table.add(new long[] {superFeature}, 1, new long[] {base});
  }

  private boolean addOlder(long superFeature, long base) {
    return table.addOlder(new long[] {superFeature}, 1, new long[] {base});
  }

  private long[] find(long... superFeatures) {
    long[] bases = new long[superFeatures.length];
    Arrays.fill(bases, 77);
    table.find(superFeatures, superFeatures.length, bases);
    return bases;
  }

  @Test
  void whatWasAddedFirstGoesFirst() {
    for (int place = 0; place < 16; place++) {
      for (int number = 1; number <= 5; number++) {
        add(feature(place, number), 100L * place + number);
      }
    }
    for (int place = 0; place < 16; place++) {
      long base = 100L * place;
      assertThat(
              find(
                  feature(place, 1),
                  feature(place, 2),
                  feature(place, 3),
                  feature(place, 4),
                  feature(place, 5)))
          .containsExactly(NONE, base + 2, base + 3, base + 4, base + 5);
      assertThat(find(feature(place + 16, 5))).as("another's").containsExactly(NONE);
    }
  }

  /** And takes nobody else's place. */
  @Test
  void whatIsAddedAgainIsNew() {
    for (int number = 1; number <= 4; number++) {
      add(feature(3, number), number);
    }
    add(feature(3, 2), 20);
    assertThat(find(feature(3, 1), feature(3, 2), feature(3, 3), feature(3, 4)))
        .containsExactly(1, 20, 3, 4);
    add(feature(3, 5), 5);
    add(feature(3, 6), 6);
    assertThat(find(feature(3, 1), feature(3, 3), feature(3, 2), feature(3, 4)))
        .containsExactly(NONE, NONE, 20, 4);
  }

  @Test
  void aBatchIsAddedAndFoundAtOnce() {
    long[] features = {feature(1, 1), feature(2, 1), 0, feature(3, 1), feature(4, 1)};
    table.add(features, 4, new long[] {10, 20, 30, 40, 50});
    assertThat(find(features)).containsExactly(10, 20, NONE, 40, NONE);
    long[] bases = {7, 7, 7, 7, 7};
    table.find(features, 2, bases);
    assertThat(bases).containsExactly(10, 20, 7, 7, 7);
  }

  /** A chunk without features is like no other. */
  @Test
  void zeroIsNoSuperFeature() {
    add(0, 5);
    assertThat(find(0)).containsExactly(NONE);
    addOlder(0, 5);
    assertThat(find(0)).containsExactly(NONE);
    for (int number = 1; number <= 4; number++) {
      add(feature(0, number), number);
    }
    assertThat(find(feature(0, 1))).as("its place was free").containsExactly(1);
  }

  @Test
  void whatIsOlderTakesFreePlacesAlone() {
    add(feature(2, 1), 1);
    assertThat(addOlder(feature(2, 1), 10)).isTrue();
    assertThat(find(feature(2, 1))).containsExactly(1);
    for (int number = 2; number <= 6; number++) {
      assertThat(addOlder(feature(2, number), number)).isTrue();
    }
    assertThat(find(feature(2, 1), feature(2, 2), feature(2, 3), feature(2, 4), feature(2, 5)))
        .containsExactly(1, 2, 3, 4, NONE);
    assertThat(find(feature(3, 1))).containsExactly(NONE);
    for (int number = 1; number <= 4; number++) {
      addOlder(feature(3, number), number);
    }
    assertThat(find(feature(3, 1), feature(3, 2), feature(3, 3), feature(3, 4)))
        .as("what had no place took none of the next ones")
        .containsExactly(1, 2, 3, 4);
    long[] features = {feature(5, 1), feature(6, 1), feature(7, 1)};
    table.addOlder(features, 2, new long[] {51, 61, 71});
    assertThat(find(features)).containsExactly(51, 61, NONE);
    // What is new pushes it out.
    for (int number = 11; number <= 14; number++) {
      add(feature(2, number), number);
    }
    assertThat(find(feature(2, 1), feature(2, 4))).containsExactly(NONE, NONE);
  }

  @Test
  void takesMemoryWithTheFirstBaseAndGivesItBack() {
    assertThat(table.chunks()).isEqualTo(64 / 3);
    assertThat(budget.used()).isZero();
    assertThat(find(feature(1, 1))).containsExactly(NONE);
    assertThat(budget.used()).isZero();
    add(feature(1, 1), 1);
    add(feature(2, 1), 1);
    assertThat(budget.used()).isEqualTo(BYTES);
    table.close();
    assertThat(budget.used()).isZero();
    assertThat(find(feature(1, 1))).containsExactly(NONE);
    add(feature(1, 1), 1);
    assertThat(addOlder(feature(1, 2), 1)).isFalse();
    assertThat(find(feature(1, 1))).containsExactly(NONE);
    assertThat(budget.used()).isZero();
    table.close();
    assertThat(budget.used()).isZero();
  }

  /** A power of two of places, and at least one for four. */
  @Test
  void takesNoMoreThanItMay() {
    for (int bytes : new int[] {1, 64, 127}) {
      try (RecentBases small = new RecentBases(bytes, budget)) {
        small.add(new long[] {feature(9, 1)}, 1, new long[] {3});
        assertThat(budget.used()).isEqualTo(64);
        assertThat(small.chunks()).isEqualTo(1);
      }
      assertThat(budget.used()).isZero();
    }
    try (RecentBases larger = new RecentBases(BYTES + 500, budget)) {
      larger.add(new long[] {feature(9, 1)}, 1, new long[] {3});
      assertThat(budget.used()).isEqualTo(BYTES);
    }
  }

  @Test
  void givesWayToOthers() {
    MemoryBudget small = new MemoryBudget(BYTES);
    try (RecentBases bases = new RecentBases(BYTES, small)) {
      assertThat(bases.addOlder(new long[] {feature(1, 1)}, 1, new long[] {1})).isTrue();
      assertThat(small.used()).isEqualTo(BYTES);
      try (MemoryShare other = small.open("Others", MemoryShare.Kind.LASTING, BYTES, BYTES, null)) {
        small.balance();
        long[] found = new long[1];
        bases.find(new long[] {feature(1, 1)}, 1, found);
        assertThat(found).containsExactly(NONE);
        assertThat(other.tryReserve(BYTES)).isTrue();
        bases.add(new long[] {feature(1, 1)}, 1, new long[] {1});
        assertThat(bases.addOlder(new long[] {feature(1, 1)}, 1, new long[] {1})).isFalse();
        bases.find(new long[] {feature(1, 1)}, 1, found);
        assertThat(found).containsExactly(NONE);
        small.balance();
        assertThat(small.used()).isEqualTo(BYTES);
        other.release(BYTES);
      }
      bases.add(new long[] {feature(1, 1)}, 1, new long[] {2});
      long[] found = new long[1];
      bases.find(new long[] {feature(1, 1)}, 1, found);
      assertThat(found).containsExactly(2);
    }
    assertThat(small.used()).isZero();
  }
}
