/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Stores find old chunks again only if all versions cut at the same positions. */
class ChunkerGoldenTest {

  private static final int LENGTH = 262_144;

  @Test
  void parametersAreAsEver() throws IOException {
    List<String> lines = lines("/vectors/chunker-parameters.txt");
    assertThat(lines).hasSize(10 * ChunkerAlgorithm.values().length);
    for (String line : lines) {
      String[] fields = line.split(" ", -1);
      ChunkerParameters made =
          Chunker.of(algorithm(fields[0]), Integer.parseInt(fields[1])).parameters();
      assertThat(
              String.format(
                  "%s %d %d %d %d %d %x %x",
                  made.algorithm.configurationName(),
                  made.average,
                  made.window,
                  made.minimum,
                  made.maximum,
                  made.normal,
                  made.strict,
                  made.loose))
          .isEqualTo(line);
    }
  }

  @Test
  void cutsAreAsEver() throws IOException {
    byte[] data = data();
    ByteBuffer direct = ByteBuffer.allocateDirect(LENGTH).put(data).flip();
    List<String> lines = lines("/vectors/chunker-cuts.txt");
    assertThat(lines).hasSize(2 * ChunkerAlgorithm.values().length);
    for (String line : lines) {
      String[] fields = line.split(" ", -1);
      int[] expected = Arrays.stream(fields).skip(2).mapToInt(Integer::parseInt).toArray();
      Chunker chunker = Chunker.of(algorithm(fields[0]), Integer.parseInt(fields[1]));
      assertThat(ChunkerTest.cuts(chunker, direct, true)).as("%s", chunker).isEqualTo(expected);
      assertThat(ChunkerTest.cuts(chunker, ByteBuffer.wrap(data), true))
          .as("%s in Java", chunker)
          .isEqualTo(expected);
    }
  }

  private static ChunkerAlgorithm algorithm(String name) {
    ChunkerAlgorithm algorithm = ChunkerAlgorithm.valueOf(name.toUpperCase(Locale.ROOT));
    assertThat(algorithm.configurationName()).isEqualTo(name);
    return algorithm;
  }

  /** The data that the head of the file of cuts describes. */
  private static byte[] data() {
    ByteBuffer numbers = ByteBuffer.allocate(LENGTH).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    long state = 0;
    while (numbers.hasRemaining()) {
      state += 0x9e3779b97f4a7c15L;
      long z = (state ^ state >>> 30) * 0xbf58476d1ce4e5b9L;
      z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
      numbers.putLong(z ^ z >>> 31);
    }
    byte[] data = numbers.array();
    for (int i = 131_072; i < 196_608; i++) {
      data[i] = i % 97 != 0 ? 0 : data[i];
    }
    for (int i = 196_608; i < 229_376; i++) {
      data[i] = (byte) ((data[i] & 63) + 32);
    }
    Arrays.fill(data, 229_376, 245_760, (byte) 255);
    Arrays.fill(data, 245_760, LENGTH, (byte) 0);
    return data;
  }

  private static List<String> lines(String resource) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                ChunkerGoldenTest.class.getResourceAsStream(resource),
                StandardCharsets.US_ASCII))) {
      return reader.lines().filter(line -> !line.startsWith("#")).toList();
    }
  }
}
