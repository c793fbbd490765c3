/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.ReadableFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The checksums that HDFS keeps of a block, from its {@code .meta} file: version (2 bytes), type (1
 * byte), bytes per checksum (4 bytes), then a checksum of 4 bytes for each chunk, all big-endian.
 * Bytes behind the block's last checksum are ignored. Safe for use by many threads as far as the
 * {@link ReadableFile} is.
 */
public final class BlockChecksums implements Closeable {

  /** The kinds of checksums; the ordinals are HDFS's type numbers. */
  public enum Type {
    /** No checksums. */
    NULL,
    CRC32,
    CRC32C
  }

  static final int HEADER_LENGTH = 7;
  public static final int CHECKSUM_LENGTH = 4;

  private static final int VERSION = 1;
  private static final Type[] TYPES = Type.values();

  private final ReadableFile meta;
  private final Type type;
  private final int bytesPerChecksum;
  private final long metaLength;

  private BlockChecksums(ReadableFile meta, Type type, int bytesPerChecksum, long metaLength) {
    this.meta = meta;
    this.type = type;
    this.bytesPerChecksum = bytesPerChecksum;
    this.metaLength = metaLength;
  }

  /**
   * Returns the {@code .meta} file beside a block's file, whose generation stamp is not known.
   *
   * @throws NoSuchFileException if there is none
   */
  public static Path fileOf(Path blockFile) throws IOException {
    String glob = blockFile.getFileName() + "_*.meta";
    try (DirectoryStream<Path> found = Files.newDirectoryStream(blockFile.getParent(), glob)) {
      for (Path meta : found) {
        return meta;
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    throw new NoSuchFileException(blockFile.resolveSibling(glob).toString());
  }

  /**
   * Reads the header of a {@code .meta} file.
   *
   * @param name the file's name, for messages
   * @param meta read by this object from now on, and closed with it; not closed if this fails
   * @throws CorruptFileException if it has no valid header
   */
  public static BlockChecksums open(Path name, ReadableFile meta) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH);
    int n = meta.read(header, 0);
    if (n < HEADER_LENGTH) {
      throw new CorruptFileException(name, "header", HEADER_LENGTH + " bytes", n);
    }
    header.flip();
    int version = header.getShort();
    if (version != VERSION) {
      throw new CorruptFileException(name, "version", VERSION, version);
    }
    int type = header.get();
    if (type < 0 || type >= TYPES.length) {
      throw new CorruptFileException(name, "checksum type", "0 to " + (TYPES.length - 1), type);
    }
    int bytesPerChecksum = header.getInt();
    if (bytesPerChecksum < 1) {
      throw new CorruptFileException(name, "bytes per checksum", "at least 1", bytesPerChecksum);
    }
    return new BlockChecksums(meta, TYPES[type], bytesPerChecksum, meta.length());
  }

  public Type type() {
    return type;
  }

  /** The number of bytes that one checksum covers, from 1 to 2<sup>31</sup> - 1. */
  public int bytesPerChecksum() {
    return bytesPerChecksum;
  }

  /**
   * Returns whether there is a checksum for every byte of a block of that length; always true where
   * the type is {@link Type#NULL}.
   */
  public boolean isComplete(long blockLength) {
    if (type == Type.NULL) {
      return true;
    }
    long chunks = blockLength / bytesPerChecksum + (blockLength % bytesPerChecksum == 0 ? 0 : 1);
    return chunks <= (metaLength - HEADER_LENGTH) / CHECKSUM_LENGTH;
  }

  /**
   * Returns whether the block was written without checksums. A {@code .meta} file whose type was
   * damaged has bytes behind its header.
   */
  public boolean isNone() {
    return type == Type.NULL && metaLength == HEADER_LENGTH;
  }

  /**
   * Starts a verification.
   *
   * @throws IllegalStateException if the type is {@link Type#NULL}
   */
  public ChecksumVerifier verifier() {
    if (type == Type.NULL) {
      throw new IllegalStateException("there are no checksums to verify with");
    }
    return new ChecksumVerifier(this);
  }

  /**
   * Verifies a part of the block, with checksums of another type than {@link Type#NULL}.
   *
   * @param position where the part begins, a multiple of {@link #bytesPerChecksum()}
   * @param data the part, which ends at such a multiple or at the block's end; consumed, best
   *     direct
   */
  public VerifyResult verify(long position, ByteBuffer data) throws IOException {
    ChecksumVerifier verifier =
        new ChecksumVerifier(this, position / bytesPerChecksum, data.remaining());
    verifier.update(data);
    return verifier.finish();
  }

  /** Reads checksums from the one with number {@code chunk} on, as many as there are and fit. */
  void read(long chunk, ByteBuffer dst) throws IOException {
    meta.read(dst, HEADER_LENGTH + chunk * CHECKSUM_LENGTH);
  }

  @Override
  public void close() throws IOException {
    meta.close();
  }
}
