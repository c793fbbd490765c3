/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.MetaFiles;
import io.hdrf.block.ReducedBlock;
import io.hdrf.read.ReducedFile;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChunkCheckTest {

  private static final int FRAME = HookedScheme.FRAME_LENGTH;
  private static final int LENGTH = 3 * FRAME + 777;

  @TempDir Path directory;

  private final Random random = TestSeed.random(ChunkCheckTest.class.getName());
  private final byte[] data = TestData.TEXT.bytes(LENGTH, random);
  private ReducedFile file;
  private ReducedBlock block;

  @BeforeEach
  void open() throws IOException {
    file = new ReducedFile(directory, data);
    block = file.open();
  }

  @AfterEach
  void close() throws IOException {
    block.close();
    file.close();
  }

  /** The checksums of the first bytes. */
  private BlockChecksums checksums(DataChecksum.Type type, int bytesPerChecksum, int length)
      throws IOException {
    return MetaFiles.open(type, bytesPerChecksum, Arrays.copyOf(data, length));
  }

  private static ByteBuffer direct(byte[] bytes) {
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length);
    direct.put(bytes).flip();
    return direct;
  }

  /** Frames are of 64 KiB. */
  @ParameterizedTest
  @CsvSource({
    "CRC32C, 512, true",
    "CRC32C, 65536, true",
    "CRC32, 4096, true",
    "CRC32C, 100, false",
    "CRC32, 2147483647, false",
    "NULL, 512, false",
  })
  void framesBeginWhereChecksumsDo(DataChecksum.Type type, int bytesPerChecksum, boolean covers)
      throws IOException {
    try (BlockChecksums checksums = checksums(type, bytesPerChecksum, LENGTH)) {
      assertThat(ChunkCheck.covers(checksums, block)).isEqualTo(covers);
    }
  }

  @Test
  void aBlockWithoutAllItsChecksumsIsNotCovered() throws IOException {
    try (BlockChecksums checksums = checksums(DataChecksum.Type.CRC32C, 512, LENGTH - 777)) {
      assertThat(ChunkCheck.covers(checksums, block)).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({"CRC32C, 512", "CRC32, 512", "CRC32C, 32768"})
  void aWrongByteIsFoundInAnyRunOfFrames(DataChecksum.Type type, int bytesPerChecksum)
      throws IOException {
    try (BlockChecksums checksums = checksums(type, bytesPerChecksum, LENGTH)) {
      ChunkCheck check = new ChunkCheck(Path.of("blk_1"), checksums);
      for (int first = 0; first < block.frames().frameCount(); first++) {
        for (int last = first; last < block.frames().frameCount(); last++) {
          int from = (int) block.frames().originalPosition(first);
          int to = (int) block.frames().originalEnd(last);
          byte[] run = Arrays.copyOfRange(data, from, to);
          check.check(from, direct(run));
          run[random.nextInt(run.length)] ^= (byte) (1 + random.nextInt(255));
          assertThatThrownBy(() -> check.check(from, direct(run)))
              .isInstanceOf(CorruptFileException.class)
              .hasMessageContaining("blk_1");
        }
      }
    }
  }

  /** The right bytes of another place. */
  @Test
  void framesInTheWrongPlaceAreFound() throws IOException {
    try (BlockChecksums checksums = checksums(DataChecksum.Type.CRC32C, 512, LENGTH)) {
      ChunkCheck check = new ChunkCheck(Path.of("blk_1"), checksums);
      byte[] second = Arrays.copyOfRange(data, FRAME, 2 * FRAME);
      assertThatThrownBy(() -> check.check(0, direct(second)))
          .isInstanceOf(CorruptFileException.class);
    }
  }
}
