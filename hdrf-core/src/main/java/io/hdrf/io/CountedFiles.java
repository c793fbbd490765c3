/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * A wrapper of {@link DurableFiles} that reports by how many bytes the lengths of all files have
 * grown. Files that are changed in another way are not counted. As thread-safe as the wrapped files
 * and the receiver of the reports.
 */
public final class CountedFiles extends ForwardingFiles {

  private final LongConsumer growth;

  /**
   * @param growth receives each change in bytes, on the thread that makes it; negative where a file
   *     shrank
   */
  public CountedFiles(DurableFiles files, LongConsumer growth) {
    super(files);
    this.growth = growth;
  }

  @Override
  public DurableFile create(Path file) throws IOException {
    return new CountedFile(super.create(file), 0);
  }

  @Override
  public DurableFile open(Path file) throws IOException {
    long length = length(file);
    return new CountedFile(super.open(file), length);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    long replaced = length(to);
    super.rename(from, to);
    grow(-replaced);
  }

  @Override
  public void deleteIfExists(Path path) throws IOException {
    long deleted = length(path);
    super.deleteIfExists(path);
    grow(-deleted);
  }

  private void grow(long bytes) {
    if (bytes != 0) {
      growth.accept(bytes);
    }
  }

  /** Returns the length in bytes; 0 where there is no file. */
  private static long length(Path path) throws IOException {
    try {
      return Files.isDirectory(path) ? 0 : Files.size(path);
    } catch (NoSuchFileException absent) {
      return 0;
    }
  }

  private final class CountedFile extends ForwardingFile {
    private long length;

    CountedFile(DurableFile file, long length) {
      super(file);
      this.length = length;
    }

    private void setCounted(long now) {
      grow(now - length);
      length = now;
    }

    @Override
    public void write(ByteBuffer src, long position) throws IOException {
      int begin = src.position();
      try {
        super.write(src, position);
      } finally {
        int written = src.position() - begin;
        if (written > 0) {
          setCounted(Math.max(length, position + written));
        }
      }
    }

    @Override
    public void setLength(long newLength) throws IOException {
      super.setLength(newLength);
      setCounted(newLength);
    }
  }
}
