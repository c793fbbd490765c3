/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A disk on which files can grow by a fixed number of bytes, whatever is deleted. */
final class FullDisk extends ForwardingFiles {

  private long room = Long.MAX_VALUE;
  private int refused;

  FullDisk(DurableFiles files) {
    super(files);
  }

  void setRoom(long bytes) {
    room = bytes;
  }

  /** How many writes failed. */
  int refused() {
    return refused;
  }

  @Override
  public DurableFile create(Path file) throws IOException {
    return new File(super.create(file));
  }

  @Override
  public DurableFile open(Path file) throws IOException {
    return new File(super.open(file));
  }

  private final class File extends ForwardingFile {
    File(DurableFile file) {
      super(file);
    }

    @Override
    public void write(ByteBuffer src, long position) throws IOException {
      long wanted = Math.max(0, position + src.remaining() - length());
      if (wanted > room) {
        refused++;
        int end = src.limit();
        src.limit(end - (int) (wanted - room));
        room = 0;
        super.write(src, position);
        src.limit(end);
        throw new IOException("No space left on device");
      }
      room -= wanted;
      super.write(src, position);
    }
  }
}
