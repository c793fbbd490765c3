/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The native chunkers and their Java twins, on each kind of data. */
class ChunkerTest {

  private static final long SEED = Long.getLong("hdrf.test.seed", System.nanoTime());
  private static final int LENGTH = 200_000;

  @BeforeAll
  static void printSeed() {
    System.out.println("hdrf.test.seed=" + SEED);
  }

  @ParameterizedTest
  @EnumSource
  void twinCutsAsNative(ChunkerAlgorithm algorithm) {
    Random random = new Random(SEED);
    for (ChunkerData kind : ChunkerData.values()) {
      for (int average : new int[] {512, 700, 1024, 8192, 65536}) {
        ByteBuffer direct = direct(kind.make(LENGTH - random.nextInt(1000), random));
        direct.position(random.nextInt(100)).limit(direct.limit() - random.nextInt(100));
        Chunker chunker = Chunker.of(algorithm, average);
        boolean last = random.nextBoolean();
        assertThat(cuts(chunker, direct, last))
            .as("%s, %s, last %s", chunker, kind, last)
            .isEqualTo(cuts(chunker, heap(direct), last));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void piecesAreCutAsTheWhole(ChunkerAlgorithm algorithm) {
    Random random = new Random(SEED);
    Chunker chunker = Chunker.of(algorithm, 600);
    for (ChunkerData kind : ChunkerData.values()) {
      byte[] data = kind.make(50_000, random);
      int[] expected = cuts(chunker, direct(data), true);
      for (int most = 300; most < 50_000; most *= 3) {
        assertThat(inPieces(chunker, direct(data), most, random))
            .as("%s, direct, pieces to %d", kind, most)
            .isEqualTo(expected);
        assertThat(inPieces(chunker, ByteBuffer.wrap(data), most, random))
            .as("%s, heap, pieces to %d", kind, most)
            .isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void sizesAreWithinTheBounds(ChunkerAlgorithm algorithm) {
    Random random = new Random(SEED);
    for (ChunkerData kind : ChunkerData.values()) {
      byte[] data = kind.make(LENGTH, random);
      Chunker chunker = Chunker.of(algorithm, 1024);
      int[] cuts = cuts(chunker, direct(data), true);
      for (int i = 0; i < cuts.length; i++) {
        int size = cuts[i] - (i == 0 ? 0 : cuts[i - 1]);
        assertThat(size).as("%s, chunk %d", kind, i).isBetween(1, chunker.maximumSize());
        if (i + 1 < cuts.length) {
          assertThat(size)
              .as("%s, chunk %d", kind, i)
              .isGreaterThanOrEqualTo(chunker.minimumSize());
        }
      }
      assertThat(cuts[cuts.length - 1]).isEqualTo(LENGTH);
    }
  }

  /** Does not depend on chance: the data is the same in every run. */
  @ParameterizedTest
  @EnumSource
  void averageIsWhatWasAskedFor(ChunkerAlgorithm algorithm) {
    assumeThat(NativeLibrary.isLoaded()).as("Java takes too long for so many bytes").isTrue();
    ByteBuffer data = ByteBuffer.allocateDirect(64 << 20);
    Random random = new Random(64);
    while (data.hasRemaining()) {
      data.putLong(random.nextLong());
    }
    data.flip();
    int[] cuts = new int[1 << 18];
    for (int average :
        new int[] {1 << 9, 1 << 10, 1 << 11, 1 << 12, 5 << 10, 1 << 13, 10_000, 1 << 14, 1 << 16}) {
      int count = Chunker.of(algorithm, average).cut(data, true, cuts);
      assertThat((double) data.limit() / count)
          .as("mean for %d", average)
          .isCloseTo(average, within(average / 10.0));
    }
  }

  @Test
  void maximumOfRamlCanBeChosen() {
    Chunker chunker = Chunker.of(ChunkerAlgorithm.RAML, 4096, 10_000);
    assertThat(chunker.maximumSize()).isEqualTo(10_000);
    byte[] data = new byte[30_000];
    data[0] = 1;
    data[10_000] = 1;
    data[20_000] = 1;
    assertThat(cuts(chunker, direct(data), true)).containsExactly(10_000, 20_000, 30_000);
    assertThat(cuts(chunker, ByteBuffer.wrap(data), true)).containsExactly(10_000, 20_000, 30_000);
  }

  @Test
  void runsAreCutAtTheMaximumByVhash() {
    Chunker chunker = Chunker.of(ChunkerAlgorithm.VHASH, 1024);
    for (int value = 0; value < 256; value++) {
      byte[] run = new byte[2 * chunker.maximumSize() + 5];
      Arrays.fill(run, (byte) value);
      assertThat(cuts(chunker, direct(run), true))
          .containsExactly(chunker.maximumSize(), 2 * chunker.maximumSize(), run.length);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFullArrayIsNotTheEnd(ChunkerAlgorithm algorithm) {
    Chunker chunker = Chunker.of(algorithm, 512);
    for (boolean isDirect : new boolean[] {true, false}) {
      byte[] data = ChunkerData.RANDOM.make(1 << 20, new Random(SEED));
      ByteBuffer buffer = isDirect ? direct(data) : ByteBuffer.wrap(data);
      int[] all = cuts(chunker, buffer, true);
      assertThat(all).hasSizeGreaterThan(1100);
      assertThat(chunker.cut(buffer, true, new int[0])).isZero();
      for (int capacity : new int[] {1, 2, 1023, 1024, 1025}) {
        int[] some = new int[capacity];
        assertThat(chunker.cut(buffer, true, some)).isEqualTo(capacity);
        assertThat(some).isEqualTo(Arrays.copyOf(all, capacity));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void bufferStaysAsItIs(ChunkerAlgorithm algorithm) {
    ByteBuffer data = direct(ChunkerData.RANDOM.make(LENGTH, new Random(SEED)));
    for (ByteBuffer buffer :
        new ByteBuffer[] {
          data, data.asReadOnlyBuffer(), heap(data), heap(data).asReadOnlyBuffer()
        }) {
      buffer.position(11).limit(LENGTH - 3);
      Chunker chunker = Chunker.of(algorithm, 1024);
      int[] cuts = cuts(chunker, buffer, true);
      assertThat(buffer.position()).isEqualTo(11);
      assertThat(buffer.limit()).isEqualTo(LENGTH - 3);
      assertThat(cuts[cuts.length - 1]).isEqualTo(LENGTH - 14);
      buffer.limit(11);
      assertThat(chunker.cut(buffer, true, cuts)).isZero();
      assertThat(chunker.cut(buffer, false, cuts)).isZero();
    }
  }

  @Test
  void argumentsOutOfRangeAreRefused() {
    for (ChunkerAlgorithm algorithm : ChunkerAlgorithm.values()) {
      for (int average : new int[] {Integer.MIN_VALUE, 0, 511, (1 << 20) + 1, Integer.MAX_VALUE}) {
        assertThatThrownBy(() -> Chunker.of(algorithm, average))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(Integer.toString(average));
      }
      Chunker largest = Chunker.of(algorithm, Chunker.MAX_AVERAGE_SIZE);
      assertThat(largest.maximumSize()).isLessThanOrEqualTo(Chunker.SIZE_LIMIT);
      assertThat(largest.averageSize()).isEqualTo(1 << 20);
      assertThat(largest.algorithm()).isEqualTo(algorithm);
    }
    for (int maximum : new int[] {0, 16_383, Chunker.SIZE_LIMIT + 1}) {
      assertThatThrownBy(() -> Chunker.of(ChunkerAlgorithm.RAML, 8192, maximum))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(Integer.toString(maximum));
    }
    assertThatThrownBy(() -> Chunker.of(ChunkerAlgorithm.RAM, 8192, 32_768))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ram");
  }

  private static ByteBuffer direct(byte[] data) {
    return ByteBuffer.allocateDirect(data.length).put(data).flip();
  }

  /** A copy from position to limit, and some bytes around it. */
  private static ByteBuffer heap(ByteBuffer buffer) {
    ByteBuffer copy = ByteBuffer.allocate(buffer.capacity());
    copy.put(buffer.duplicate().clear());
    copy.position(buffer.position()).limit(buffer.limit());
    return copy;
  }

  static int[] cuts(Chunker chunker, ByteBuffer data, boolean last) {
    int[] cuts = new int[data.remaining() / Math.min(64, chunker.minimumSize()) + 2];
    return Arrays.copyOf(cuts, chunker.cut(data, last, cuts));
  }

  private static int[] inPieces(Chunker chunker, ByteBuffer data, int most, Random random) {
    int length = data.capacity();
    int[] cuts = new int[length / 40];
    int[] some = new int[1 + random.nextInt(50)];
    int count = 0;
    int start = 0;
    int end = 0;
    while (start < length) {
      end = Math.min(length, end + 1 + random.nextInt(most));
      data.limit(end).position(start);
      int found = chunker.cut(data, end == length, some);
      for (int i = 0; i < found; i++) {
        cuts[count++] = start + some[i];
      }
      start += found > 0 ? some[found - 1] : 0;
    }
    return Arrays.copyOf(cuts, count);
  }
}
