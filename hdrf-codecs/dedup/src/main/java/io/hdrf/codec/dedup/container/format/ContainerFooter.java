/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static io.hdrf.codec.dedup.container.format.ContainerFormat.crc;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.expect;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.littleEndian;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireKnown;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireRange;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The last {@value #LENGTH} bytes of a sealed container file, behind the directory and, since
 * version 2, the group index; {@code docs/formats.md} ("Container") has its bytes. It repeats the
 * header's description, so that a damaged header does no harm. Immutable.
 */
public final class ContainerFooter {

  public static final int LENGTH = 96;

  private static final int MIN_FILE_LENGTH =
      ContainerHeader.LENGTH + DirectoryFormat.MIN_LENGTH + LENGTH;

  private static final int MAGIC = 0x46444889;
  private static final int DESCRIPTION_OFFSET = 8;
  private static final int INDEX_LENGTH_OFFSET = 84;
  private static final int UNUSED_OFFSET = 88;
  private static final int CRC_OFFSET = 92;

  private final ContainerHeader header;
  private final long directoryPosition;
  private final int directoryLength;
  private final int groupCount;
  private final int chunkCount;
  private final long originalBytes;
  private final long sealTime;
  private final int groupIndexLength;

  /**
   * @param groupIndexLength in bytes; 0 where the container's version has none
   */
  public ContainerFooter(
      ContainerHeader header,
      long directoryPosition,
      int directoryLength,
      int groupCount,
      int chunkCount,
      long originalBytes,
      long sealTime,
      int groupIndexLength) {
    this.header = header;
    this.directoryPosition = directoryPosition;
    this.directoryLength = directoryLength;
    this.groupCount = groupCount;
    this.chunkCount = chunkCount;
    this.originalBytes = originalBytes;
    this.sealTime = sealTime;
    this.groupIndexLength = groupIndexLength;
  }

  /** Reads the footer at the end of a file. */
  public static ContainerFooter read(Path path, ReadableFile file) throws IOException {
    long length = file.length();
    if (length < MIN_FILE_LENGTH) {
      throw new CorruptFileException(path, "file length", "at least " + MIN_FILE_LENGTH, length);
    }
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
    file.read(bytes, length - LENGTH);
    bytes.flip();
    return parse(path, bytes, length);
  }

  /**
   * Reads the footer from a file's last bytes, from position to limit, which are not consumed.
   *
   * @param tail of {@link #LENGTH} bytes at least
   * @param fileLength the file's length
   */
  public static ContainerFooter ofTail(Path path, ByteBuffer tail, long fileLength)
      throws CorruptFileException, UnknownFormatVersionException {
    if (fileLength < MIN_FILE_LENGTH) {
      throw new CorruptFileException(
          path, "file length", "at least " + MIN_FILE_LENGTH, fileLength);
    }
    ByteBuffer bytes = tail.duplicate();
    bytes.position(tail.limit() - LENGTH);
    return parse(path, bytes, fileLength);
  }

  /** Reads the directory of a container, and checks that both say the same. */
  public ContainerDirectory readDirectory(Path path, ReadableFile file) throws IOException {
    ByteBuffer bytes = BufferPool.shared().take(directoryLength + groupIndexLength);
    try {
      read(path, "directory's bytes", file, bytes, directoryPosition);
      ContainerDirectory directory;
      if (header.hasGroupIndex()) {
        ByteBuffer index = bytes.duplicate();
        index.position(directoryLength);
        bytes.limit(directoryLength);
        directory =
            DirectoryFormat.parse(
                path, bytes, GroupIndexFormat.parseGroups(path, index, directoryPosition));
      } else {
        directory = DirectoryFormat.parse(path, bytes, directoryPosition);
      }
      expect(path, "chunks in the directory", chunkCount, directory.chunkCount());
      expect(path, "groups in the directory", groupCount, directory.groupCount());
      expect(path, "bytes of all chunks", originalBytes, directory.originalBytes());
      return directory;
    } finally {
      BufferPool.shared().give(bytes);
    }
  }

  /**
   * Reads the group index of a container that has one.
   *
   * @param tail the file's last bytes, from position to limit, if they were read already; what is
   *     in them is not read again. Not consumed; may be null
   */
  public GroupIndex readGroups(Path path, ReadableFile file, ByteBuffer tail) throws IOException {
    int behind = LENGTH + groupIndexLength;
    if (tail != null && tail.remaining() >= behind) {
      ByteBuffer bytes = tail.duplicate();
      bytes.limit(tail.limit() - LENGTH);
      bytes.position(tail.limit() - behind);
      return parseGroups(path, bytes);
    }
    ByteBuffer bytes = BufferPool.shared().take(groupIndexLength);
    try {
      read(path, "bytes of the group index", file, bytes, directoryPosition + directoryLength);
      return parseGroups(path, bytes);
    } finally {
      BufferPool.shared().give(bytes);
    }
  }

  private GroupIndex parseGroups(Path path, ByteBuffer bytes) throws IOException {
    GroupIndex groups = GroupIndexFormat.parse(path, bytes, directoryPosition);
    expect(path, "groups in the group index", groupCount, groups.groupCount());
    return groups;
  }

  private static void read(
      Path path, String what, ReadableFile file, ByteBuffer bytes, long position)
      throws IOException {
    int expected = bytes.remaining();
    expect(path, what, expected, file.read(bytes, position));
    bytes.flip();
  }

  /**
   * Reads a footer.
   *
   * @param file for messages
   * @param bytes the footer from position to limit; not consumed
   * @param fileLength the length of the file that it ends
   */
  public static ContainerFooter parse(Path file, ByteBuffer bytes, long fileLength)
      throws CorruptFileException, UnknownFormatVersionException {
    if (bytes.remaining() != LENGTH) {
      throw new CorruptFileException(file, "footer", LENGTH + " bytes", bytes.remaining());
    }
    ByteBuffer in = littleEndian(bytes.slice());
    expect(file, "magic of the footer", MAGIC, in.getInt(0));
    expect(file, "footer CRC32C", crc(in, 0, CRC_OFFSET), in.getInt(CRC_OFFSET));
    int version = in.get(4) & 0xFF;
    requireKnown(file, version);
    ContainerHeader.checkFlags(file, "footer", version, in.get(5));
    expect(file, "footer length", LENGTH, in.getShort(6) & 0xFFFF);
    expect(file, "unused bytes of the footer", 0, in.getInt(UNUSED_OFFSET));
    in.position(DESCRIPTION_OFFSET);
    ContainerFooter footer =
        new ContainerFooter(
            ContainerHeader.parseDescription(file, in, version),
            in.getLong(),
            in.getInt(),
            in.getInt(),
            in.getInt(),
            in.getLong(),
            in.getLong(),
            in.getInt(INDEX_LENGTH_OFFSET));
    footer.checkBounds(file, fileLength);
    return footer;
  }

  private void checkBounds(Path file, long fileLength) throws CorruptFileException {
    requireRange(file, "number of chunks", 0, ContainerFormat.MAX_CHUNKS, chunkCount);
    requireRange(
        file,
        "directory length",
        DirectoryFormat.MIN_LENGTH,
        DirectoryFormat.MAX_LENGTH,
        directoryLength);
    requireRange(file, "number of groups", chunkCount == 0 ? 0 : 1, chunkCount, groupCount);
    requireRange(
        file,
        "length of the group index",
        header.hasGroupIndex() ? GroupIndexFormat.MIN_LENGTH : 0,
        header.hasGroupIndex() ? GroupIndexFormat.MAX_LENGTH : 0,
        groupIndexLength);
    expect(
        file,
        "directory position",
        fileLength - LENGTH - groupIndexLength - directoryLength,
        directoryPosition);
    requireRange(
        file, "directory position", ContainerHeader.LENGTH, Long.MAX_VALUE, directoryPosition);
    requireRange(
        file,
        "bytes of all chunks",
        chunkCount,
        (long) chunkCount * ContainerFormat.MAX_CHUNK_LENGTH,
        originalBytes);
  }

  /** The footer's {@value #LENGTH} bytes. */
  public ByteBuffer encode() {
    ByteBuffer out = littleEndian(ByteBuffer.allocate(LENGTH));
    out.putInt(MAGIC);
    out.put((byte) header.version());
    out.put((byte) 0);
    out.putShort((short) LENGTH);
    header.putDescription(out);
    out.putLong(directoryPosition);
    out.putInt(directoryLength);
    out.putInt(groupCount);
    out.putInt(chunkCount);
    out.putLong(originalBytes);
    out.putLong(sealTime);
    out.putInt(groupIndexLength);
    out.putInt(CRC_OFFSET, crc(out, 0, CRC_OFFSET));
    out.clear();
    return out;
  }

  public ContainerHeader header() {
    return header;
  }

  public long directoryPosition() {
    return directoryPosition;
  }

  public int directoryLength() {
    return directoryLength;
  }

  public int groupCount() {
    return groupCount;
  }

  public int chunkCount() {
    return chunkCount;
  }

  public long originalBytes() {
    return originalBytes;
  }

  public long sealTime() {
    return sealTime;
  }
}
