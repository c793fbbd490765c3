/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A decoded frame in a temporary file, whose checksums are in memory: readers hand on what they
 * find there as the block's data. Not durable. Immutable.
 */
final class DecodedFile {

  /** What is read, and checked, at once; the last piece may be shorter. */
  static final int PIECE = 256 << 10;

  private final Path path;
  private final int length;
  private final int[] checksums;

  private DecodedFile(Path path, int length, int[] checksums) {
    this.path = path;
    this.length = length;
    this.checksums = checksums;
  }

  /**
   * Writes a decoded frame.
   *
   * @param path must not exist; if this fails, it does not exist then either
   * @param frame position 0 to limit; direct
   */
  static DecodedFile write(DurableFiles files, Path path, ByteBuffer frame) throws IOException {
    int length = frame.limit();
    int[] checksums = new int[(length + PIECE - 1) / PIECE];
    for (int piece = 0; piece < checksums.length; piece++) {
      checksums[piece] = Crc32c.update(0, range(frame, piece * PIECE, length));
    }
    boolean written = false;
    try (DurableFile file = files.create(path)) {
      for (int from = 0; from < length; from += PIECE) {
        file.write(range(frame, from, length), from);
      }
      written = true;
    } finally {
      if (!written) {
        files.deleteIfExists(path);
      }
    }
    return new DecodedFile(path, length, checksums);
  }

  private static ByteBuffer range(ByteBuffer frame, int from, int length) {
    ByteBuffer range = frame.duplicate();
    range.limit(Math.min(length, from + PIECE)).position(from);
    return range;
  }

  Path path() {
    return path;
  }

  /** The frame's original length in bytes. */
  int length() {
    return length;
  }

  /**
   * Opens the file, which can then be read even after it was deleted.
   *
   * @throws java.nio.file.NoSuchFileException if it was deleted
   */
  Opened open() throws IOException {
    return new Opened(ChannelFile.open(path));
  }

  /** The open file. For one thread: it shares no channel, which an interrupt would close. */
  final class Opened implements Closeable {
    private final ChannelFile file;

    private Opened(ChannelFile file) {
      this.file = file;
    }

    /**
     * Reads a piece.
     *
     * @param dst has at least {@link #PIECE} bytes of room; from 0 to its limit, it holds the piece
     * @return false if the file does not hold what was written
     */
    boolean read(int piece, ByteBuffer dst) throws IOException {
      int from = piece * PIECE;
      dst.clear();
      dst.limit(Math.min(PIECE, length - from));
      int count = file.read(dst, from);
      dst.flip();
      return count == Math.min(PIECE, length - from)
          && Crc32c.update(0, dst.duplicate()) == checksums[piece];
    }

    DecodedFile decoded() {
      return DecodedFile.this;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
