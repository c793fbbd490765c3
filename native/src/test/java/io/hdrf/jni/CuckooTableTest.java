/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.LongBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that the library writes and those that Java writes, beside a map of what was put. */
class CuckooTableTest {

  private static final int BATCH = 1024;
  private static final long SEED = Long.getLong("hdrf.test.seed", System.nanoTime());

  private final Random random = new Random(SEED);

  @BeforeAll
  static void printSeed() {
    System.out.println("hdrf.test.seed=" + SEED);
  }

  @AfterEach
  void loadTheLibraryAgain() {
    System.clearProperty(NativeLibrary.DISABLED);
  }

  private static long[] longsOf(LongBuffer buffer) {
    long[] values = new long[buffer.limit()];
    buffer.duplicate().get(values);
    return values;
  }

  private LongBuffer longs(int count, long mask) {
    LongBuffer buffer = CuckooTable.longs(count);
    for (int i = 0; i < count; i++) {
      buffer.put(i, random.nextLong() & mask);
    }
    return buffer;
  }

  /** Some of the keys come again and again, so that there are updates and hits. */
  private LongBuffer hashes(long[] known, int count) {
    LongBuffer buffer = longs(count, -1);
    for (int i = 0; i < count; i++) {
      int which = random.nextInt(2 * known.length);
      if (which < known.length) {
        buffer.put(i, known[which]);
      }
    }
    return buffer;
  }

  private static void assertSame(CuckooTable a, CuckooTable b) {
    assertThat(longsOf(a.state())).isEqualTo(longsOf(b.state()));
    assertThat(longsOf(a.slots())).isEqualTo(longsOf(b.slots()));
  }

  /** After every step all words are the same: below, at and above the limit, and with a stash. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 5, 8, 10})
  void libraryAndJavaDoTheSame(int bucketsLog2) {
    assumeTrue(NativeLibrary.isLoaded());
    for (int round = 0; round < 10; round++) {
      CuckooTable table = new CuckooTable(bucketsLog2);
      CuckooTable other = new CuckooTable(bucketsLog2);
      long[] known = random.longs(1L + random.nextInt(4 << bucketsLog2)).toArray();
      for (int step = 0; step < 60; step++) {
        int count =
            CuckooTable.WORTH_WHILE
                + random.nextInt(step % 10 == 0 ? BATCH : Math.min(BATCH, 1 << bucketsLog2));
        LongBuffer hashes = hashes(known, count);
        LongBuffer values = longs(count, step % 3 == 0 ? -1 : CuckooTable.MAX_VALUE);
        if (step % 4 == 3) {
          table.find(hashes, count, values);
          for (int i = 0; i < count; i++) {
            assertThat(other.twin().find(hashes.get(i))).isEqualTo(values.get(i));
          }
        } else {
          int lost = 0;
          for (int i = 0; i < count; i++) {
            lost += other.twin().put(hashes.get(i), values.get(i)) ? 1 : 0;
          }
          assertThat(table.put(hashes, values, count)).isEqualTo(lost);
        }
        assertSame(table, other);
        if (random.nextInt(20) == 0) {
          other = resized(table, other, random.nextBoolean());
          assertSame(table, other);
        }
      }
      table.free();
      other.free();
    }
  }

  /** Resizes a table, and another one by Java; returns the other one. */
  private static CuckooTable resized(CuckooTable table, CuckooTable other, boolean larger) {
    if (!larger && table.bucketsLog2() > 0) {
      assertThat(table.halve()).isEqualTo(other.twin().halve());
    } else if (larger) {
      assertThat(table.makeTwice()).isTrue();
    }
    CuckooTable resized = new CuckooTable(table.bucketsLog2());
    LongBuffer from = other.slots().duplicate();
    from.limit(Math.min(from.limit(), table.slots().limit()));
    resized.slots().duplicate().put(from);
    resized.state().duplicate().put(other.state().duplicate());
    if (larger) {
      new CuckooTwin(resized.slots(), resized.state(), other.bucketsLog2()).makeTwice();
    }
    other.free();
    return resized;
  }

  /** Arbitrary words, too: as after a fault of the memory. */
  @Test
  void libraryAndJavaDoTheSameWithArbitraryWords() {
    assumeTrue(NativeLibrary.isLoaded());
    for (int round = 0; round < 300; round++) {
      CuckooTable table = new CuckooTable(random.nextInt(5));
      CuckooTable other = new CuckooTable(table.bucketsLog2());
      for (LongBuffer[] pair :
          new LongBuffer[][] {{table.slots(), other.slots()}, {table.state(), other.state()}}) {
        for (int i = 0; i < pair[0].limit(); i++) {
          long word = random.nextInt(4) == 0 ? 0 : random.nextLong() >>> random.nextInt(64);
          pair[0].put(i, word);
          pair[1].put(i, word);
        }
      }
      LongBuffer hashes = longs(64, -1);
      LongBuffer values = longs(64, -1);
      table.put(hashes, values, 64);
      for (int i = 0; i < 64; i++) {
        other.twin().put(hashes.get(i), values.get(i));
      }
      assertSame(table, other);
      table.find(hashes, 64, values);
      for (int i = 0; i < 64; i++) {
        assertThat(other.twin().find(hashes.get(i))).isEqualTo(values.get(i));
      }
      assertSame(table, other);
      other = resized(table, other, random.nextBoolean());
      assertSame(table, other);
    }
  }

  /** Heap buffers, buffers of few keys, and those that are longer than needed. */
  @Test
  void findsWhatWasPut() {
    CuckooTable table = new CuckooTable(12);
    Map<Long, Long> expected = new HashMap<>();
    while (table.hasRoom(20)) {
      int count = 1 + random.nextInt(20);
      LongBuffer hashes = random.nextBoolean() ? longs(count + 3, -1) : heap(count);
      LongBuffer values = random.nextBoolean() ? longs(count, CuckooTable.MAX_VALUE) : heap(count);
      hashes.position(1);
      assertThat(table.put(hashes, values, count)).isZero();
      assertThat(hashes.position()).isEqualTo(1);
      for (int i = 0; i < count; i++) {
        expected.put(hashes.get(i), values.get(i) & CuckooTable.MAX_VALUE);
      }
    }
    assertThat(table.count()).isGreaterThanOrEqualTo(4096 * 4 * 94 / 100);
    int wrong = 0;
    for (Map.Entry<Long, Long> entry : expected.entrySet()) {
      LongBuffer one = LongBuffer.wrap(new long[] {entry.getKey()});
      table.find(one, 1, one);
      assertThat(one.get(0)).isNotEqualTo(CuckooTable.NONE);
      wrong += one.get(0) == entry.getValue() ? 0 : 1;
    }
    assertThat(wrong).isLessThanOrEqualTo(3);
  }

  private LongBuffer heap(int count) {
    return LongBuffer.wrap(random.longs(count).toArray());
  }

  @Test
  void halvesGiveMemoryBack() {
    CuckooTable table = new CuckooTable(14);
    LongBuffer hashes = longs(BATCH, -1);
    LongBuffer values = longs(BATCH, CuckooTable.MAX_VALUE);
    table.put(hashes, values, BATCH);
    for (int log2 = 13; log2 >= 9; log2--) {
      long before = NativeWords.allocatedBytes();
      assertThat(table.halve()).isLessThan(BATCH / 2);
      assertThat(table.bucketsLog2()).isEqualTo(log2);
      long bytes = CuckooTable.bytes(log2);
      if (NativeLibrary.isLoaded()) {
        assertThat(NativeWords.allocatedBytes()).isEqualTo(before - bytes);
      }
      LongBuffer found = CuckooTable.longs(BATCH);
      table.find(hashes, BATCH, found);
      int right = 0;
      for (int i = 0; i < BATCH; i++) {
        right += found.get(i) == values.get(i) ? 1 : 0;
      }
      assertThat((long) right).isEqualTo(table.count());
    }
    table.free();
  }

  /** Twice as large, everything is found, and as much again finds room that is not old. */
  @Test
  void growsWithoutKeys() {
    CuckooTable table = new CuckooTable(8);
    LongBuffer hashes = longs(950, -1);
    LongBuffer values = longs(950, CuckooTable.MAX_VALUE);
    table.put(hashes, values, 950);
    for (int log2 = 9; log2 < 12; log2++) {
      long before = NativeWords.allocatedBytes();
      assertThat(table.makeTwice()).isTrue();
      assertThat(table.bucketsLog2()).isEqualTo(log2);
      if (NativeLibrary.isLoaded()) {
        assertThat(NativeWords.allocatedBytes()).isEqualTo(before + CuckooTable.bytes(log2) / 2);
      }
      LongBuffer found = CuckooTable.longs(950);
      table.find(hashes, 950, found);
      int right = 0;
      for (int i = 0; i < 950; i++) {
        right += found.get(i) == values.get(i) ? 1 : 0;
      }
      assertThat(right).isGreaterThanOrEqualTo(940);
    }
    for (int i = 0; i < 3; i++) {
      table.put(longs(BATCH, -1), longs(BATCH, -1), BATCH);
      LongBuffer found = CuckooTable.longs(950);
      table.find(hashes, 950, found);
      int right = 0;
      for (int j = 0; j < 950; j++) {
        right += found.get(j) == values.get(j) ? 1 : 0;
      }
      // Their other copies went first.
      assertThat(right).isGreaterThanOrEqualTo(930);
    }
    table.free();
  }

  /** Copies that were made for nothing cost no entry, however old some are. */
  @Test
  void twiceAndHalfAgainLosesNothing() {
    CuckooTable table = new CuckooTable(8);
    LongBuffer hashes = longs(950, -1);
    LongBuffer values = longs(950, CuckooTable.MAX_VALUE);
    table.put(hashes, values, 950);
    long before = table.count();
    for (int round = 0; round < 3; round++) {
      assertThat(table.makeTwice()).isTrue();
      LongBuffer found = CuckooTable.longs(950);
      table.find(hashes, 300, found);
      table.halve();
      assertThat(table.count()).isBetween(before - CuckooTwin.STASH_SIZE, before);
      table.find(hashes, 950, found);
      int right = 0;
      for (int i = 0; i < 950; i++) {
        right += found.get(i) == values.get(i) ? 1 : 0;
      }
      assertThat(right).isGreaterThanOrEqualTo(940);
    }
    table.free();
  }

  /** The same table in the heap, without the library. */
  @Test
  void worksWithoutTheLibrary() throws Exception {
    System.setProperty(NativeLibrary.DISABLED, "true");
    IsolatedLoader loader = IsolatedLoader.create();
    assertThat(loader.isLoaded()).isFalse();
    Class<?> type = loader.loadClass(CuckooTable.class.getName());
    Constructor<?> constructor = type.getConstructor(int.class);
    Method put = type.getMethod("put", LongBuffer.class, LongBuffer.class, int.class);
    Method find = type.getMethod("find", LongBuffer.class, int.class, LongBuffer.class);
    Object isolated = constructor.newInstance(9);
    CuckooTable table = new CuckooTable(9);
    for (int step = 0; step < 10; step++) {
      LongBuffer hashes = longs(BATCH, -1);
      LongBuffer values = longs(BATCH, CuckooTable.MAX_VALUE);
      int lost = table.put(hashes, values, BATCH);
      assertThat(put.invoke(isolated, hashes, values, BATCH)).isEqualTo(lost);
      if (step == 5) {
        assertThat(type.getMethod("halve").invoke(isolated)).isEqualTo(table.halve());
      } else if (step == 7) {
        assertThat(type.getMethod("makeTwice").invoke(isolated)).isEqualTo(table.makeTwice());
      }
      table.find(hashes, BATCH, values);
      LongBuffer found = LongBuffer.allocate(BATCH);
      find.invoke(isolated, hashes, BATCH, found);
      assertThat(longsOf(found)).isEqualTo(longsOf(values));
    }
    assertThat(type.getMethod("count").invoke(isolated)).isEqualTo(table.count());
  }

  private int found(CuckooTable table, LongBuffer hashes, LongBuffer expected) {
    LongBuffer values = CuckooTable.longs(hashes.limit());
    table.find(hashes, hashes.limit(), values);
    int found = 0;
    for (int i = 0; i < hashes.limit(); i++) {
      found += values.get(i) == expected.get(i) ? 1 : 0;
    }
    return found;
  }

  /** Of a table that grew, what was used since then stays, and nothing else. */
  @Test
  void whatIsOldCanBeForgotten() {
    CuckooTable table = new CuckooTable(8);
    int limit = (int) CuckooTable.limit(8);
    LongBuffer kept = longs(limit / 2, -1);
    LongBuffer keptValues = longs(limit / 2, CuckooTable.MAX_VALUE);
    LongBuffer lost = longs(limit - limit / 2, -1);
    LongBuffer lostValues = longs(limit - limit / 2, CuckooTable.MAX_VALUE);
    table.put(kept, keptValues, kept.limit());
    table.put(lost, lostValues, lost.limit());
    assertThat(table.makeTwice()).isTrue();
    table.makeOld();
    assertThat(found(table, kept, keptValues)).isGreaterThanOrEqualTo(kept.limit() - 8);
    LongBuffer later = longs(limit / 4, -1);
    LongBuffer laterValues = longs(limit / 4, CuckooTable.MAX_VALUE);
    table.put(later, laterValues, later.limit());
    table.dropOld();
    assertThat(table.count())
        .isBetween(kept.limit() + later.limit() - 24L, kept.limit() + later.limit() + 0L);
    assertThat(found(table, kept, keptValues)).isGreaterThanOrEqualTo(kept.limit() - 16);
    assertThat(found(table, later, laterValues)).isGreaterThanOrEqualTo(later.limit() - 16);
    assertThat(found(table, lost, lostValues)).isZero();
    table.free();
  }

  @Test
  void slotsThatWereSavedCanBeRestored() {
    CuckooTable table = new CuckooTable(6);
    LongBuffer hashes = longs(200, -1);
    LongBuffer values = longs(200, CuckooTable.MAX_VALUE);
    table.put(hashes, values, 200);
    LongBuffer saved = LongBuffer.allocate(table.slotCount());
    table.save(0, saved.duplicate().limit(100));
    table.save(100, saved.duplicate().position(100));
    CuckooTable other = new CuckooTable(6);
    other.restore(0, saved.duplicate().limit(7));
    other.restore(7, saved.duplicate().position(7));
    assertThat(other.count()).isEqualTo(table.count());
    assertThat(longsOf(other.slots())).isEqualTo(longsOf(table.slots()));
    assertThat(found(other, hashes, values)).isEqualTo(200);
    assertThatThrownBy(() -> other.restore(1, saved.duplicate()))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> other.save(-1, saved.duplicate()))
        .isInstanceOf(IndexOutOfBoundsException.class);
    table.free();
    other.free();
  }

  /** What any words leave is a table of as many entries as it says. */
  @Test
  void anyWordsCanBeRestored() {
    CuckooTable table = new CuckooTable(4);
    LongBuffer words = LongBuffer.allocate(table.slotCount());
    int used = 0;
    for (int i = 0; i < words.limit(); i++) {
      words.put(i, random.nextLong() << (random.nextBoolean() ? 22 : 0));
      used += (words.get(i) & ((1 << 22) - 1)) == 0 ? 0 : 1;
    }
    table.restore(0, words);
    assertThat(table.count()).isEqualTo(used);
    LongBuffer hashes = longs(1000, -1);
    table.find(hashes, 1000, longs(1000, -1));
    table.put(hashes, longs(1000, -1), 1000);
    assertThat(table.count()).isBetween(60L, 72L);
    table.halve();
    table.free();
  }
}
