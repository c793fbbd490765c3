/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Reads the parts of a container file that stand at its ends. */
public final class ContainerFiles {

  private ContainerFiles() {}

  public static ContainerHeader readHeader(Path path, ReadableFile file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(ContainerHeader.LENGTH);
    file.read(bytes, 0);
    bytes.flip();
    return ContainerHeader.parse(path, bytes);
  }

  public static ContainerFooter readFooter(Path path, ReadableFile file) throws IOException {
    long length = file.length();
    if (length < ContainerHeader.LENGTH + DirectoryFormat.MIN_LENGTH + ContainerFooter.LENGTH) {
      throw new CorruptFileException(
          path,
          "file length",
          "at least "
              + (ContainerHeader.LENGTH + DirectoryFormat.MIN_LENGTH + ContainerFooter.LENGTH),
          length);
    }
    ByteBuffer bytes = ByteBuffer.allocate(ContainerFooter.LENGTH);
    file.read(bytes, length - ContainerFooter.LENGTH);
    bytes.flip();
    return ContainerFooter.parse(path, bytes, length);
  }

  public static ContainerDirectory readDirectory(
      Path path, ReadableFile file, ContainerFooter footer) throws IOException {
    ByteBuffer bytes = BufferPool.shared().take(footer.directoryLength());
    try {
      int count = file.read(bytes, footer.directoryPosition());
      ContainerFormat.expect(path, "directory's bytes", footer.directoryLength(), count);
      bytes.flip();
      ContainerDirectory directory = DirectoryFormat.parse(path, bytes, footer.directoryPosition());
      ContainerFormat.expect(
          path, "chunks in the directory", footer.chunkCount(), directory.chunkCount());
      ContainerFormat.expect(
          path, "groups in the directory", footer.groupCount(), directory.groupCount());
      ContainerFormat.expect(
          path, "bytes of all chunks", footer.originalBytes(), directory.originalBytes());
      return directory;
    } finally {
      BufferPool.shared().give(bytes);
    }
  }
}
