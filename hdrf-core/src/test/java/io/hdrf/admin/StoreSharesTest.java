/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class StoreSharesTest {

  @Test
  void aStoreIsSharedByTheBlocksThatUseIt() {
    VolumeUse use =
        new VolumeUse.Builder("DS-1", "BP-1", "/data/1", "DISK", 0)
            .blocks("dedup", new BlockSum(1, 1000, 10))
            .blocks("dedup,zstd", new BlockSum(1, 3000, 30))
            .blocks("lz4", new BlockSum(1, 5000, 500))
            .blocks(VolumeUse.PLAIN, new BlockSum(1, 100, 100))
            .files(
                Map.of(
                    "dedup/containers",
                    700L,
                    "dedup/filters",
                    100L,
                    "metadata-embedded",
                    9L,
                    "",
                    20L))
            .build();
    StoreShares shares = new StoreShares(use);
    assertThat(shares.of("dedup", 1000)).hasValue(200);
    assertThat(shares.of("dedup,zstd", 1500)).hasValue(300);
    assertThat(shares.of("lz4", 5000)).hasValue(0);
    assertThat(shares.of(VolumeUse.PLAIN, 5000)).hasValue(0);
    assertThat(shares.unshared()).isEqualTo(29);
  }

  @Test
  void aStoreThatNoBlockUsesBelongsToNone() {
    VolumeUse use =
        new VolumeUse.Builder("DS-1", "BP-1", "/data/1", "DISK", 0)
            .blocks("lz4", new BlockSum(1, 5000, 500))
            .files(Map.of("dedup/containers", 700L))
            .build();
    assertThat(new StoreShares(use).unshared()).isEqualTo(700);
  }

  @Test
  void theShareOfPartOfTheBlocksIsNotKnown() {
    VolumeUse use =
        new VolumeUse.Builder("DS-1", "BP-1", "/data/1", "DISK", 0)
            .obstacle("the store is down")
            .blocks("dedup", new BlockSum(1, 100, 10))
            .files(Map.of("dedup/containers", 700L))
            .build();
    StoreShares shares = new StoreShares(use);
    assertThat(shares.of("dedup", 4000)).isEmpty();
    assertThat(shares.of("lz4", 4000)).hasValue(0);
    assertThat(shares.of(VolumeUse.PLAIN, 4000)).hasValue(0);
    assertThat(shares.unshared()).isEqualTo(700);
  }
}
