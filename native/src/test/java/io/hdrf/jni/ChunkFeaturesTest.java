/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ChunkFeaturesTest {

  private static final long SEED = Long.getLong("hdrf.test.seed", System.nanoTime());

  @BeforeAll
  static void printSeed() {
    System.out.println("hdrf.test.seed=" + SEED);
  }

  /** Bases of before are found again only if all versions make the same features. */
  @Test
  void featuresAreAsEver() throws IOException {
    byte[] data = goldenData();
    ByteBuffer direct = ByteBuffer.allocateDirect(data.length).put(data).flip();
    List<String> lines = lines("/vectors/features.txt");
    assertThat(lines).hasSize(12);
    int[] starts = new int[lines.size()];
    int[] ends = new int[lines.size()];
    int[] expected = new int[lines.size() * ChunkFeatures.COUNT];
    for (int i = 0; i < lines.size(); i++) {
      String[] fields = lines.get(i).split(" ", -1);
      starts[i] = Integer.parseInt(fields[0]);
      ends[i] = Integer.parseInt(fields[1]);
      for (int j = 0; j < ChunkFeatures.COUNT; j++) {
        expected[i * ChunkFeatures.COUNT + j] = Integer.parseUnsignedInt(fields[2 + j], 16);
      }
    }
    for (ByteBuffer buffer : new ByteBuffer[] {direct, ByteBuffer.wrap(data)}) {
      int[] found = new int[expected.length];
      Arrays.fill(found, 7);
      ChunkFeatures.of(buffer, starts, ends, lines.size(), found);
      assertThat(found).isEqualTo(expected);
    }
  }

  @Test
  void twinIsAsNative() {
    Random random = new Random(SEED);
    for (ChunkerData kind : ChunkerData.values()) {
      byte[] data = kind.make(100_000, random);
      ByteBuffer direct = ByteBuffer.allocateDirect(data.length).put(data).flip();
      direct.position(random.nextInt(100)).limit(data.length - random.nextInt(100));
      int count = random.nextInt(400);
      int[] starts = new int[count];
      int[] ends = new int[count];
      for (int i = 0; i < count; i++) {
        starts[i] = random.nextInt(direct.remaining());
        ends[i] = Math.min(direct.remaining(), starts[i] + random.nextInt(10_000));
      }
      int[] found = new int[count * ChunkFeatures.COUNT + 1];
      int[] expected = found.clone();
      int position = direct.position();
      int limit = direct.limit();
      ChunkFeatures.of(direct, starts, ends, count, found);
      ChunkFeatures.ofInJava(direct, starts, ends, count, expected);
      assertThat(found).as("%s", kind).isEqualTo(expected);
      assertThat(direct.position()).isEqualTo(position);
      assertThat(direct.limit()).isEqualTo(limit);
    }
  }

  @Test
  void whatDoesNotLieInTheBufferIsRefused() {
    for (ByteBuffer data :
        new ByteBuffer[] {ByteBuffer.allocateDirect(100), ByteBuffer.allocate(100)}) {
      data.position(10).limit(60);
      int[] features = new int[2 * ChunkFeatures.COUNT];
      for (int[] part : new int[][] {{0, 51}, {-1, 5}, {20, 19}, {51, 51}}) {
        int[] starts = {0, part[0]};
        int[] ends = {0, part[1]};
        assertThatThrownBy(() -> ChunkFeatures.of(data, starts, ends, 2, features))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      int[] two = new int[2];
      for (int count : new int[] {-1, 3}) {
        assertThatThrownBy(() -> ChunkFeatures.of(data, two, two, count, new int[99]))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      assertThatThrownBy(() -> ChunkFeatures.of(data, two, two, 2, new int[23]))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> ChunkFeatures.of(data, new int[1], two, 2, features))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  /** The data that the head of the file of vectors describes. */
  private static byte[] goldenData() {
    ByteBuffer numbers = ByteBuffer.allocate(65_536).order(ByteOrder.LITTLE_ENDIAN);
    long state = 0;
    while (numbers.hasRemaining()) {
      state += 0x9e3779b97f4a7c15L;
      long z = (state ^ state >>> 30) * 0xbf58476d1ce4e5b9L;
      z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
      numbers.putLong(z ^ z >>> 31);
    }
    byte[] data = numbers.array();
    for (int i = 32_768; i < 49_152; i++) {
      data[i] = (byte) ((data[i] & 15) + 97);
    }
    Arrays.fill(data, 49_152, 57_344, (byte) 0);
    return data;
  }

  static List<String> lines(String resource) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                ChunkFeaturesTest.class.getResourceAsStream(resource),
                StandardCharsets.US_ASCII))) {
      return reader.lines().filter(line -> !line.startsWith("#")).toList();
    }
  }
}
