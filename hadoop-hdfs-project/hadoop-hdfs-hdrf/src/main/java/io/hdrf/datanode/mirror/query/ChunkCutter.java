/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.wire.ChunkBatch;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts a block into the chunks that a store would cut it into, packet by packet. A chunk belongs to
 * the packet in which it ends. For one thread.
 */
public final class ChunkCutter implements Closeable {

  /** A longer chunk is given up: for each packet it would be searched again from its beginning. */
  private static final int MAX_OPEN = 256 << 10;

  private final ChunkFunction function;
  private final int[] ends = new int[ChunkLookup.MAX_CHUNKS];
  private ByteBuffer open = BufferPool.shared().take(0);
  private int openLength;
  private long nextOffset;
  private int nextNumber;

  public ChunkCutter(ChunkFunction function) {
    this.function = function;
  }

  /** A packet's data, and the chunks that end in it. */
  public static final class Cut {
    private final ByteBuffer work;
    private final int before;
    private final int base;
    private final ChunkBatch batch;

    /**
     * @param work a buffer of the pool: what belongs to the first chunks and came before, then the
     *     packet's data
     * @param before where these begin in {@code work}
     * @param base where the batch's first chunk begins in {@code work}
     */
    private Cut(ByteBuffer work, int before, int base, ChunkBatch batch) {
      this.work = work;
      this.before = before;
      this.base = base;
      this.batch = batch;
    }

    /** Returns the chunks; null if no chunk ends in the packet. */
    public ChunkBatch batch() {
      return batch;
    }

    /** Bytes of the packet's data. */
    public int length() {
      return work.limit() - before;
    }

    /** Returns the end of a chunk in the packet's data. */
    public int end(int chunk) {
      return base + batch.ends()[chunk] - before;
    }

    /**
     * Returns the beginning, in the packet's data, of the part of a chunk that lies in the packet.
     */
    public int start(int chunk) {
      return Math.max(0, base + batch.start(chunk) - before);
    }

    /** Returns the number of bytes of a chunk that came with earlier packets. */
    public int skip(int chunk) {
      return Math.max(0, before - base - batch.start(chunk));
    }

    /** A part of the packet's data; a view. */
    public ByteBuffer data(int from, int to) {
      ByteBuffer data = work.duplicate();
      data.limit(before + to).position(before + from);
      return data;
    }

    /** Gives the buffer back. */
    public void release() {
      BufferPool.shared().give(work);
    }
  }

  /**
   * Takes the next packet.
   *
   * @param offset where its data begin in the block; where they do not follow the last packet's, a
   *     chunk begins
   * @param data consumed
   * @param last whether the block ends with it
   */
  public Cut cut(long offset, ByteBuffer data, boolean last) {
    if (offset != nextOffset || openLength > MAX_OPEN) {
      openLength = 0;
    }
    int before = openLength;
    int length = data.remaining();
    nextOffset = offset + length;
    ByteBuffer work = BufferPool.shared().take(before + length);
    open.limit(before).position(0);
    work.put(open).put(data).flip();
    Cut cut = cut(work, before, last && length > 0);
    keepOpen(work);
    return cut;
  }

  /** Leaves the position of {@code work} behind the last chunk. */
  private Cut cut(ByteBuffer work, int before, boolean last) {
    int base = 0;
    ChunkBatch batch = null;
    int count = ends.length;
    while (count == ends.length && work.hasRemaining()) {
      count = function.cut(work, last, ends);
      int first = 0;
      // A chunk that ended before is no use, its bytes were sent.
      while (first < count && work.position() + ends[first] <= before) {
        first++;
      }
      if (batch == null && first < count) {
        base = work.position() + (first == 0 ? 0 : ends[first - 1]);
        batch = batch(work, base, first, count);
      }
      work.position(work.position() + (count == 0 ? 0 : ends[count - 1]));
    }
    return new Cut(work, before, base, batch);
  }

  private ChunkBatch batch(ByteBuffer work, int base, int first, int count) {
    int[] batchEnds = Arrays.copyOfRange(ends, first, count);
    for (int i = 0; i < batchEnds.length; i++) {
      batchEnds[i] += work.position() - base;
    }
    byte[] fingerprints = new byte[batchEnds.length * ChunkFunction.FINGERPRINT_LENGTH];
    ByteBuffer chunks = work.duplicate();
    chunks.position(base);
    function.fingerprints(chunks, batchEnds, batchEnds.length, fingerprints);
    return new ChunkBatch(nextNumber++, batchEnds, fingerprints);
  }

  private void keepOpen(ByteBuffer work) {
    ByteBuffer rest = work.duplicate();
    openLength = rest.remaining();
    open = BufferPool.shared().atLeast(open, openLength);
    open.clear();
    open.put(rest);
  }

  @Override
  public void close() {
    if (open != null) {
      BufferPool.shared().give(open);
      open = null;
    }
  }
}
