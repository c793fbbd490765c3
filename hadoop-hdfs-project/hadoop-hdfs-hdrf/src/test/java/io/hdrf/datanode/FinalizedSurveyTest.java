/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.BlockIdentity;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is found on a volume whose superblock is missing. */
class FinalizedSurveyTest {

  private static final String POOL = "BP-1";
  private static final int CRC32C = 2;
  private static final int NONE = 0;

  @TempDir Path pool;

  private void require() throws IOException {
    new FinalizedSurvey(pool, POOL).requireNoReducedBlocks(pool.resolve("hdrf"));
  }

  private Path block(int checksumType) throws IOException {
    Path directory = Files.createDirectories(pool.resolve("current/finalized/subdir0/subdir0"));
    // Version 1, the type, 512 bytes a checksum.
    Files.write(
        directory.resolve("blk_1_1001.meta"), new byte[] {0, 1, (byte) checksumType, 0, 0, 2, 0});
    return directory.resolve("blk_1");
  }

  /** Earlier versions reduced blocks without checksums, too. */
  @ParameterizedTest
  @ValueSource(ints = {CRC32C, NONE})
  void reducedBlocksKeepTheVolumeFromStarting(int checksumType) throws IOException {
    Path file = block(checksumType);
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.create(
            LocalDurableFiles.INSTANCE,
            file,
            new BlockIdentity(POOL, 1),
            10_000,
            new int[] {7},
            new TagKey(new byte[TagKey.LENGTH]),
            10_000)) {
      writer.frame(10_000, 1, ByteBuffer.allocateDirect(100));
      writer.finish();
    }
    assertThatThrownBy(this::require)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is a reduced block, but the volume's superblock is missing");
  }

  @Test
  void plainBlocksDoNot() throws IOException {
    Files.write(block(NONE), new byte[10_000]);
    require();
  }
}
