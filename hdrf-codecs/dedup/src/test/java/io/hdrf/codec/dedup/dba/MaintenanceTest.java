/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.dba.DbaSettings.Control;
import io.hdrf.io.CrashableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each kind of background work, with tiny filters. */
class MaintenanceTest {

  @TempDir Path dir;

  private static DbaSettings.Builder small() {
    return DbaSettings.builder()
        .capacity(100)
        .filters(16)
        .group(8)
        .errorRate(0.001)
        .memory(DbaSettings.UNLIMITED);
  }

  @Test
  void filtersAreSealedAndMadeOnDemand() throws IOException {
    try (ArrayUser user = ArrayUser.open(dir, small().build())) {
      byte[] fingerprints = new byte[350 * 32];
      for (int i = 0; i < 350; i++) {
        ToyIndex.fingerprint(i, fingerprints, i);
      }
      int[] segments = new int[350];
      user.array().insert(fingerprints, 350, segments).close();
      for (int i = 0; i < 350; i++) {
        assertThat(segments[i]).isEqualTo(i / 100);
        assertThat(user.isCandidate(i, i / 100)).isTrue();
      }
      assertThat(user.counters().sealed.sum()).isEqualTo(3);
      assertThat(user.array().filters()).isEqualTo(4);
    }
  }

  @Test
  void candidatesComeInTheOrderOfTheGroups() throws IOException {
    try (ArrayUser user = ArrayUser.open(dir, small().group(1).build())) {
      byte[] same = ToyIndex.fingerprints(7);
      int[] segment = new int[1];
      for (int i = 0; i < 3; i++) {
        user.array().insert(same, 1, segment).close();
        assertThat(segment[0]).isEqualTo(i);
        user.add(99);
      }
      user.array().query(ToyIndex.fingerprints(1L << 40, 7), 2, user.candidates);
      assertThat(user.candidates.size(0)).isZero();
      assertThat(user.candidates.size(1)).isEqualTo(3);
      for (int i = 0; i < 3; i++) {
        assertThat(user.candidates.segment(1, i)).isEqualTo(i);
      }
      assertThatThrownBy(() -> user.candidates.segment(0, 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(user.counters().negatives.sum()).isEqualTo(1);
      assertThat(user.counters().queries.sum()).isEqualTo(2);
      assertThat(user.counters().candidates.sum()).isEqualTo(3);
    }
  }

  @Test
  void tighteningAddsRowsOnly() throws IOException {
    try (ArrayUser user = ArrayUser.open(dir, small().build())) {
      user.add(1250);
      user.maintainAll();
      assertThat(user.counters().tightened.sum()).isZero();
      user.add(200);
      user.maintainAll();
      assertThat(user.counters().tightened.sum()).isEqualTo(1);
      assertThat(user.counters().reinserted.sum()).isEqualTo(800);
      assertThat(user.array().describe()).startsWith("8 of 8, 16 rows").contains("of 8, 14 rows");
      user.checkAll("tightened");
      for (int i = 0; i < 60; i++) {
        user.add(100);
        user.maintainAll();
        assertThat(user.array().errorRate()).isLessThanOrEqualTo(0.001);
        assertThat(kinds(user)).isLessThanOrEqualTo(2);
      }
      user.checkAll("grown");
      assertThat(user.counters().exceeded.sum()).isZero();
    }
  }

  @Test
  void enlargingReopensFilters() throws IOException {
    DbaSettings settings = small().control(Control.ENLARGE).build();
    try (ArrayUser user = ArrayUser.open(dir, settings)) {
      for (int i = 0; i < 100; i++) {
        user.add(100);
        user.maintainAll();
        assertThat(user.array().errorRate()).isLessThanOrEqualTo(0.001);
        assertThat(user.array().filters()).isLessThanOrEqualTo(16);
        assertThat(kinds(user)).isLessThanOrEqualTo(2);
      }
      assertThat(user.counters().enlarged.sum()).isGreaterThanOrEqualTo(4);
      assertThat(user.counters().exceeded.sum()).isZero();
      user.checkAll("grown");
    }
  }

  @Test
  void enlargingEndsHoweverFewFiltersThereAre() throws IOException {
    for (int filters = 1; filters <= 5; filters++) {
      for (int growth = 2; growth <= 3; growth++) {
        DbaSettings settings =
            small().control(Control.ENLARGE).group(1).filters(filters).growth(growth).build();
        int capacity = 100 * filters;
        try (ArrayUser user = ArrayUser.open(dir.resolve(filters + "-" + growth), settings)) {
          for (int added = 100; added <= 3000; added += 20) {
            user.add(added == 100 ? 100 : 20);
            user.maintainAll();
            double bits = user.counters().memoryBytes * 8.0;
            double used = Math.max(capacity, added * growth * 8 / 7.0);
            assertThat(bits / used).as("%d filters", filters).isLessThan(16 / Math.log(2) * 1.1);
          }
          // Whole hash functions leave room for some more than were asked for.
          assertThat(user.array().filters()).isLessThanOrEqualTo(2 * filters);
          assertThat(user.array().errorRate()).isLessThanOrEqualTo(0.001);
          assertThat(user.counters().enlarged.sum()).isPositive();
          user.checkAll("grown");
        }
      }
    }
  }

  private static long kinds(ArrayUser user) {
    return java.util.Arrays.stream(user.array().describe().split("; "))
        .map(group -> group.replaceFirst(".*?, ", ""))
        .distinct()
        .count();
  }

  @Test
  void growthThatOutrunsMaintenanceIsCountedAndMadeGood() throws IOException {
    for (Control control : Control.values()) {
      Path directory = dir.resolve(control.name());
      try (ArrayUser user = ArrayUser.open(directory, small().control(control).build())) {
        user.add(4000);
        assertThat(user.counters().exceeded.sum()).isPositive();
        assertThat(user.array().errorRate()).isGreaterThan(0.001);
        user.maintainAll();
        assertThat(user.array().errorRate()).isLessThanOrEqualTo(0.001);
        user.checkAll("made good");
      }
    }
  }

  @Test
  void staleFiltersAreRefreshed() throws IOException {
    try (ArrayUser user = ArrayUser.open(dir, small().staleShare(0.5).build())) {
      user.add(800);
      for (long element = 0; element < 49; element++) {
        user.remove(element);
      }
      user.maintainAll();
      assertThat(user.counters().refreshed.sum()).isZero();
      assertThat(user.isCandidate(0, 0)).isTrue();
      user.remove(49);
      user.maintainAll();
      assertThat(user.counters().refreshed.sum()).isEqualTo(1);
      assertThat(user.isCandidate(0, 0)).isFalse();
      user.checkAll("refreshed");
    }
  }

  @Test
  void emptyFiltersGoAndTheirColumnsAreUsedAgain() throws IOException {
    try (ArrayUser user = ArrayUser.open(dir, small().build())) {
      user.add(850);
      for (long element = 0; element < 700; element++) {
        user.remove(element);
      }
      user.maintainAll();
      assertThat(user.array().filters()).isEqualTo(2);
      long memory = user.counters().memoryBytes;
      user.add(700);
      user.maintainAll();
      assertThat(user.counters().memoryBytes).isEqualTo(memory);
      for (long element = 0; element < 700; element++) {
        assertThat(user.isCandidate(element, (int) element / 100)).isFalse();
      }
      user.checkAll("used again");
    }
  }

  @Test
  void partlyFilledFiltersAreMerged() throws IOException {
    ToyIndex index = new ToyIndex();
    DbaSettings settings = small().build();
    try (ArrayUser user = ArrayUser.open(dir, LocalDurableFiles.INSTANCE, settings, index)) {
      user.add(850);
      for (long element = 0; element < 800; element++) {
        if (element % 100 >= 20) {
          user.remove(element);
        }
      }
      user.maintainAll();
      assertThat(user.counters().refreshed.sum()).isEqualTo(8);
      assertThat(user.counters().orMerged.sum()).isEqualTo(6);
      assertThat(user.array().filters()).isEqualTo(3);
      user.checkAll("merged");
      user.array().query(ToyIndex.fingerprints(5), 1, user.candidates);
      assertThat(user.candidates.size(0)).isBetween(4, 5);
    }
    try (ArrayUser user = ArrayUser.open(dir, LocalDurableFiles.INSTANCE, settings, index)) {
      user.from(850).maintainAll();
      assertThat(user.counters().loaded.sum()).isEqualTo(3);
      assertThat(user.counters().rebuilt.sum()).isZero();
      assertThat(user.array().filters()).isEqualTo(3);
      for (long element = 0; element < 800; element += 100) {
        for (int i = 0; i < 12; i++) {
          user.remove(element + i);
        }
      }
      user.add(1000);
      user.maintainAll();
      user.checkAll("grown");
      assertThat(user.counters().refreshed.sum()).isEqualTo(2);
    }
  }

  @Test
  void groupsAreCombinedInPairs() throws IOException {
    DbaSettings settings = small().group(DbaSettings.AUTO).filters(1000).build();
    try (ArrayUser user = ArrayUser.open(dir, settings)) {
      for (int filters = 1; filters <= 70; filters++) {
        user.add(100);
        user.maintainAll();
        user.checkAll("with " + filters);
      }
      assertThat(user.counters().combined.sum()).isGreaterThan(10);
      assertThat(user.array().describe()).contains("64 of 64");
      int groups = user.array().describe().split("; ").length;
      assertThat(groups).isLessThanOrEqualTo(5);
    }
    try (ArrayUser user = ArrayUser.open(dir, settings)) {
      assertThat(user.array().describe()).contains("64 of 64");
      user.maintainAll();
    }
  }

  @Test
  void wideGroupsAreNotCombinedWhereTheMemoryDoesNotSuffice() throws IOException {
    DbaSettings.Builder builder = small().group(DbaSettings.AUTO).filters(1000);
    Shape shape = new ErrorBudget(builder.build()).shape(0);
    try (ArrayUser user = ArrayUser.open(dir, builder.memory(shape.groupBytes(48)).build())) {
      for (int filters = 1; filters <= 32; filters++) {
        user.add(100);
        user.maintainAll();
      }
      user.checkAll("all");
      assertThat(user.array().describe()).contains("16 of 16").doesNotContain("32 of 32");
      assertThat(user.counters().retired()).isZero();
    }
  }

  @Test
  void atTheMemoryLimitTheOldestFiltersGo() throws IOException {
    long group = new Shape(100, 14).groupBytes(8);
    DbaSettings settings = small().filters(1000).errorRate(0.06).memory(2 * group + 1).build();
    try (ArrayUser user = ArrayUser.open(dir, settings)) {
      for (int i = 0; i < 30; i++) {
        user.add(100);
        if (i % 2 == 0) {
          user.maintainAll();
        }
        assertThat(user.counters().memoryBytes).isLessThanOrEqualTo(settings.memory());
      }
      assertThat(user.array().filters()).isBetween(15, 16);
      assertThat(user.counters().retired()).isBetween(14L, 15L);
      List<Long> newest = new ArrayList<>();
      for (long element = 1500; element < 3000; element++) {
        newest.add(element);
      }
      user.check(newest, "newest");
      assertThat(user.isCandidate(0, 0)).isFalse();
    }
  }

  /** With any budget that has room for one filter: what is known is found, the newest included. */
  @Test
  void withinABudgetTheOldestFiltersGo() throws IOException {
    DbaSettings settings = small().group(DbaSettings.AUTO).filters(1000).build();
    long filter = new ErrorBudget(settings).shape(0).groupBytes(1);
    for (int room : new int[] {1, 2, 3, 5, 17, 40}) {
      MemoryBudget budget = new MemoryBudget(room * filter);
      ToyIndex index = new ToyIndex();
      Path directory = dir.resolve("room for " + room);
      int indexed = 0;
      try (ArrayUser user =
          ArrayUser.open(directory, LocalDurableFiles.INSTANCE, settings, index, budget)) {
        for (int i = 0; i < 60; i++) {
          indexed += user.add(100);
          if (i % 3 == 0) {
            user.maintainAll();
          }
          assertThat(budget.used()).isBetween(1L, room * filter);
          assertThat(user.counters().memoryBytes).isLessThanOrEqualTo(budget.used());
        }
        user.maintainAll();
        assertThat(budget.used()).isEqualTo(user.counters().memoryBytes);
        assertThat(user.counters().retired()).isPositive();
        assertThat(indexed).as("of 6000, with room for " + room).isGreaterThan(5000);
        user.check(knownToFilters(user), "with room for " + room);
      }
      assertThat(budget.used()).isZero();
      // Less than before: again the oldest go.
      MemoryBudget less = new MemoryBudget(Math.max(1, room / 2) * filter);
      try (ArrayUser user =
          ArrayUser.open(directory, LocalDurableFiles.INSTANCE, settings, index, less)) {
        user.from(6000).maintainAll();
        assertThat(user.array().filters()).isPositive();
        user.add(100);
        assertThat(less.used()).isBetween(1L, less.limit());
        user.check(knownToFilters(user), "reopened");
      }
      assertThat(less.used()).isZero();
    }
  }

  private static List<Long> knownToFilters(ArrayUser user) {
    List<Long> known = new ArrayList<>();
    for (long element : user.index.elements()) {
      if (user.array().isKnown(user.index.segmentOf(element))) {
        known.add(element);
      }
    }
    assertThat(known).isNotEmpty();
    return known;
  }

  /** A volume comes while another one has all memory: both have filters in the end. */
  @Test
  void filtersOfOneVolumeGiveWayToThoseOfAnother() throws IOException {
    DbaSettings settings = small().group(DbaSettings.AUTO).filters(1000).memory(1 << 20).build();
    long filter = new ErrorBudget(settings).shape(0).groupBytes(1);
    MemoryBudget budget = new MemoryBudget(64 * filter);
    try (ArrayUser first =
            ArrayUser.open(
                dir.resolve("1"), LocalDurableFiles.INSTANCE, settings, new ToyIndex(), budget);
        ArrayUser second =
            ArrayUser.open(
                dir.resolve("2"), LocalDurableFiles.INSTANCE, settings, new ToyIndex(), budget)) {
      for (int i = 0; i < 80; i++) {
        first.add(100);
        first.maintainAll();
      }
      assertThat(first.array().filters()).isGreaterThan(55);
      for (int i = 0; i < 80; i++) {
        second.add(100);
        second.maintainAll();
        budget.balance();
        assertThat(budget.used()).isLessThanOrEqualTo(64 * filter);
      }
      assertThat(first.counters().memoryBytes / filter).isBetween(24L, 36L);
      assertThat(second.counters().memoryBytes / filter).isBetween(24L, 36L);
      first.check(knownToFilters(first), "gave way");
      second.check(knownToFilters(second), "came later");
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  void whatIsNotYetInTheIndexSurvivesRefreshing() throws IOException {
    try (ArrayUser user = ArrayUser.open(dir, small().build())) {
      user.add(50);
      int[] segments = new int[10];
      byte[] fingerprints = new byte[320];
      for (int i = 0; i < 10; i++) {
        ToyIndex.fingerprint(1000 + i, fingerprints, i);
      }
      Insertion insertion = user.array().insert(fingerprints, 10, segments);
      for (long element = 0; element < 40; element++) {
        user.remove(element);
      }
      user.maintainAll();
      assertThat(user.counters().refreshed.sum()).isEqualTo(1);
      for (int i = 0; i < 10; i++) {
        assertThat(user.isCandidate(1000 + i, segments[i])).isTrue();
      }
      insertion.close();
      insertion.close();
    }
  }

  @Test
  void failuresOfTheIndexPutWorkOff() throws IOException {
    try (ArrayUser user = ArrayUser.open(dir, small().build())) {
      user.add(1550);
      for (long element = 0; element < 90; element++) {
        user.remove(element);
      }
      user.index.failAfter(5);
      user.maintainAll();
      assertThat(user.counters().putOff.sum()).isGreaterThanOrEqualTo(2);
      assertThat(user.counters().tightened.sum()).isZero();
      user.checkAll("failed");
      user.index.setFailing(true);
      user.maintainAll();
      user.add(30);
      assertThatThrownBy(() -> user.array().flush()).isInstanceOf(IOException.class);
      user.index.setFailing(false);
      user.index.failAfter(Integer.MAX_VALUE);
      user.maintainAll();
      assertThat(user.counters().tightened.sum()).isPositive();
      assertThat(user.counters().refreshed.sum()).isEqualTo(1);
      user.checkAll("made good");
    }
  }

  @Test
  void aMissingIndexAtStartIsSaid() throws IOException {
    ToyIndex index = new ToyIndex();
    try (ArrayUser user = ArrayUser.open(dir, LocalDurableFiles.INSTANCE, small().build(), index)) {
      user.add(350);
    }
    Files.delete(dir.resolve("filter-00000001.hbf"));
    index.setFailing(true);
    DbaSettings settings = small().build();
    try (ArrayUser user = ArrayUser.open(dir, LocalDurableFiles.INSTANCE, settings, index)) {
      user.from(5000).array().query(ToyIndex.fingerprints(150), 1, user.candidates);
      assertThat(user.candidates.isComplete()).isFalse();
      assertThat(user.add(10)).isZero();
      assertThat(user.counters().notIndexed.sum()).isEqualTo(10);
      user.maintainAll();
      index.setFailing(false);
      user.maintainAll();
      assertThat(user.isCandidate(150, 1)).isTrue();
      assertThat(user.candidates.isComplete()).isTrue();
      assertThat(user.counters().rebuilt.sum()).isEqualTo(1);
      assertThat(user.counters().loaded.sum()).isEqualTo(3);
      assertThat(user.add(10)).isEqualTo(10);
      user.checkAll("listed");
    }
  }

  @Test
  void openingScansNothingAndOnlyChangedFiltersAreWritten() throws IOException {
    ToyIndex index = new ToyIndex();
    DbaSettings settings = small().build();
    CrashableFiles files = new CrashableFiles(dir);
    try (ArrayUser user = ArrayUser.open(dir, files, settings, index)) {
      user.add(350);
      user.array().flush();
      assertThat(user.counters().written.sum()).isEqualTo(4);
      user.add(10);
      user.array().flush();
      assertThat(user.counters().written.sum()).isEqualTo(5);
      user.array().flush();
      assertThat(user.counters().written.sum()).isEqualTo(5);
    }
    try (ArrayUser user = ArrayUser.open(dir, files, settings, index)) {
      user.from(350).checkAll("opened");
      assertThat(user.candidates.size(0)).isEqualTo(4);
      user.maintainAll();
      user.checkAll("loaded");
      assertThat(user.candidates.size(0)).isEqualTo(1);
      assertThat(user.counters().loaded.sum()).isEqualTo(4);
      assertThat(user.counters().written.sum()).isZero();
      assertThat(index.scans()).isZero();
      user.add(10);
      assertThat(user.array().filters()).isEqualTo(4);
    }
  }

  @Test
  void filtersOlderThanTheirSegmentAreMadeAnew() throws IOException {
    ToyIndex index = new ToyIndex();
    DbaSettings settings = small().build();
    try (ArrayUser user = ArrayUser.open(dir, LocalDurableFiles.INSTANCE, settings, index)) {
      user.add(350);
      user.array().flush();
      user.add(20);
      // Killed.
      ArrayUser again = ArrayUser.open(dir, LocalDurableFiles.INSTANCE, settings, index);
      again.maintainAll();
      again.checkAll("after the crash");
      assertThat(again.counters().rebuilt.sum()).isEqualTo(1);
      assertThat(again.counters().loaded.sum()).isEqualTo(3);
    }
  }

  @Test
  void lostEnlargedFiltersComeBackEnlarged() throws IOException {
    ToyIndex index = new ToyIndex();
    DbaSettings settings = small().control(Control.ENLARGE).build();
    try (ArrayUser user = ArrayUser.open(dir, LocalDurableFiles.INSTANCE, settings, index)) {
      for (int i = 0; i < 40; i++) {
        user.add(100);
        user.maintainAll();
      }
    }
    try (var files = Files.list(dir)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.delete(file);
      }
    }
    try (ArrayUser user = ArrayUser.open(dir, LocalDurableFiles.INSTANCE, settings, index)) {
      user.maintainAll();
      user.checkAll("made anew");
      assertThat(user.array().errorRate()).isLessThanOrEqualTo(0.001);
      assertThat(user.array().describe()).contains("14 rows for 300 elements");
    }
  }

  @Test
  void otherSettingsTakeOldFiles() throws IOException {
    ToyIndex index = new ToyIndex();
    try (ArrayUser user = ArrayUser.open(dir, LocalDurableFiles.INSTANCE, small().build(), index)) {
      user.add(1450);
      user.maintainAll();
    }
    DbaSettings other = small().capacity(333).filters(8).errorRate(1.0 / 16384).group(64).build();
    try (ArrayUser user = ArrayUser.open(dir, LocalDurableFiles.INSTANCE, other, index)) {
      user.from(1450).maintainAll();
      user.add(1000);
      user.maintainAll();
      user.checkAll("with other settings");
      assertThat(user.array().errorRate()).isLessThanOrEqualTo(1.0 / 16384);
    }
  }

  @Test
  void closedArraysRefuse() throws IOException {
    ArrayUser user = ArrayUser.open(dir, small().build());
    user.close();
    user.close();
    assertThat(user.array().maintain()).isFalse();
    assertThatThrownBy(() -> user.add(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> user.array().query(new byte[31], 1, user.candidates))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
