/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VolumeUseTest {

  private static VolumeUse.Builder builder() {
    return new VolumeUse.Builder("DS-1", "BP-1", "/data/1/current/BP-1/hdrf", "SSD", 1_600L);
  }

  @Test
  void whatIsSentIsRead() throws IOException {
    String line =
        builder()
            .obstacle("the store\tis down")
            .blocks("dedup,zstd", new BlockSum(2, 1000, 10))
            .blocks("dedup,zstd", new BlockSum(1, 500, 5))
            .blocks(VolumeUse.PLAIN, new BlockSum(1, 70, 70))
            .reason("Small", 1)
            .unrecorded(4)
            .files(Map.of("dedup/containers", 300L, "", 8L))
            .scheme(3, "dedup")
            .worst(new WorstBlock(-7, 1000, 999, "plain (a: b)\t"))
            .build()
            .encode();
    assertThat(line).doesNotContain("\n");
    VolumeUse use = VolumeUse.decode(line);
    assertThat(use.storageId()).isEqualTo("DS-1");
    assertThat(use.poolId()).isEqualTo("BP-1");
    assertThat(use.directory()).isEqualTo("/data/1/current/BP-1/hdrf");
    assertThat(use.storageType()).isEqualTo("SSD");
    assertThat(use.time()).isEqualTo(1_600L);
    assertThat(use.obstacle()).isEqualTo("the store is down");
    assertThat(use.chains())
        .containsOnly(
            Map.entry("dedup,zstd", new BlockSum(3, 1500, 15)),
            Map.entry(VolumeUse.PLAIN, new BlockSum(1, 70, 70)));
    assertThat(use.reasons()).containsOnly(Map.entry("Small", 1L));
    assertThat(use.unrecorded()).isEqualTo(4);
    assertThat(use.files()).containsOnly(Map.entry("dedup/containers", 300L), Map.entry("", 8L));
    WorstBlock worst = use.worst().get(0);
    assertThat(worst.id()).isEqualTo(-7);
    assertThat(worst.logicalBytes()).isEqualTo(1000);
    assertThat(worst.fileBytes()).isEqualTo(999);
    assertThat(worst.how()).isEqualTo("plain (a: b) ");
    assertThat(use.schemes()).containsOnly(Map.entry(3, "dedup"));
    assertThat(use.all()).isEqualTo(new BlockSum(4, 1570, 85));
    assertThat(use.fileBytes()).isEqualTo(308);
  }

  @Test
  void whatALaterBuildAddsIsLeftOut() throws IOException {
    String line = builder().unrecorded(1).build().encode() + "\tcolour=green\tchain.lz4=1:2:3";
    assertThat(VolumeUse.decode(line).chains())
        .containsOnly(Map.entry("lz4", new BlockSum(1, 2, 3)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "DS-1\tBP-1",
        "a\tb\tc\td\te\tnow",
        "a\tb\tc\td\te\t1\tnothing",
        "a\tb\tc\td\te\t1\tchain.lz4=1:2",
        "a\tb\tc\td\te\t1\tfiles.x=many",
        "a\tb\tc\td\te\t1\tworst.x=1:2:plain",
        "a\tb\tc\td\te\t1\tworst.5=1:2",
        "a\tb\tc\td\te\t1\tscheme.x=lz4"
      })
  void somethingElseIsRefused(String line) {
    assertThatThrownBy(() -> VolumeUse.decode(line))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no sums of a volume");
  }

  @Test
  void filesAreSummedByTheirFirstTwoDirectories(@TempDir Path hdrf) throws IOException {
    assertThat(StoreBytes.byDirectory(hdrf.resolve("missing"), () -> true)).isEmpty();
    Map<String, Integer> files =
        Map.of(
            "superblock.0", 3,
            "tmp/blk_1", 4,
            "dedup/containers/a.hdc", 5,
            "dedup/containers/deeper/b.hdc", 6,
            "dedup/filters/c", 7);
    for (Map.Entry<String, Integer> file : files.entrySet()) {
      Path path = hdrf.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, new byte[file.getValue()]);
    }
    assertThat(StoreBytes.byDirectory(hdrf, () -> true))
        .containsOnly(
            Map.entry("", 3L), Map.entry("dedup/containers", 11L), Map.entry("dedup/filters", 7L));
    assertThat(StoreBytes.of(hdrf)).isEqualTo(21);
  }

  @Test
  void aDirectoryThatCannotBeReadIsNotEmpty(@TempDir Path hdrf) throws IOException {
    // Root may read all directories, so the name is too long for the file system.
    Path tooLong = hdrf.resolve("x".repeat(300));
    assertThatThrownBy(() -> StoreBytes.byDirectory(tooLong, () -> true))
        .isInstanceOf(IOException.class);
    assertThat(StoreBytes.byDirectory(hdrf, () -> true)).isEmpty();
  }

  @Test
  void blockIdsAreReadAsTheyWereWritten() throws IOException {
    long[] ids = {1, -5, Long.MIN_VALUE, 9};
    assertThat(BlockIds.decode(BlockIds.encode(ids, 3))).containsExactly(1, -5, Long.MIN_VALUE);
    assertThat(BlockIds.decode(BlockIds.encode(ids, 0))).isEmpty();
    byte[] tooMany =
        BlockIds.encode(new long[RecordPage.MAX_BLOCKS + 1], RecordPage.MAX_BLOCKS + 1);
    for (byte[] wrong : new byte[][] {{}, {2}, {1, 0}, tooMany}) {
      assertThatThrownBy(() -> BlockIds.decode(wrong)).isInstanceOf(IOException.class);
    }
  }
}
