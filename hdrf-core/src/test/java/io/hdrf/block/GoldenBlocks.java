/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The reduced blocks of format version 1 that are kept in the resources and must be readable for
 * ever. {@code main} writes them; only a new format version gives a reason to run it, and then for
 * new files.
 */
final class GoldenBlocks {

  static final GoldenBlocks SINGLE_FRAME =
      new GoldenBlocks("single-frame", 1000, new int[] {17}, runs(1, 300), runs(1, 1), 0x6AADB82B);
  static final GoldenBlocks RUNS_AND_STAGES =
      new GoldenBlocks(
          "runs-and-stages",
          2000,
          new int[] {17, 1, 0xFFFF, 0x400},
          runs(20, 64, 3, 1000, 1, 50, 2, 77, 4, 900),
          runs(20, 1, 3, 15, 1, 0, 2, 9, 4, 1),
          0x2DA0BD47);
  static final GoldenBlocks LONG_NUMBERS =
      new GoldenBlocks(
          "long-numbers",
          3000,
          new int[] {17, 2},
          new int[] {300, 20_000, 17_000},
          new int[] {0, 3, 1},
          0xB6D84B0F);

  private final String name;
  final int[] chain;
  final TestBlock block;

  /** CRC32C of the data, so that a change of the tests' own decoder is seen. */
  final int dataChecksum;

  private GoldenBlocks(
      String name, long firstNumber, int[] chain, int[] lengths, int[] stages, int dataChecksum) {
    this.name = name;
    this.chain = chain;
    long[] numbers = new long[lengths.length];
    Arrays.setAll(numbers, i -> firstNumber + i);
    this.block = new TestBlock(lengths, numbers, stages);
    this.dataChecksum = dataChecksum;
  }

  static List<GoldenBlocks> all() {
    return List.of(SINGLE_FRAME, RUNS_AND_STAGES, LONG_NUMBERS);
  }

  private static int[] runs(int... runs) {
    int[] values = new int[0];
    for (int i = 0; i < runs.length; i += 2) {
      int begin = values.length;
      values = Arrays.copyOf(values, begin + runs[i]);
      Arrays.fill(values, begin, values.length, runs[i + 1]);
    }
    return values;
  }

  String fileName() {
    return "block-v1-" + name + ".golden";
  }

  byte[] read() throws IOException {
    try (var in = GoldenBlocks.class.getResourceAsStream(fileName())) {
      return in.readAllBytes();
    }
  }

  void write(Path path) throws IOException {
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.create(
            LocalDurableFiles.INSTANCE,
            path,
            TestBlock.ID,
            block.length,
            chain,
            TestBlock.KEY,
            block.length)) {
      block.writeFrames(writer);
      writer.finish();
    }
  }

  @Override
  public String toString() {
    return name;
  }

  public static void main(String[] args) throws IOException {
    for (GoldenBlocks golden : all()) {
      Path path = Path.of(args[0]).resolve(golden.fileName());
      Files.deleteIfExists(path);
      golden.write(path);
    }
  }
}
