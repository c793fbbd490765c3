/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NamedBasesTest {

  private final NamedBases bases = new NamedBases();

  private Map<String, Object> told() {
    Map<String, Object> facts = new HashMap<>();
    bases.tell(facts);
    return facts;
  }

  @Test
  void eachIsCountedOnce() {
    assertThat(told()).containsExactly(Map.entry("bases", 0L));
    bases.add(0x1a, 5, 10);
    bases.add(0x1a, 10, 10);
    bases.add(2, 0, 1);
    assertThat(told())
        .containsEntry("bases", 16L)
        .containsEntry("containersOfBases", List.of("000000000002", "00000000001a"))
        .doesNotContainKey("basesLeftOut");
  }

  /** Some bytes of a recipe name millions of chunks. */
  @Test
  void memoryIsBounded() {
    int all = 1 << 24;
    for (int container = 0; container < 100_000; container++) {
      bases.add(container, 0, all);
    }
    long counted = (long) told().get("bases");
    assertThat(counted).isBetween(1L << 28, 1L << 29);
    assertThat(told()).containsEntry("basesLeftOut", 100_000L * all - counted);
  }
}
