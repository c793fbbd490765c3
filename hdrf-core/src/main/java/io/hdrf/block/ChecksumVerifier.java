/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.jni.Crc32c;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * Compares a stream of data with a block's checksums. Its memory does not depend on the block or on
 * the bytes per checksum. For one thread.
 */
public final class ChecksumVerifier {

  /** Room for the checksums of 4 MiB in chunks of 512 bytes. */
  private static final int SUMS_BUFFER = 32 << 10;

  /** How many checksums are made at once. */
  private static final int BATCH = 1024;

  private final BlockChecksums checksums;
  private final int chunkLength;
  private final boolean castagnoli;
  private final CRC32 crc32 = new CRC32();
  private final ByteBuffer sums = ByteBuffer.allocate(SUMS_BUFFER);
  private final int[] ends;
  private final int[] found;

  private long chunk;
  private int inChunk;
  private int crc32c;
  private VerifyResult failure;

  ChecksumVerifier(BlockChecksums checksums) {
    this.checksums = checksums;
    this.chunkLength = checksums.bytesPerChecksum();
    this.castagnoli = checksums.type() == BlockChecksums.Type.CRC32C;
    this.sums.limit(0);
    this.ends = new int[Math.max(1, Math.min(BATCH, Integer.MAX_VALUE / chunkLength))];
    this.found = new int[ends.length];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = (i + 1) * chunkLength;
    }
  }

  /**
   * Takes the next bytes of the block.
   *
   * @param data consumed; best direct
   * @return false if something is wrong already, so that more data can't change the result
   */
  public boolean update(ByteBuffer data) throws IOException {
    int end = data.limit();
    while (failure == null && data.position() < end) {
      int length = Math.min(chunkLength - inChunk, end - data.position());
      if (length == chunkLength) {
        wholeChunks(data);
      } else {
        partOfChunk(data, length);
      }
    }
    data.position(end);
    return failure == null;
  }

  /** Takes the end of the block. */
  public VerifyResult finish() throws IOException {
    if (failure == null && inChunk > 0) {
      endChunk();
    }
    return failure == null ? VerifyResult.OK : failure;
  }

  private void wholeChunks(ByteBuffer data) throws IOException {
    int begin = data.position();
    int end = data.limit();
    int count = 1;
    if (castagnoli) {
      count = Math.min(ends.length, data.remaining() / chunkLength);
      Crc32c.ofEach(data, ends, count, found);
    } else {
      data.limit(begin + chunkLength);
      crc32.reset();
      crc32.update(data);
      data.limit(end);
      found[0] = (int) crc32.getValue();
    }
    for (int i = 0; failure == null && i < count; i++) {
      check(found[i]);
    }
    data.position(begin + count * chunkLength);
  }

  private void partOfChunk(ByteBuffer data, int length) throws IOException {
    int end = data.limit();
    int begin = data.position();
    data.limit(begin + length);
    if (castagnoli) {
      crc32c = Crc32c.update(crc32c, data);
    } else {
      if (inChunk == 0) {
        crc32.reset();
      }
      crc32.update(data);
    }
    data.limit(end);
    data.position(begin + length);
    inChunk += length;
    if (inChunk == chunkLength) {
      endChunk();
    }
  }

  private void endChunk() throws IOException {
    check(castagnoli ? crc32c : (int) crc32.getValue());
    inChunk = 0;
    crc32c = 0;
  }

  private void check(int sum) throws IOException {
    if (sums.remaining() < BlockChecksums.CHECKSUM_LENGTH) {
      sums.clear();
      checksums.read(chunk, sums);
      sums.flip();
      if (sums.remaining() < BlockChecksums.CHECKSUM_LENGTH) {
        failure = VerifyResult.INCOMPLETE;
        return;
      }
    }
    if (sums.getInt() != sum) {
      failure = VerifyResult.mismatch(chunk * chunkLength);
    }
    chunk++;
  }
}
