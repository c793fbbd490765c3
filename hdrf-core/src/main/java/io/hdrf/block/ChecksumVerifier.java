/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Compares a stream of data with a block's checksums. Its memory does not depend on the block or on
 * the bytes per checksum. For one thread.
 */
public final class ChecksumVerifier {

  /** Those of 4 MiB in chunks of 512 bytes. */
  private static final int MAX_SUMS = 8 << 10;

  private final BlockChecksums checksums;
  private final ChunkSums found;
  private final ByteBuffer expected;

  private long chunk;
  private VerifyResult failure;

  ChecksumVerifier(BlockChecksums checksums) {
    this(checksums, 0, Long.MAX_VALUE);
  }

  /**
   * @param chunk the number of the first chunk of the stream
   * @param length how many bytes will come at most
   */
  ChecksumVerifier(BlockChecksums checksums, long chunk, long length) {
    this.checksums = checksums;
    this.chunk = chunk;
    long chunks = 1 + Math.min(MAX_SUMS - 1, length / checksums.bytesPerChecksum());
    this.expected = ByteBuffer.allocate((int) chunks * BlockChecksums.CHECKSUM_LENGTH);
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
