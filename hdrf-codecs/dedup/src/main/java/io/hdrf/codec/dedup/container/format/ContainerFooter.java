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
 * The last {@value #LENGTH} bytes of a sealed container file, behind the directory; {@code
 * docs/formats.md} ("Container") has its bytes. It repeats the header's description, so that a
 * damaged header does no harm. Immutable.
 */
public final class ContainerFooter {

  public static final int LENGTH = 96;

  private static final int MIN_FILE_LENGTH =
      ContainerHeader.LENGTH + DirectoryFormat.MIN_LENGTH + LENGTH;

  private static final int MAGIC = 0x46444889;
  private static final int DESCRIPTION_OFFSET = 8;
  private static final int UNUSED_OFFSET = 84;
  private static final int CRC_OFFSET = 92;

  private final ContainerHeader header;
  private final long directoryPosition;
  private final int directoryLength;
  private final int groupCount;
  private final int chunkCount;
  private final long originalBytes;
  private final long sealTime;

  public ContainerFooter(
      ContainerHeader header,
      long directoryPosition,
      int directoryLength,
      int groupCount,
      int chunkCount,
      long originalBytes,
      long sealTime) {
    this.header = header;
    this.directoryPosition = directoryPosition;
    this.directoryLength = directoryLength;
    this.groupCount = groupCount;
    this.chunkCount = chunkCount;
    this.originalBytes = originalBytes;
    this.sealTime = sealTime;
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

  /** Reads the directory before the footer, and checks that both say the same. */
  public ContainerDirectory readDirectory(Path path, ReadableFile file) throws IOException {
    ByteBuffer bytes = BufferPool.shared().take(directoryLength);
    try {
      int count = file.read(bytes, directoryPosition);
      expect(path, "directory's bytes", directoryLength, count);
      bytes.flip();
      ContainerDirectory directory = DirectoryFormat.parse(path, bytes, directoryPosition);
      expect(path, "chunks in the directory", chunkCount, directory.chunkCount());
      expect(path, "groups in the directory", groupCount, directory.groupCount());
      expect(path, "bytes of all chunks", originalBytes, directory.originalBytes());
      return directory;
    } finally {
      BufferPool.shared().give(bytes);
    }
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
    requireKnown(file, in.get(4) & 0xFF);
    expect(file, "flags of the footer", 0, in.get(5));
    expect(file, "footer length", LENGTH, in.getShort(6) & 0xFFFF);
    expect(file, "unused bytes of the footer", 0, in.getLong(UNUSED_OFFSET));
    in.position(DESCRIPTION_OFFSET);
    ContainerFooter footer =
        new ContainerFooter(
            ContainerHeader.parseDescription(file, in),
            in.getLong(),
            in.getInt(),
            in.getInt(),
            in.getInt(),
            in.getLong(),
            in.getLong());
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
    expect(file, "directory position", fileLength - LENGTH - directoryLength, directoryPosition);
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
    out.put((byte) ContainerFormat.VERSION);
    out.put((byte) 0);
    out.putShort((short) LENGTH);
    header.putDescription(out);
    out.putLong(directoryPosition);
    out.putInt(directoryLength);
    out.putInt(groupCount);
    out.putInt(chunkCount);
    out.putLong(originalBytes);
    out.putLong(sealTime);
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
