/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.VerifyResult;
import io.hdrf.read.FrameCheck;
import io.hdrf.spi.io.CorruptFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Compares decoded frames with the checksums that HDFS keeps of the block. Thread-safe. */
final class ChunkCheck implements FrameCheck {

  private final Path name;
  private final BlockChecksums checksums;

  /**
   * @param checksums of a block for which {@link #covers} holds
   */
  ChunkCheck(Path name, BlockChecksums checksums) {
    this.name = name;
    this.checksums = checksums;
  }

  /** Whether there is a checksum for each byte, and each frame begins where a checksum does. */
  static boolean covers(BlockChecksums checksums, ReducedBlock block) {
    if (checksums.type() == BlockChecksums.Type.NULL
        || !checksums.isComplete(block.logicalLength())) {
      return false;
    }
    for (int frame = 0; frame < block.frames().frameCount(); frame++) {
      if (block.frames().originalPosition(frame) % checksums.bytesPerChecksum() != 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void check(long position, ByteBuffer decoded) throws IOException {
    VerifyResult result = checksums.verify(position, decoded);
    if (!result.isOk()) {
      throw new CorruptFileException(
          name, "checksums from " + position + " on", "those of the block", result);
    }
  }
}
