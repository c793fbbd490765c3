/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.reduce.EncodedBlock;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.scheme.FrameSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The encoded frames of a whole block, as they came. For one thread at a time. */
public final class SpooledFrames implements EncodedBlock {

  private static final Logger LOG = LoggerFactory.getLogger(SpooledFrames.class);

  private final long generationStamp;
  private final int[] chainIds;
  private final long length;
  private final int[] originalLengths;
  private final int[] storedLengths;
  private final byte[] stages;
  private final int[] checksums;
  private final byte[] memory;
  private final SpoolFile file;

  /**
   * Either {@code memory} or {@code file}, which is taken over, holds the stored bytes.
   *
   * @param checksums the CRC32C of each frame's stored bytes
   */
  SpooledFrames(
      long generationStamp,
      int[] chainIds,
      long length,
      int[] originalLengths,
      int[] storedLengths,
      byte[] stages,
      int[] checksums,
      byte[] memory,
      SpoolFile file) {
    this.generationStamp = generationStamp;
    this.chainIds = chainIds;
    this.length = length;
    this.originalLengths = originalLengths;
    this.storedLengths = storedLengths;
    this.stages = stages;
    this.checksums = checksums;
    this.memory = memory;
    this.file = file;
  }

  @Override
  public int[] chainIds() {
    return chainIds.clone();
  }

  @Override
  public long generationStamp() {
    return generationStamp;
  }

  @Override
  public long length() {
    return length;
  }

  /** Returns the number of frames. */
  @Override
  public int frameCount() {
    return originalLengths.length;
  }

  /** Returns the bytes of memory that they take. */
  public long memoryBytes() {
    return (memory == null ? 0 : memory.length) + 13L * frameCount();
  }

  @Override
  public ReducedBlockWriter resume(Path path, BlockRef block, TagKey key, long limit)
      throws IOException {
    if (file == null) {
      return null;
    }
    DurableFile frames;
    try {
      frames = file.moveTo(path);
    } catch (IOException e) {
      LOG.debug("{} can't become {}; the frames will be copied", file, path, e);
      return null;
    }
    ReducedBlockWriter writer =
        ReducedBlockWriter.resume(frames, block, length, chainIds, key, limit);
    boolean listed = false;
    try {
      for (int i = 0; i < frameCount(); i++) {
        writer.written(originalLengths[i], storedLengths[i], stages[i], checksums[i]);
      }
      listed = true;
      return writer;
    } finally {
      if (!listed) {
        writer.close();
      }
    }
  }

  @Override
  public void replay(FrameSink out) throws IOException {
    int longest = 0;
    for (int stored : storedLengths) {
      longest = Math.max(longest, stored);
    }
    ByteBuffer frame = BufferPool.shared().take(longest);
    try {
      long position = 0;
      for (int i = 0; i < frameCount(); i++) {
        frame.clear();
        frame.limit(storedLengths[i]);
        read(frame, position);
        frame.flip();
        out.frame(originalLengths[i], stages[i], frame);
        position += storedLengths[i];
      }
    } finally {
      BufferPool.shared().give(frame);
    }
  }

  private void read(ByteBuffer dst, long position) throws IOException {
    if (memory != null) {
      dst.put(memory, (int) position, dst.remaining());
      return;
    }
    file.read(dst, position);
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
