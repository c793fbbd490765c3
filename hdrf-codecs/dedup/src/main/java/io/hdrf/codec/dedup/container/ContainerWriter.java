/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.DirectoryBuilder;
import io.hdrf.codec.dedup.container.format.DirectoryFormat;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Writes a container file. For one thread at a time. */
final class ContainerWriter implements Closeable {

  /** The kernel would let much more gather before it writes, and then a force waits for it. */
  private static final int WRITE_BEHIND = 4 << 20;

  private final ContainerHeader header;
  private final DurableFile file;
  private final DirectoryBuilder directory = new DirectoryBuilder();
  private long position = ContainerHeader.LENGTH;
  private long length = ContainerHeader.LENGTH;
  private long begunToWrite;

  /** Creates the file and writes its header; where that fails, there is no file. */
  ContainerWriter(DurableFiles files, Path path, ContainerHeader header) throws IOException {
    this.header = header;
    this.file = files.create(path);
    boolean written = false;
    try {
      file.write(header.encode(), 0);
      written = true;
    } finally {
      if (!written) {
        try {
          file.close();
        } finally {
          files.deleteIfExists(path);
        }
      }
    }
  }

  ContainerHeader header() {
    return header;
  }

  /** Returns the position of the next group. */
  long position() {
    return position;
  }

  /** Writes a group that was encoded with this container's marker. */
  void write(GroupBuffer group) throws IOException {
    ByteBuffer bytes = group.encoded();
    file.write(bytes.duplicate(), position);
    group.addTo(directory, position);
    advance(bytes.limit());
  }

  private void advance(int count) {
    position += count;
    length = position;
    if (position - begunToWrite >= WRITE_BEHIND) {
      file.beginWriting(begunToWrite, position - begunToWrite);
      begunToWrite = position;
    }
  }

  /** Writes a group as it stands in another container of the same marker. */
  void copy(ByteBuffer bytes, ContainerDirectory source, int group) throws IOException {
    int count = bytes.remaining();
    file.write(bytes, position);
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    for (int i = source.firstChunk(group); i < source.endChunk(group); i++) {
      source.fingerprint(i, fingerprint, 0);
      directory.addChunk(source.number(i), source.length(i), source.checksum(i), fingerprint, 0);
    }
    directory.endGroup(
        position, source.headerLength(group), source.storedLength(group), source.stages(group));
    advance(count);
  }

  /** The groups written so far. */
  ContainerDirectory directory() {
    return directory.build();
  }

  /** Writes directory and footer; nothing can follow. */
  void finish(long sealTime) throws IOException {
    length = finish(file, header, directory(), sealTime);
  }

  /** Returns the end of groups that follow each other without gaps. */
  static long end(ContainerDirectory content) {
    int last = content.groupCount() - 1;
    return last < 0 ? ContainerHeader.LENGTH : content.groupEnd(last);
  }

  /**
   * Writes directory and footer behind the groups, over anything that may be there.
   *
   * @param content groups that follow each other without gaps
   * @return the file's length
   */
  static long finish(
      DurableFile file, ContainerHeader header, ContainerDirectory content, long sealTime)
      throws IOException {
    long end = end(content);
    if (file.length() > end) {
      file.setLength(end);
    }
    BufferPool buffers = BufferPool.shared();
    int directoryLength = DirectoryFormat.encodedLength(content);
    ByteBuffer bytes = buffers.take(directoryLength);
    try {
      DirectoryFormat.encode(content, bytes);
      file.write(bytes, end);
    } finally {
      buffers.give(bytes);
    }
    ContainerFooter footer =
        new ContainerFooter(
            header,
            end,
            directoryLength,
            content.groupCount(),
            content.chunkCount(),
            content.originalBytes(),
            sealTime);
    file.write(footer.encode(), end + directoryLength);
    long length = end + directoryLength + ContainerFooter.LENGTH;
    file.setLength(length);
    return length;
  }

  DurableFile file() {
    return file;
  }

  /** The file's length, as far as it was written. */
  long length() {
    return length;
  }

  void force() throws IOException {
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
