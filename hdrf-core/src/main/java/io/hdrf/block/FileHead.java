/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file whose beginning is read at once and kept, so that the small structures of a reduced block
 * cost one movement of the disk and not one each. For one thread.
 */
final class FileHead implements ReadableFile {

  /** What a disk reads for a few bytes anyway, since the kernel reads ahead. */
  static final int FIRST_READ = 16 << 10;

  /** The greatest length that is kept. */
  static final int MAX_LENGTH = 64 << 10;

  private final ReadableFile file;
  private final ByteBuffer head = BufferPool.shared().take(MAX_LENGTH);
  private long bytesRead;

  /**
   * @param file closed together with this object; not closed if this fails
   */
  FileHead(ReadableFile file) throws IOException {
    this.file = file;
    head.limit(FIRST_READ);
    boolean done = false;
    try {
      readOn();
      done = true;
    } finally {
      if (!done) {
        BufferPool.shared().give(head);
      }
    }
  }

  /** Reads on to an end, in bytes from the file's beginning, if so much is kept. */
  void extendTo(long end) throws IOException {
    if (end <= MAX_LENGTH && end > head.position() && head.position() == head.limit()) {
      head.limit((int) end);
      readOn();
    }
  }

  /** What the disk can't read is tried again when it is asked for: mostly it is not. */
  private void readOn() throws IOException {
    int begin = head.position();
    try {
      file.read(head, begin);
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
    }
    bytesRead += head.position() - begin;
  }

  @Override
  public int read(ByteBuffer dst, long position) throws IOException {
    int length = dst.remaining();
    if (position + length <= head.position()) {
      ByteBuffer part = head.duplicate();
      part.limit((int) position + length).position((int) position);
      dst.put(part);
      return length;
    }
    int count = file.read(dst, position);
    bytesRead += Math.max(0, count);
    return count;
  }

  /** Returns how many bytes were read from the file. */
  long bytesRead() {
    return bytesRead;
  }

  @Override
  public long length() throws IOException {
    return file.length();
  }

  /** Must not be used after this. */
  @Override
  public void close() throws IOException {
    BufferPool.shared().give(head);
    file.close();
  }
}
