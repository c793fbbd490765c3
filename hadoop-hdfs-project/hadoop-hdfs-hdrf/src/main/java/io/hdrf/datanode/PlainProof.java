/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockVerifier;
import io.hdrf.io.ChannelFile;
import io.hdrf.io.CorruptFileException;
import io.hdrf.io.ReadableFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Proof that a file which begins like a reduced block is plain all the same: a user's data that
 * look so. The bytes as they lie match the block's checksums, which those of a reduced block never
 * do, or there are no checksums, without which no block is reduced.
 */
final class PlainProof {

  private PlainProof() {}

  /**
   * Whether the file's bytes match the checksums. Reads all of it, unless there are none.
   *
   * @param file the block's own, which stays open
   * @param metaFile the block's {@code .meta} file
   * @param reducedMayLackChecksums see {@link BlockVerifier#provesPlain}
   */
  static boolean holds(ReadableFile file, Path metaFile, boolean reducedMayLackChecksums)
      throws IOException {
    try (ChannelFile meta = ChannelFile.open(metaFile);
        BlockChecksums checksums = BlockChecksums.open(metaFile, meta)) {
      return BlockVerifier.provesPlain(file, checksums, reducedMayLackChecksums);
    } catch (NoSuchFileException | CorruptFileException e) {
      return false;
    }
  }

  /** As the other one, for a file of which the generation stamp is not known. */
  static boolean holds(Path blockFile, boolean reducedMayLackChecksums) throws IOException {
    try (ChannelFile file = ChannelFile.open(blockFile)) {
      return holds(file, MetaFiles.of(blockFile), reducedMayLackChecksums);
    }
  }
}
