/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Compares a stream of data with a block's checksums. Its memory does not depend on the block or on
 * the bytes per checksum. For one thread.
 */
public final class ChecksumVerifier {

  /** Room for the checksums of 4 MiB in chunks of 512 bytes. */
  private static final int SUMS_BUFFER = 32 << 10;

  private final BlockChecksums checksums;
  private final ChunkSums found;
  private final ByteBuffer expected = ByteBuffer.allocate(SUMS_BUFFER);

  private long chunk;
  private VerifyResult failure;

  ChecksumVerifier(BlockChecksums checksums) {
    this.checksums = checksums;
    this.found = new ChunkSums(checksums.type(), checksums.bytesPerChecksum(), this::check);
    this.expected.limit(0);
  }

  /**
   * Takes the next bytes of the block.
   *
   * @param data consumed; best direct
   * @return false if a mismatch was found, so that more data can't change the result
   */
  public boolean update(ByteBuffer data) throws IOException {
    found.update(data);
    return failure == null;
  }

  /** Ends the verification. */
  public VerifyResult finish() throws IOException {
    found.finish();
    return failure == null ? VerifyResult.OK : failure;
  }

  private boolean check(int sum) throws IOException {
    if (expected.remaining() < BlockChecksums.CHECKSUM_LENGTH) {
      expected.clear();
      checksums.read(chunk, expected);
      expected.flip();
      if (expected.remaining() < BlockChecksums.CHECKSUM_LENGTH) {
        failure = VerifyResult.INCOMPLETE;
        return false;
      }
    }
    if (expected.getInt() != sum) {
      failure = VerifyResult.mismatch(chunk * checksums.bytesPerChecksum());
    }
    chunk++;
    return failure == null;
  }
}
