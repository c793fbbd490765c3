/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Leaves holes in new files where whole pages of zeros would be written, and counts the bytes of
 * these. For one thread.
 */
final class SparseFiles extends ForwardingFiles {

  private static final int PAGE = 4096;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(PAGE);

  private long left;

  SparseFiles(DurableFiles files) {
    super(files);
  }

  /** The bytes that were to be written and are holes instead. */
  long left() {
    return left;
  }

  @Override
  public DurableFile create(Path file) throws IOException {
    return new SparseFile(super.create(file));
  }

  private final class SparseFile extends ForwardingFile {
    private long length;

    SparseFile(DurableFile file) {
      super(file);
    }

    @Override
    public void write(ByteBuffer src, long position) throws IOException {
      long at = position;
      int end = src.limit();
      long last = position + src.remaining();
      while (src.position() < end) {
        int page = (int) Math.min(end - src.position(), PAGE - at % PAGE);
        boolean hole = page == PAGE && isZero(src);
        int from = src.position();
        int to = from + page;
        while (to < end) {
          src.position(to);
          int next = Math.min(PAGE, end - to);
          if ((next == PAGE && isZero(src)) != hole) {
            break;
          }
          to += next;
        }
        src.position(from);
        if (hole) {
          left += to - from;
          src.position(to);
        } else {
          src.limit(to);
          super.write(src, at);
          src.limit(end);
        }
        at += to - from;
      }
      if (last > length) {
        length = last;
        super.setLength(last);
      }
    }

    @Override
    public void setLength(long newLength) throws IOException {
      length = newLength;
      super.setLength(newLength);
    }
  }

  private static boolean isZero(ByteBuffer src) {
    int differs = src.mismatch(ZEROS);
    return differs < 0 || differs == PAGE;
  }
}
