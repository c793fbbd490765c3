/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.io.BytesFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Reads any bytes as a reduced block. Runs on the kept inputs; with {@code JAZZER_FUZZ=1} and one
 * method chosen, it looks for new ones.
 */
class BlockFuzzTest {

  private static final Path NAME = Path.of("blk_1073741825");
  private static final int MAX_LENGTH = 1 << 20;

  @FuzzTest(maxDuration = "1m")
  void anyBytes(byte[] file) throws IOException {
    read(file);
  }

  /** With right CRCs and tag, to reach the code after these checks. */
  @FuzzTest(maxDuration = "1m")
  void signedBytes(byte[] file) throws IOException {
    if (file.length >= BlockFormat.HEADER_LENGTH) {
      read(BlockDamageTest.repair(file));
    }
  }

  @FuzzTest(maxDuration = "1m")
  void anyMeta(byte[] meta) throws IOException {
    try {
      BlockChecksums checksums = MetaFiles.open(meta);
      if (checksums.type() != BlockChecksums.Type.NULL) {
        ChecksumVerifier verifier = checksums.verifier();
        verifier.update(ByteBuffer.wrap(new byte[2000]));
        verifier.finish();
      }
    } catch (CorruptFileException expected) {
      // Refused.
    }
  }

  private static void read(byte[] file) throws IOException {
    if (file.length > MAX_LENGTH) {
      return;
    }
    try {
      ReducedBlock block =
          ReducedBlock.open(NAME, new BytesFile(file), TestBlock.ID, TestBlock.KEY);
      ByteBuffer data = ByteBuffer.allocate(file.length);
      if (BlockReads.read(block, 0, data, ToyFrames.CODEC) != block.logicalLength()) {
        throw new AssertionError("a short read");
      }
    } catch (CorruptFileException | UnknownFormatVersionException expected) {
      // Refused.
    }
  }
}
