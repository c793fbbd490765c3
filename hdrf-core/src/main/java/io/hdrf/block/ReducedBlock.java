/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.jni.Crc32c;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A reduced block file, open for reading. Safe for use by many threads as far as the {@link
 * ReadableFile} is; has no state besides it.
 */
public final class ReducedBlock implements Closeable {

  /** Keeps the buffer small that the JDK makes for reads into the heap. */
  private static final int MAX_HEAP_READ = 64 << 10;

  private final Path name;
  private final ReadableFile file;
  private final BlockHeader header;
  private final FrameTable frames;

  private ReducedBlock(Path name, ReadableFile file, BlockHeader header, FrameTable frames) {
    this.name = name;
    this.file = file;
    this.header = header;
    this.frames = frames;
  }

  /**
   * Reads and checks the header, its tag, the block's identity and the frame table.
   *
   * @param name the file's name, for messages
   * @param file read by this object from now on, and closed with it; not closed if this fails
   * @param block the block that the file must hold
   * @param key the volume's key
   * @throws CorruptBlockException if the file is not that reduced block, whole
   * @throws UnknownFormatVersionException if another version of HDRF wrote it
   */
  public static ReducedBlock open(Path name, ReadableFile file, BlockRef block, TagKey key)
      throws IOException {
    BlockHeader header = readHeader(name, file, key);
    header.checkIdentity(name, block);
    return open(name, file, header);
  }

  /**
   * Reads and checks the frame table alone.
   *
   * @param file read by this object from now on, and closed with it; not closed if this fails
   * @param header the file's own, as {@link BlockProbe} found it
   * @throws CorruptBlockException if the frame table is damaged
   */
  public static ReducedBlock open(Path name, ReadableFile file, BlockHeader header)
      throws IOException {
    return new ReducedBlock(name, file, header, readTable(name, file, header));
  }

  /** Opens a file for tools that know neither key nor block: nothing proves who wrote it. */
  public static ReducedBlock openUntrusted(Path name, ReadableFile file) throws IOException {
    return open(name, file, readHeader(name, file, null));
  }

  private static BlockHeader readHeader(Path name, ReadableFile file, TagKey key)
      throws IOException {
    BlockHeader header = BlockHeader.parse(name, BlockHeader.bytes(file), key);
    header.checkFileLength(name, file.length());
    return header;
  }

  private static FrameTable readTable(Path name, ReadableFile file, BlockHeader header)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(header.tableLength());
    while (bytes.position() < header.tableLength()) {
      bytes.limit(Math.min(header.tableLength(), bytes.position() + MAX_HEAP_READ));
      if (file.read(bytes, header.tablePosition() + bytes.position()) == 0) {
        break;
      }
    }
    bytes.flip();
    return FrameTable.parse(name, header, bytes);
  }

  /**
   * Returns whether the file's name still leads to this content. A file that was replaced, moved or
   * deleted stays readable, but chunks that it refers to may be collected, which is no damage of
   * the block.
   */
  public boolean isInPlace() throws IOException {
    try (ChannelFile there = ChannelFile.open(name)) {
      return isSame(there, 0, BlockFormat.HEADER_LENGTH)
          // Of the table: it differs where any frame's checksum does.
          && isSame(there, header.tablePosition(), Integer.BYTES);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private boolean isSame(ReadableFile there, long position, int length) throws IOException {
    return read(there, position, length).equals(read(file, position, length));
  }

  private static ByteBuffer read(ReadableFile file, long position, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    file.read(bytes, position);
    bytes.flip();
    return bytes;
  }

  /** The file's name, for messages. */
  public Path name() {
    return name;
  }

  public BlockHeader header() {
    return header;
  }

  public FrameTable frames() {
    return frames;
  }

  /** The number of bytes of the file in use; the rest is a hole. */
  public long physicalLength() {
    return header.physicalLength();
  }

  /** The block's length in bytes. */
  public long logicalLength() {
    return header.logicalLength();
  }

  /**
   * Reads a frame's stored bytes into {@code dst} and checks their CRC.
   *
   * @param dst has at least {@link FrameTable#storedLength} bytes remaining, best direct; its
   *     position is left behind the last byte read
   * @throws CorruptBlockException if the bytes are not those that were written
   */
  public void readStored(int frame, ByteBuffer dst) throws IOException {
    int length = frames.storedLength(frame);
    int begin = dst.position();
    int limit = dst.limit();
    dst.limit(begin + length);
    try {
      int n = file.read(dst, frames.storedPosition(frame));
      dst.position(begin);
      checkStored(frame, dst, Math.max(0, n));
      dst.position(dst.limit());
    } finally {
      dst.limit(limit);
    }
  }

  private void checkStored(int frame, ByteBuffer stored, int found) throws CorruptBlockException {
    if (found < frames.storedLength(frame)) {
      throw new CorruptBlockException(
          name, "frame " + frame, frames.storedLength(frame) + " bytes", found);
    }
    int crc = Crc32c.update(0, stored);
    if (crc != frames.checksum(frame)) {
      throw new CorruptBlockException(
          name,
          "CRC32C of frame " + frame,
          "0x" + Integer.toHexString(frames.checksum(frame)),
          "0x" + Integer.toHexString(crc));
    }
  }

  /**
   * Reads and decodes a frame.
   *
   * @param stored room for the frame's stored bytes, direct; its content, position and limit are
   *     overwritten. See {@link FrameTable#maxStoredLength}
   * @param dst direct, with at least {@link FrameTable#originalLength} bytes remaining; its
   *     position is left behind the last byte of the frame
   * @throws CorruptBlockException if the frame is damaged; {@code dst} then has the position that
   *     it had, and the bytes behind that are undefined
   */
  public void readFrame(int frame, ChainCodec codec, ByteBuffer stored, ByteBuffer dst)
      throws IOException {
    readFrames(frame, 1, codec, stored, dst);
  }

  /**
   * Reads frames that follow each other at once and decodes them one behind the other.
   *
   * @param stored room for the stored bytes of them all, as for {@link #readFrame}
   * @param dst room for the original bytes of them all, as for {@link #readFrame}
   * @throws CorruptBlockException if one of them is damaged; {@code dst} as for {@link #readFrame}
   */
  public void readFrames(int first, int count, ChainCodec codec, ByteBuffer stored, ByteBuffer dst)
      throws IOException {
    long base = frames.storedPosition(first);
    int last = first + count - 1;
    stored.clear();
    stored.limit((int) (frames.storedPosition(last) + frames.storedLength(last) - base));
    int found = Math.max(0, file.read(stored, base));
    int begin = dst.position();
    boolean complete = false;
    try {
      for (int frame = first; frame <= last; frame++) {
        int from = (int) (frames.storedPosition(frame) - base);
        stored.clear();
        stored.limit(from + frames.storedLength(frame)).position(from);
        checkStored(frame, stored, found - from);
        decode(frame, codec, stored, dst);
      }
      complete = true;
    } finally {
      if (!complete) {
        dst.position(begin);
      }
    }
  }

  private void decode(int frame, ChainCodec codec, ByteBuffer stored, ByteBuffer dst)
      throws IOException {
    int limit = dst.limit();
    dst.limit(dst.position() + frames.originalLength(frame));
    try {
      codec.decode(frames.stages(frame), stored, dst);
    } catch (CorruptFrameException e) {
      throw new CorruptBlockException(
          name, "frame " + frame + " can't be decoded: " + e.getMessage(), e);
    } finally {
      dst.limit(limit);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
