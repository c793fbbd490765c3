/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.io.BufferPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * What a block holds, in 32 bytes: the SHA-256 of its checksums, one CRC32C for each {@value
 * #CHUNK_LENGTH} bytes, as they stand in a {@code .meta} file by HDFS's defaults. Data that were
 * seen once can so be compared with the block's checksums later, as strictly as if they were still
 * there. For one thread.
 */
public final class ContentDigest {

  /** Bytes of data for each checksum, HDFS's default. */
  public static final int CHUNK_LENGTH = 512;

  private static final int BUFFER = 64 << 10;

  private final ChunkSums sums =
      new ChunkSums(BlockChecksums.Type.CRC32C, CHUNK_LENGTH, this::accept);
  private final MessageDigest digest = sha256();
  private final ByteBuffer pending = ByteBuffer.allocate(4096);

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private boolean accept(int sum) {
    if (!pending.hasRemaining()) {
      flush();
    }
    pending.putInt(sum);
    return true;
  }

  private void flush() {
    digest.update(pending.array(), 0, pending.position());
    pending.clear();
  }

  /**
   * Takes the next bytes of the block.
   *
   * @param data consumed; best direct
   */
  public void update(ByteBuffer data) {
    try {
      sums.update(data);
    } catch (IOException e) {
      throw new UncheckedIOException("nothing is read here", e);
    }
  }

  /**
   * Takes the checksums of the next bytes of the block in their place. All before must have been
   * whole chunks, and so must these be unless they are the block's last.
   *
   * @param checksums a CRC32C for each chunk, big endian; not consumed
   */
  public void updateBySums(ByteBuffer checksums) {
    flush();
    digest.update(checksums.duplicate());
  }

  /** Takes the end of the block. To be called once. */
  public byte[] finish() {
    try {
      sums.finish();
    } catch (IOException e) {
      throw new UncheckedIOException("nothing is read here", e);
    }
    flush();
    return digest.digest();
  }

  /**
   * The digest of a block with these checksums.
   *
   * @return null if they are of another kind, or do not cover the block
   */
  public static byte[] of(BlockChecksums checksums, long blockLength) throws IOException {
    if (checksums.type() != BlockChecksums.Type.CRC32C
        || checksums.bytesPerChecksum() != CHUNK_LENGTH
        || !checksums.isComplete(blockLength)) {
      return null;
    }
    MessageDigest digest = sha256();
    long chunks = (blockLength + CHUNK_LENGTH - 1) / CHUNK_LENGTH;
    ByteBuffer buffer = BufferPool.shared().take(BUFFER);
    try {
      long perBuffer = buffer.capacity() / BlockChecksums.CHECKSUM_LENGTH;
      for (long chunk = 0; chunk < chunks; ) {
        buffer.clear();
        int count = (int) Math.min(perBuffer, chunks - chunk);
        buffer.limit(count * BlockChecksums.CHECKSUM_LENGTH);
        checksums.read(chunk, buffer);
        if (buffer.hasRemaining()) {
          return null;
        }
        buffer.flip();
        digest.update(buffer);
        chunk += count;
      }
    } finally {
      BufferPool.shared().give(buffer);
    }
    return digest.digest();
  }
}
