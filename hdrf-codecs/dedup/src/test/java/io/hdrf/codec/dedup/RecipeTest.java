/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RecipeTest {

  private static ByteBuffer write(Recipe recipe) {
    ByteBuffer out = ByteBuffer.allocate(recipe.maxLength());
    recipe.write(out);
    return out.flip();
  }

  private static List<Long> chunks(ByteBuffer payload) throws IOException {
    List<Long> chunks = new ArrayList<>();
    Recipe.parse(
        payload,
        (container, first, count) -> {
          for (int i = 0; i < count; i++) {
            chunks.add(ChunkRef.pack(container, first + i));
          }
        });
    return chunks;
  }

  @Test
  void anyChunksComeBack() throws IOException {
    Random random = TestSeed.random("recipe");
    Recipe recipe = new Recipe();
    for (int round = 0; round < 200; round++) {
      List<Long> chunks = new ArrayList<>();
      long ref = 0;
      int count = 1 + random.nextInt(300);
      for (int i = 0; i < count; i++) {
        switch (random.nextInt(4)) {
          case 0 ->
              ref =
                  ChunkRef.pack(
                      random.nextLong(ChunkRef.MAX_CONTAINER + 1),
                      random.nextInt(ChunkRef.MAX_NUMBER + 1));
          case 1 ->
              ref = ChunkRef.pack(ChunkRef.container(ref), random.nextInt(ChunkRef.MAX_NUMBER + 1));
          default ->
              ref =
                  ChunkRef.pack(
                      ChunkRef.container(ref),
                      Math.min(ChunkRef.MAX_NUMBER, ChunkRef.number(ref) + 1));
        }
        chunks.add(ref);
        recipe.add(ref, 1000);
      }
      assertThat(recipe.originalLength()).isEqualTo(1000L * count);
      ByteBuffer payload = write(recipe);
      assertThat(chunks(payload)).isEqualTo(chunks);
    }
  }

  private static List<Long> frame(ByteBuffer payload) throws IOException {
    List<Long> chunks = new ArrayList<>();
    Recipe.parseChunks(
        payload,
        (container, first, count) -> {
          for (int i = 0; i < count; i++) {
            chunks.add(ChunkRef.pack(container, first + i));
          }
        });
    return chunks;
  }

  /**
   * Each once, in order, behind the frame's chunks; whoever decodes the frame does not see them.
   */
  @Test
  void basesAreNamedOnce() throws IOException {
    Random random = TestSeed.random("bases");
    Recipe recipe = new Recipe();
    for (int round = 0; round < 200; round++) {
      List<Long> chunks = new ArrayList<>();
      TreeSet<Long> bases = new TreeSet<>();
      int count = 1 + random.nextInt(200);
      long base = 0;
      for (int i = 0; i < count; i++) {
        long ref = ChunkRef.pack(random.nextInt(3), random.nextInt(1000));
        chunks.add(ref);
        recipe.add(ref, 10);
        if (round % 4 > 0 && random.nextInt(2) == 0) {
          base =
              random.nextBoolean()
                  ? base + 1
                  : ChunkRef.pack(ChunkRef.MAX_CONTAINER - random.nextInt(2), random.nextInt(1000));
          bases.add(base);
          recipe.addBase(base);
        }
      }
      ByteBuffer payload = write(recipe);
      assertThat(payload.get(0)).isEqualTo((byte) (bases.isEmpty() ? 1 : 2));
      assertThat(frame(payload.duplicate())).isEqualTo(chunks);
      List<Long> all = new ArrayList<>(chunks);
      all.addAll(bases);
      assertThat(chunks(payload)).containsExactlyElementsOf(all);
    }
  }

  @Test
  void consecutiveChunksTakeNoRoom() {
    Recipe recipe = new Recipe();
    for (int number = 0; number < 100_000; number++) {
      recipe.add(ChunkRef.pack(1000, number), 8 << 10);
    }
    assertThat(write(recipe).remaining()).isLessThan(12);
  }

  @Test
  void whatIsNoRecipeIsRefused() {
    for (String hex :
        List.of(
            "",
            "00",
            "0100",
            "0101",
            "010100",
            "01010000",
            "0101000000",
            "010100000100",
            "0101010001",
            "01010001ffffffff7f",
            "0101ffffffffffffffffff7f0001",
            "0102000001",
            // Version 2: no bases, cut off, a run too many, a base out of range.
            "02010000" + "01",
            "0201000001" + "00",
            "0201000001" + "010000",
            "0201000001" + "01000001" + "01000001",
            "0201000001" + "01010001")) {
      assertThatThrownBy(() -> chunks(ByteBuffer.wrap(HexFormat.of().parseHex(hex))))
          .as(hex)
          .isInstanceOf(CorruptFrameException.class);
    }
  }

  /** A replica that only a newer program can read is not reported. */
  @Test
  void aLaterVersionIsNotDamage() {
    ByteBuffer payload = ByteBuffer.wrap(new byte[] {3, 1, 2, 0, 1});
    assertThatThrownBy(() -> Recipe.parse(payload, (container, first, count) -> {}))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(CorruptFrameException.class)
        .hasMessageContaining("version 3");
  }
}
