/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.jni.Crc32c;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * Makes the checksums of a stream of data, one for each chunk of a fixed length, as HDFS does. Its
 * memory does not depend on the length of the stream or of the chunks. For one thread.
 */
public final class ChunkSums {

  /** Takes the checksums in order. */
  public interface Consumer {
    /** Returns false if no more are wanted. */
    boolean accept(int sum) throws IOException;
  }

  /** The number of checksums made at once. */
  private static final int BATCH = 1024;

  private final int chunkLength;
  private final boolean castagnoli;
  private final Consumer consumer;
  private final CRC32 crc32 = new CRC32();
  private final int[] ends;
  private final int[] found;

  private int inChunk;
  private int crc32c;
  private boolean wanted = true;

  /**
   * @param type not NULL
   * @param chunkLength in bytes, at least 1
   */
  public ChunkSums(BlockChecksums.Type type, int chunkLength, Consumer consumer) {
    this.castagnoli = type == BlockChecksums.Type.CRC32C;
    this.chunkLength = chunkLength;
    this.consumer = consumer;
    this.ends = new int[Math.max(1, Math.min(BATCH, Integer.MAX_VALUE / chunkLength))];
    this.found = new int[ends.length];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = (i + 1) * chunkLength;
    }
  }

  /**
   * Takes the next bytes.
   *
   * @param data consumed; best direct
   */
  public void update(ByteBuffer data) throws IOException {
    int end = data.limit();
    while (wanted && data.position() < end) {
      int length = Math.min(chunkLength - inChunk, end - data.position());
      if (length == chunkLength) {
        wholeChunks(data);
      } else {
        partOfChunk(data, length);
      }
    }
    data.position(end);
  }

  /** Ends the stream, whose last chunk may be shorter; another stream may follow. */
  public void finish() throws IOException {
    if (wanted && inChunk > 0) {
      endChunk();
    }
  }

  private void wholeChunks(ByteBuffer data) throws IOException {
    int begin = data.position();
    int end = data.limit();
    int count = 1;
    if (castagnoli) {
      count = Math.min(ends.length, data.remaining() / chunkLength);
      Crc32c.ofEach(data, ends, count, found);
    } else {
      data.limit(begin + chunkLength);
      crc32.reset();
      crc32.update(data);
      data.limit(end);
      found[0] = (int) crc32.getValue();
    }
    for (int i = 0; wanted && i < count; i++) {
      wanted = consumer.accept(found[i]);
    }
    data.position(begin + count * chunkLength);
  }

  private void partOfChunk(ByteBuffer data, int length) throws IOException {
    int end = data.limit();
    int begin = data.position();
    data.limit(begin + length);
    if (castagnoli) {
      crc32c = Crc32c.update(crc32c, data);
    } else {
      if (inChunk == 0) {
        crc32.reset();
      }
      crc32.update(data);
    }
    data.limit(end);
    data.position(begin + length);
    inChunk += length;
    if (inChunk == chunkLength) {
      endChunk();
    }
  }

  private void endChunk() throws IOException {
    wanted = consumer.accept(castagnoli ? crc32c : (int) crc32.getValue());
    inChunk = 0;
    crc32c = 0;
  }
}
