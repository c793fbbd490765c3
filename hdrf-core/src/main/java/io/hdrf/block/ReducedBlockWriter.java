/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameSink;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Writes a reduced block file. The header goes last: a file that was not finished has no magic. For
 * one thread. To give up, close the writer and delete the file.
 */
public final class ReducedBlockWriter implements FrameSink, Closeable {

  /** The position of the first frame in bytes. */
  public static final int FRAMES_START = BlockFormat.HEADER_LENGTH;

  private static final int BUFFER_SIZE = 1 << 20;

  private final DurableFile file;
  private final BlockRef block;
  private final long logicalLength;
  private final int[] chainIds;
  private final TagKey key;
  private final long limit;
  private final FrameTable.Builder table = new FrameTable.Builder();

  /** Bytes of the file from {@link #written} on that wait to be written. */
  private ByteBuffer pending;

  private long written = FRAMES_START;
  private long originalTotal;
  private boolean finished;

  private ReducedBlockWriter(
      DurableFile file,
      BlockRef block,
      long logicalLength,
      int[] chainIds,
      TagKey key,
      long limit) {
    this.file = file;
    this.block = block;
    this.logicalLength = logicalLength;
    this.chainIds = chainIds.clone();
    this.key = key;
    this.limit = limit;
    this.pending = BufferPool.shared().take(BUFFER_SIZE);
  }

  /**
   * Creates a file of the block's logical length. That comes first, so that the file system does
   * not keep space that it allocated ahead of the writes.
   *
   * @param files makes the file
   * @param path the new file
   * @param block the block that it will hold
   * @param logicalLength the block's length in bytes, at least 1
   * @param chainIds the ids of the 1 to 4 schemes that encode, in order
   * @param key the volume's key
   * @param limit the greatest physical length in bytes that is of use; one above the logical length
   *     counts as that length
   */
  public static ReducedBlockWriter create(
      DurableFiles files,
      Path path,
      BlockRef block,
      long logicalLength,
      int[] chainIds,
      TagKey key,
      long limit)
      throws IOException {
    check(logicalLength, chainIds);
    return resume(files.create(path), block, logicalLength, chainIds, key, limit);
  }

  /**
   * Resumes a file in which frames lie from {@link #FRAMES_START} on. They are to be listed, by
   * {@link #written}, before others are appended.
   *
   * @param file of any length; taken over, also if this fails
   * @param block the block that it will hold
   * @param logicalLength the block's length in bytes, at least 1
   * @param chainIds the ids of the 1 to 4 schemes that encode, in order
   * @param key the volume's key
   * @param limit as for {@link #create}
   */
  public static ReducedBlockWriter resume(
      DurableFile file, BlockRef block, long logicalLength, int[] chainIds, TagKey key, long limit)
      throws IOException {
    try {
      check(logicalLength, chainIds);
      file.setLength(logicalLength);
      return new ReducedBlockWriter(
          file, block, logicalLength, chainIds, key, Math.min(limit, logicalLength));
    } catch (Throwable e) {
      closeQuietly(file, e);
      throw e;
    }
  }

  private static void check(long logicalLength, int[] chainIds) {
    BlockHeader.checkChain(chainIds);
    if (logicalLength < 1 || logicalLength > BlockFormat.MAX_LOGICAL_LENGTH) {
      throw new IllegalArgumentException("logical length " + logicalLength);
    }
  }

  private static void closeQuietly(DurableFile file, Throwable cause) {
    try {
      file.close();
    } catch (Throwable e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * Appends a frame.
   *
   * @param stored consumed, not kept
   * @throws NotSmallerException if the file would become longer than the limit, or the frame table
   *     longer than {@value BlockFormat#MAX_TABLE_LENGTH} bytes
   */
  @Override
  public void frame(int originalLength, int stages, ByteBuffer stored) throws IOException {
    list(originalLength, stored.remaining(), stages, Crc32c.update(0, stored));
    append(stored);
  }

  /**
   * Lists a frame that lies in the file already, behind the frames listed before it.
   *
   * @param checksum the CRC32C of its stored bytes
   * @throws NotSmallerException as for {@link #frame}
   */
  public void written(int originalLength, int storedLength, int stages, int checksum)
      throws IOException {
    if (pending != null && pending.position() > 0) {
      throw new IllegalStateException("frames were appended");
    }
    list(originalLength, storedLength, stages, checksum);
    written += storedLength;
  }

  private void list(int originalLength, int storedLength, int stages, int checksum)
      throws IOException {
    checkOpen();
    if (originalLength < 1
        || originalLength > FrameCodec.MAX_FRAME_LENGTH
        || originalLength > logicalLength - originalTotal) {
      throw new IllegalArgumentException(
          "a frame of "
              + originalLength
              + " bytes at "
              + originalTotal
              + " of "
              + logicalLength
              + " bytes");
    }
    if (stages < 0 || stages >= 1 << chainIds.length) {
      throw new IllegalArgumentException("stages " + stages + " of a chain of " + chainIds.length);
    }
    if (storedLength > FrameCodec.MAX_FRAME_LENGTH) {
      throw new NotSmallerException(FrameCodec.MAX_FRAME_LENGTH);
    }
    table.add(originalLength, storedLength, stages, checksum);
    originalTotal += originalLength;
    long tableLength = table.encodedLength();
    if (written + pending.position() + storedLength + tableLength > limit
        || tableLength > BlockFormat.MAX_TABLE_LENGTH) {
      throw new NotSmallerException(limit);
    }
  }

  private void append(ByteBuffer bytes) throws IOException {
    if (bytes.remaining() > pending.remaining()) {
      flush();
    }
    if (bytes.remaining() > pending.remaining()) {
      int length = bytes.remaining();
      file.write(bytes, written);
      written += length;
    } else {
      pending.put(bytes);
    }
  }

  private void flush() throws IOException {
    pending.flip();
    int length = pending.remaining();
    if (length > 0) {
      file.write(pending, written);
      written += length;
    }
    pending.clear();
  }

  /** Returns whether frames for the whole logical length have been appended or listed. */
  public boolean hasAllFrames() {
    return originalTotal == logicalLength;
  }

  /**
   * Writes the frame table and then the header. The file is complete, but not durable.
   *
   * @return the file's physical length in bytes
   * @throws IllegalStateException if the frames do not add up to the logical length
   */
  public long finish() throws IOException {
    checkOpen();
    if (!hasAllFrames()) {
      throw new IllegalStateException(
          "frames of " + originalTotal + " bytes for a block of " + logicalLength);
    }
    long tablePosition = written + pending.position();
    ByteBuffer encodedTable = table.encode();
    BlockHeader header =
        new BlockHeader(
            chainIds,
            block.poolHash(),
            block.blockId(),
            logicalLength,
            tablePosition,
            encodedTable.remaining());
    append(encodedTable);
    flush();
    file.write(ByteBuffer.wrap(header.encode(key)), 0);
    finished = true;
    return header.physicalLength();
  }

  /** Makes the file's content and length durable. */
  public void force() throws IOException {
    file.force();
  }

  /** The finished file, to be read back; it is closed together with this writer. */
  public DurableFile file() {
    return file;
  }

  private void checkOpen() {
    if (finished || pending == null) {
      throw new IllegalStateException("the file was " + (finished ? "finished" : "closed"));
    }
  }

  @Override
  public void close() throws IOException {
    if (pending != null) {
      BufferPool.shared().give(pending);
      pending = null;
    }
    file.close();
  }
}
