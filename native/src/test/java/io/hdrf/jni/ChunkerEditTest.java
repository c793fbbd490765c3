/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** After one byte is inserted, deleted or changed, the cuts soon are the old ones again. */
class ChunkerEditTest {

  private static final long SEED = Long.getLong("hdrf.test.seed", System.nanoTime());
  private static final int LENGTH = 1 << 20;
  private static final int AVERAGE = 4096;
  private static final int EDITS = 90;

  /**
   * The limit for the mean of all edits, in averages: several times the measured value. On text the
   * rules that look for the largest byte take much longer, by chance.
   */
  private static final double MEAN_DISTANCE = 5;

  @BeforeAll
  static void printSeed() {
    System.out.println("hdrf.test.seed=" + SEED);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FIXED")
  void cutsBehindAnEditAreTheOldOnesSoon(ChunkerAlgorithm algorithm) {
    for (ChunkerData kind : new ChunkerData[] {ChunkerData.RANDOM, ChunkerData.TEXT}) {
      Random random = new Random(SEED);
      byte[] data = kind.make(LENGTH, random);
      Chunker chunker = Chunker.of(algorithm, AVERAGE);
      int[] before = cuts(chunker, data);
      double distance = 0;
      double changed = 0;
      for (int edit = 0; edit < EDITS; edit++) {
        int at = random.nextInt(LENGTH / 2);
        int shift = edit % 3 - 1;
        int[] after = cuts(chunker, edited(data, at, shift, (byte) random.nextInt()));
        assertSameBefore(at - chunker.parameters().window, before, after);
        Set<Integer> old =
            Arrays.stream(before).map(c -> c + shift).boxed().collect(Collectors.toSet());
        int same = firstKept(after, old, at);
        distance += same - at;
        changed += Arrays.stream(after).filter(c -> c > at && c < same).count() + 1;
      }
      System.out.printf(
          "%s, %s: %.2f averages to resynchronisation, %.2f chunks changed%n",
          algorithm, kind, distance / EDITS / AVERAGE, changed / EDITS);
      boolean hashes = algorithm == ChunkerAlgorithm.FASTCDC || algorithm == ChunkerAlgorithm.VHASH;
      if (kind == ChunkerData.RANDOM || hashes) {
        assertThat(distance / EDITS / AVERAGE)
            .as("%s, seed %d", kind, SEED)
            .isLessThan(MEAN_DISTANCE);
      }
    }
  }

  /** Returns the first cut after the edit from which on all are old ones. */
  private static int firstKept(int[] after, Set<Integer> old, int at) {
    int kept = after.length - 1;
    while (kept > 0 && after[kept - 1] > at && old.contains(after[kept - 1])) {
      kept--;
    }
    return after[kept];
  }

  private static void assertSameBefore(int end, int[] before, int[] after) {
    for (int i = 0; i < before.length && before[i] <= end; i++) {
      assertThat(after[i]).isEqualTo(before[i]);
    }
  }

  /** Shift -1: the byte is deleted; 0: changed; 1: one is inserted before it. */
  private static byte[] edited(byte[] data, int at, int shift, byte value) {
    byte[] edited = new byte[data.length + shift];
    System.arraycopy(data, 0, edited, 0, at);
    int from = shift > 0 ? at : at + 1;
    System.arraycopy(data, from, edited, from + shift, data.length - from);
    if (shift >= 0) {
      edited[at] = value;
    }
    return edited;
  }

  private static int[] cuts(Chunker chunker, byte[] data) {
    return ChunkerTest.cuts(chunker, ByteBuffer.allocateDirect(data.length).put(data).flip(), true);
  }
}
