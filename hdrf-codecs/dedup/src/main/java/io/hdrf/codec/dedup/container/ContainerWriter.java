/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.DirectoryBuilder;
import io.hdrf.codec.dedup.container.format.DirectoryFormat;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.codec.dedup.container.format.GroupIndexFormat;
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

  /**
   * Writes a group as it is stored in another container of the same marker.
   *
   * @param bytes the group, with a header of this container's version
   * @param headerLength of that
   * @param header tells the chunks' CRCs; null if that can't be known
   */
  void copy(
      ByteBuffer bytes, int headerLength, GroupHeader header, ContainerDirectory source, int group)
      throws IOException {
    int count = bytes.remaining();
    file.write(bytes, position);
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    int first = source.firstChunk(group);
    for (int i = first; i < source.endChunk(group); i++) {
      int checksum = header == null ? 0 : header.checksum(i - first);
      directory.addFrom(source, i, checksum, fingerprint);
    }
    directory.endGroup(position, headerLength, source.storedLength(group), source.stages(group));
    advance(count);
  }

  /** The groups written so far. */
  ContainerDirectory directory() {
    return directory.build();
  }

  /** Writes all that follows the groups; nothing can follow that. */
  void finish(long sealTime) throws IOException {
    length = finish(file, header, directory(), sealTime);
  }

  /** Returns the end of groups that follow each other without gaps. */
  static long end(ContainerDirectory content) {
    int last = content.groupCount() - 1;
    return last < 0 ? ContainerHeader.LENGTH : content.groupEnd(last);
  }

  /**
   * Writes directory, group index and footer behind the groups, over anything that may be there, in
   * the form of the header's version.
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
    int version = header.version();
    int directoryLength = DirectoryFormat.encodedLength(content, version);
    int indexLength = header.hasGroupIndex() ? GroupIndexFormat.encodedLength(content) : 0;
    BufferPool buffers = BufferPool.shared();
    ByteBuffer bytes = buffers.take(Math.max(directoryLength, indexLength));
    try {
      DirectoryFormat.encode(content, version, bytes);
      file.write(bytes, end);
      if (indexLength > 0) {
        GroupIndexFormat.encode(content, bytes);
        file.write(bytes, end + directoryLength);
      }
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
            sealTime,
            indexLength);
    long behind = end + directoryLength + indexLength;
    file.write(footer.encode(), behind);
    long length = behind + ContainerFooter.LENGTH;
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
