/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Recipes of format versions 1 and 2 that must be readable for ever. */
class GoldenRecipesTest {

  private static final String RUNS = "recipe-v1-runs.golden";
  private static final String LIMITS = "recipe-v1-limits.golden";
  private static final String BASES = "recipe-v2-bases.golden";

  private record Run(long container, int first, int count) {}

  private static List<Run> runs(String name) {
    int all = ChunkRef.MAX_NUMBER + 1;
    return !name.equals(LIMITS)
        ? List.of(new Run(3, 5, 200), new Run(3, 100, 1), new Run(1, 16_000_000, 1))
        : List.of(
            new Run(ChunkRef.MAX_CONTAINER, ChunkRef.MAX_NUMBER, 1),
            new Run(0, 0, all),
            new Run(0, 0, 1),
            new Run(ChunkRef.MAX_CONTAINER, 0, all));
  }

  private static List<Run> bases(String name) {
    return name.equals(BASES)
        ? List.of(new Run(3, 90, 10), new Run(ChunkRef.MAX_CONTAINER >> 1, 7, 1))
        : List.of();
  }

  private static byte[] read(String name) throws IOException {
    try (var in = GoldenRecipesTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  private static byte[] write(String name) {
    Recipe recipe = new Recipe();
    for (Run run : runs(name)) {
      for (int i = 0; i < run.count(); i++) {
        recipe.add(ChunkRef.pack(run.container(), run.first() + i), 8000);
      }
    }
    for (Run run : bases(name)) {
      for (int i = 0; i < run.count(); i++) {
        recipe.addBase(ChunkRef.pack(run.container(), run.first() + i));
        // As where two chunks have one base.
        recipe.addBase(ChunkRef.pack(run.container(), run.first()));
      }
    }
    ByteBuffer out = ByteBuffer.allocate(recipe.maxLength());
    recipe.write(out);
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  @Test
  void oldRecipesStayReadable() throws IOException {
    for (String name : new String[] {RUNS, LIMITS, BASES}) {
      List<Run> found = new ArrayList<>();
      Recipe.parse(
          ByteBuffer.wrap(read(name)),
          (container, first, count) -> found.add(new Run(container, first, count)));
      List<Run> all = new ArrayList<>(runs(name));
      all.addAll(bases(name));
      assertThat(found).as(name).isEqualTo(all);
      found.clear();
      Recipe.parseChunks(
          ByteBuffer.wrap(read(name)),
          (container, first, count) -> found.add(new Run(container, first, count)));
      assertThat(found).as(name).isEqualTo(runs(name));
    }
  }

  @Test
  void theSameIsWrittenToday() throws IOException {
    for (String name : new String[] {RUNS, LIMITS, BASES}) {
      assertThat(write(name)).as(name).isEqualTo(read(name));
    }
  }

  /** The bytes follow the specification, written by hand. */
  @Test
  void runsByteByByte() throws IOException {
    assertThat(HexFormat.of().formatHex(read(RUNS)))
        .isEqualTo("0103" + "060ac801" + "00d10101" + "038090a10f01");
  }

  /** The bytes follow the specification, written by hand. */
  @Test
  void basesByteByByte() throws IOException {
    assertThat(HexFormat.of().formatHex(read(BASES)))
        .isEqualTo(
            "0203"
                + "060ac801"
                + "00d10101"
                + "038090a10f01"
                + "02"
                + "06b4010a"
                + "f8ffffffff1f0e01");
  }

  /** Writes the files; only a new format version gives a reason, and then for new files. */
  public static void main(String[] args) throws IOException {
    for (String name : new String[] {RUNS, LIMITS, BASES}) {
      Files.write(Path.of(args[0]).resolve(name), write(name));
    }
  }
}
