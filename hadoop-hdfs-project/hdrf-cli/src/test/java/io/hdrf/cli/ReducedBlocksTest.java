/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReducedBlocksTest {
  @TempDir private Path volume;
  private BlockOnVolume reduced;

  @BeforeEach
  void writeBlock() throws IOException {
    reduced = new BlockOnVolume(volume);
    Files.writeString(volume.resolve("current/VERSION"), "storageID=DS-5\n");
  }

  @Test
  void countsReducedBlocksOnly() throws IOException {
    Path plain = reduced.block.resolveSibling("blk_78");
    Files.write(plain, reduced.data);
    BlockOnVolume.writeMeta(reduced.block.resolveSibling("blk_78_1.meta"), reduced.data);
    Files.write(reduced.block.resolveSibling("blk_79"), new byte[3]);
    assertThat(ReducedBlocks.count(volume)).isEqualTo(1);
    Files.delete(reduced.block);
    assertThat(ReducedBlocks.count(volume)).isZero();
  }

  @Test
  void blocksOfAnOpenUpgradeAndInTheTrashCount() throws IOException {
    Path pool = volume.resolve("current").resolve(BlockOnVolume.POOL);
    for (String place : new String[] {"previous/finalized/subdir0", "trash/finalized/subdir0"}) {
      Path directory = Files.createDirectories(pool.resolve(place));
      Files.copy(reduced.block, directory.resolve("blk_77"));
    }
    assertThat(ReducedBlocks.count(volume)).isEqualTo(3);
  }

  /** Lost, it is no proof that there is nothing to lose. */
  @Test
  void reducedBlocksWithoutASuperblockCount() throws IOException {
    FileUtil.fullyDelete(reduced.hdrf.toFile());
    assertThat(reduced.hdrf).doesNotExist();
    assertThat(ReducedBlocks.count(volume)).isEqualTo(1);
  }

  /** A file that a user has stored and whose bytes are those of a reduced block. */
  @Test
  void dataThatLookLikeAReducedBlockDoNotCountIfTheyMatchTheirChecksums() throws IOException {
    byte[] lookAlike = Files.readAllBytes(reduced.block);
    Path other = reduced.block.resolveSibling("blk_80");
    Files.write(other, lookAlike);
    assertThat(ReducedBlocks.count(volume)).as("nothing proves that it is data").isEqualTo(2);
    BlockOnVolume.writeMeta(reduced.block.resolveSibling("blk_80_1.meta"), lookAlike);
    assertThat(ReducedBlocks.count(volume)).isEqualTo(1);
  }

  @Test
  void whatIsNoVolumeIsNamed() {
    assertThatThrownBy(() -> ReducedBlocks.count(volume.resolve("current")))
        .hasMessageContaining("current is no volume of a DataNode");
  }

  @Test
  void aVolumeWhoseLockNobodyHoldsIsNotInUse() throws IOException {
    assertThat(ReducedBlocks.isInUse(volume)).isFalse();
    Files.createFile(volume.resolve("in_use.lock"));
    assertThat(ReducedBlocks.isInUse(volume)).isFalse();
  }
}
