/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file in which a block's frames wait, where a reduced block has them, so that it can become one
 * without being copied. It is deleted when it is closed, unless it was moved. For one thread at a
 * time.
 */
public final class SpoolFile implements Closeable {

  /**
   * The number of bytes by which the file is extended ahead of the written ones. File systems
   * allocate space beyond the end of a file that grows, and would keep it where it lies within the
   * block's length.
   */
  private static final long ROOM = 128 << 20;

  private final DurableFiles files;
  private final Path path;
  private DurableFile file;
  private long room;
  private long length;

  private SpoolFile(DurableFiles files, Path path, DurableFile file) {
    this.files = files;
    this.path = path;
    this.file = file;
  }

  /**
   * Creates the file.
   *
   * @param path on the block's own volume; the caller deletes what a crash leaves there
   */
  public static SpoolFile create(DurableFiles files, Path path) throws IOException {
    return new SpoolFile(files, path, files.create(path));
  }

  /** Appends bytes of frames, all of {@code bytes}. */
  void append(ByteBuffer bytes) throws IOException {
    int count = bytes.remaining();
    long end = ReducedBlockWriter.FRAMES_START + length + count;
    if (end > room) {
      room = end + ROOM;
      open().setLength(room);
    }
    open().write(bytes, ReducedBlockWriter.FRAMES_START + length);
    length += count;
  }

  /** Returns the number of bytes appended. */
  long length() {
    return length;
  }

  /**
   * Fills {@code dst}.
   *
   * @param position bytes from the first frame's beginning
   */
  void read(ByteBuffer dst, long position) throws IOException {
    long at = ReducedBlockWriter.FRAMES_START + position;
    open().read(dst, at);
    if (dst.hasRemaining()) {
      throw new EOFException(path + " ends within the frame at " + at);
    }
  }

  /**
   * Gives the file away under another name, open.
   *
   * @throws IOException if it can't be moved; it is as it was
   */
  DurableFile moveTo(Path target) throws IOException {
    DurableFile moved = open();
    files.rename(path, target);
    file = null;
    return moved;
  }

  @Override
  public String toString() {
    return path.toString();
  }

  private DurableFile open() throws IOException {
    if (file == null) {
      throw new IOException(path + " was closed");
    }
    return file;
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      DurableFile closing = file;
      file = null;
      try {
        closing.close();
      } finally {
        files.deleteIfExists(path);
      }
    }
  }
}
