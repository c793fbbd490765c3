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
   * @param metaFile the block's {@code .meta} file
   */
  static boolean holds(Path blockFile, Path metaFile) throws IOException {
    return holds(blockFile, metaFile, BlockVerifier::provesPlain);
  }

  /**
   * As the other one, but what has no checksums is not proved: an earlier version may have reduced
   * it. For volumes of which nothing else is known.
   */
  static boolean holdsByChecksums(Path blockFile, Path metaFile) throws IOException {
    return holds(
        blockFile,
        metaFile,
        (file, checksums) -> !checksums.isNone() && BlockVerifier.provesPlain(file, checksums));
  }

  private interface Proof {
    boolean holds(ReadableFile file, BlockChecksums checksums) throws IOException;
  }

  private static boolean holds(Path blockFile, Path metaFile, Proof proof) throws IOException {
    try (ChannelFile file = ChannelFile.open(blockFile);
        ChannelFile meta = ChannelFile.open(metaFile);
        BlockChecksums checksums = BlockChecksums.open(metaFile, meta)) {
      return proof.holds(file, checksums);
    } catch (NoSuchFileException | CorruptFileException e) {
      return false;
    }
  }
}
