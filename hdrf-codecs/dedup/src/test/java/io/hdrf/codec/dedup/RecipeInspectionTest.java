/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.StoredPayloads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecipeInspectionTest {

  private final Map<String, Object> facts = new LinkedHashMap<>();

  private static byte[] read(String name) throws IOException {
    try (var in = RecipeInspectionTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  private void inspect(boolean lists, byte[]... recipes) throws IOException {
    StoredPayloads payloads =
        visitor -> {
          for (byte[] recipe : recipes) {
            visitor.frame(7, 1000, ByteBuffer.allocateDirect(recipe.length).put(recipe).flip());
          }
        };
    facts.clear();
    new DedupScheme().inspectPayloads(payloads, lists, facts);
  }

  /** What several frames name counts once. */
  @Test
  void basesAreNamedApartFromChunks() throws IOException {
    byte[] bases = read("recipe-v2-bases.golden");
    inspect(true, bases, read("recipe-v1-runs.golden"), bases);
    assertThat(facts)
        .containsEntry("recipeVersion", 2)
        .containsEntry("chunks", 3 * 202L)
        .containsEntry("containers", List.of("000000000001", "000000000003"))
        .containsEntry("bases", 11L)
        .containsEntry("containersOfBases", List.of("000000000003", "007fffffffff"));
    List<?> named = (List<?>) facts.get("namedList");
    assertThat(named).hasSize(5 + 3 + 5);
    assertThat(named.get(3))
        .isEqualTo(
            Map.of(
                "frame",
                0,
                "names",
                "bases",
                "container",
                "000000000003",
                "first",
                90,
                "count",
                10));
    assertThat(named).last().extracting("frame").isEqualTo(2);
    inspect(false, bases);
    assertThat(facts).containsEntry("bases", 11L).doesNotContainKey("namedList");
  }

  /** However many chunks a recipe names that anybody may have written, it takes little memory. */
  @Test
  void withoutBasesThereAreNone() throws IOException {
    inspect(true, read("recipe-v1-limits.golden"));
    assertThat(facts)
        .containsEntry("recipeVersion", 1)
        .containsEntry("chunks", 2L + 2 * (ChunkRef.MAX_NUMBER + 1L))
        .containsEntry("bases", 0L)
        .doesNotContainKey("containersOfBases");
  }

  @Test
  void damageAndLaterVersionsAreSaid() throws IOException {
    byte[] recipe = read("recipe-v2-bases.golden");
    byte[] later = recipe.clone();
    later[0] = 3;
    assertThatThrownBy(() -> inspect(true, recipe, later))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(CorruptFrameException.class)
        .hasMessageContaining("version 3");
    assertThat(facts).containsEntry("recipeVersion", 3).containsEntry("bases", 11L);
    byte[] damaged = java.util.Arrays.copyOf(recipe, recipe.length - 1);
    assertThatThrownBy(() -> inspect(true, damaged)).isInstanceOf(CorruptFrameException.class);
  }
}
