/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.ChunkSums;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The checksums of one packet after the other, as HDFS's clients make them by its defaults: a
 * CRC32C, big endian, for each 512 bytes of data from the packet's first on. For one thread.
 */
public final class PacketSums {

  /** Bytes of data for each checksum, HDFS's default. */
  private static final int CHUNK_LENGTH = 512;

  private final ChunkSums sums =
      new ChunkSums(BlockChecksums.Type.CRC32C, CHUNK_LENGTH, this::accept);
  private final MessageDigest sha256;
  private final byte[] hash = new byte[32];
  private ByteBuffer made = ByteBuffer.allocate(0);

  public PacketSums() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private boolean accept(int sum) {
    made.putInt(sum);
    return true;
  }

  /** Bytes of the checksums for so many bytes of data. */
  public static int length(int dataLength) {
    return (int) ((dataLength + CHUNK_LENGTH - 1L) / CHUNK_LENGTH * BlockChecksums.CHECKSUM_LENGTH);
  }

  /**
   * Makes a packet's checksums, which replace those of the packet before.
   *
   * @param data not consumed; best direct
   */
  public void make(ByteBuffer data) {
    int length = length(data.remaining());
    if (made.capacity() < length) {
      made = ByteBuffer.allocate(length);
    }
    made.clear();
    try {
      sums.update(data.duplicate());
      sums.finish();
    } catch (IOException e) {
      throw new UncheckedIOException("nothing is read here", e);
    }
    made.flip();
  }

  /** The checksums made last, until the next are; not to be changed. */
  public ByteBuffer made() {
    return made.duplicate();
  }

  /** Returns whether the checksums made last are these bytes. */
  public boolean areIn(byte[] bytes, int offset, int length) {
    return made.equals(ByteBuffer.wrap(bytes, offset, length));
  }

  /**
   * Returns the digest of the checksums made last: the first 8 bytes, little endian, of their
   * SHA-256. A CRC of CRCs would not do: it is linear, so that it could miss the same errors.
   */
  public long digest() {
    sha256.update(made.array(), 0, made.limit());
    try {
      sha256.digest(hash, 0, hash.length);
    } catch (DigestException e) {
      throw new IllegalStateException("a SHA-256 has " + hash.length + " bytes", e);
    }
    return ByteBuffer.wrap(hash).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }
}
