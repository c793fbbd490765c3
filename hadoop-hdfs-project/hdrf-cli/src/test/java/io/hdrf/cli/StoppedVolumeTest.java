/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.LocalDurableFiles;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoppedVolumeTest {
  private static final long BLOCK = 1073741825L + (7 << 16) + (3 << 8);

  @TempDir Path volume;
  private Path pool;

  @BeforeEach
  void makeVolume() throws IOException {
    pool = Files.createDirectories(volume.resolve("current").resolve("BP-1-127.0.0.1-2"));
    Files.writeString(volume.resolve("current").resolve("VERSION"), "storageID=DS-5\n");
  }

  private Path blockFile(long id) throws IOException {
    Path directory =
        Files.createDirectories(
            pool.resolve("current").resolve("finalized").resolve("subdir7").resolve("subdir3"));
    return directory.resolve("blk_" + id);
  }

  @Test
  void findsThePoolsOfHdrfAndTheirBlocks() throws IOException {
    assertThat(StoppedVolume.poolsOf(volume)).as("without a superblock").isEmpty();
    Superblock.create(pool.resolve("hdrf"), LocalDurableFiles.INSTANCE);
    Files.write(blockFile(BLOCK), new byte[100]);
    Files.write(blockFile(BLOCK).resolveSibling("blk_" + BLOCK + "_1001.meta"), new byte[7]);
    List<StoppedVolume> pools = StoppedVolume.poolsOf(volume);
    assertThat(pools).hasSize(1);
    StoppedVolume found = pools.get(0);
    assertThat(found.storageId()).isEqualTo("DS-5");
    assertThat(found.poolId()).isEqualTo("BP-1-127.0.0.1-2");
    assertThat(found.blockIds()).containsExactly(BLOCK);
    BlockRecord record = found.look(BLOCK, BlockRecord.NO_REASON);
    assertThat(record.isReduced()).isFalse();
    assertThat(record.logicalLength()).isEqualTo(100);
    assertThat(record.location()).isEqualTo("subdir7/subdir3");
    assertThat(found.look(BLOCK + 1, BlockRecord.NO_REASON)).isNull();
  }

  @Test
  void damagedBlockIsNoPlainOne() throws IOException {
    Superblock.create(pool.resolve("hdrf"), LocalDurableFiles.INSTANCE);
    byte[] damaged = new byte[100];
    System.arraycopy(new byte[] {(byte) 0x89, 'H', 'R', 'B', 1}, 0, damaged, 0, 5);
    Files.write(blockFile(BLOCK), damaged);
    StoppedVolume found = StoppedVolume.poolsOf(volume).get(0);
    assertThatThrownBy(() -> found.look(BLOCK, BlockRecord.NO_REASON))
        .hasMessageContaining("blk_" + BLOCK);
  }

  @Test
  void anotherDirectoryIsNamed() {
    assertThatThrownBy(() -> StoppedVolume.poolsOf(volume.resolve("nowhere")))
        .hasMessageContaining("nowhere is no volume of a DataNode");
  }
}
