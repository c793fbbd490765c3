/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import io.hdrf.block.ReducedBlock;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.thread.HdrfThreads;
import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What the readers of a process share: the frame cache, buffers, and threads that decode frames
 * ahead. When all these are busy a reader decodes by itself. They are never interrupted while they
 * read: that would close a reader's channel. Thread-safe.
 */
public final class FrameReads implements Closeable {

  /** Whose reads they are. Called by many threads. */
  public interface Owner {

    /**
     * Says what a reader is told when a frame can't be read or decoded.
     *
     * @return the exception for the reader; its message is not null
     */
    IOException translate(ReducedBlock block, Throwable failure);

    /** Is told of frames that were decoded for a reader. */
    default void decoded(int bytes, long nanos) {}

    /** Is told of a frame that a reader found in the cache. */
    default void frameCacheHit() {}
  }

  /** The source of a reader that is to read the disk, and uses no cached frames. */
  public static final long NOT_CACHED = -1;

  private static final int QUEUED_PER_THREAD = 16;

  private final FrameCache cache;
  private final BufferPool buffers;
  private final Owner owner;

  /** Null where nothing is decoded ahead. */
  private final ThreadPoolExecutor ahead;

  /** As below, without a budget. */
  public FrameReads(int cacheSize, int aheadThreads, BufferPool buffers, Owner owner) {
    this(cacheSize, aheadThreads, buffers, MemoryBudget.unlimited(), owner);
  }

  /**
   * @param cacheSize bytes of decoded frames to keep for positional reads; frames longer than half
   *     of that are not kept
   * @param aheadThreads threads that decode ahead; 0 means none
   * @param budget for the frames that are kept
   */
  public FrameReads(
      int cacheSize, int aheadThreads, BufferPool buffers, MemoryBudget budget, Owner owner) {
    this.cache = new FrameCache(cacheSize, buffers, budget);
    this.buffers = buffers;
    this.owner = owner;
    if (aheadThreads == 0) {
      ahead = null;
      return;
    }
    ahead =
        new ThreadPoolExecutor(
            aheadThreads,
            aheadThreads,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUED_PER_THREAD * aheadThreads),
            HdrfThreads.factory("hdrf-decode-ahead"));
    ahead.allowCoreThreadTimeOut(true);
  }

  /**
   * A reader of a block.
   *
   * @param file the block's, so that the kernel can be told to read ahead; null if it is not to
   * @param check examines what was decoded
   * @param source where the block comes from. Its readers share cached frames, so all have the same
   *     check, and no two of its volumes have the same tags
   */
  public FrameReader reader(
      ReducedBlock block, ChainCodec codec, FileDescriptor file, FrameCheck check, long source) {
    return new FrameReader(this, block, codec, file, check, source);
  }

  FrameCache cache() {
    return cache;
  }

  BufferPool buffers() {
    return buffers;
  }

  Owner owner() {
    return owner;
  }

  boolean decodesAhead() {
    return ahead != null;
  }

  /** Decodes the slot's frames soon; if no thread has time, their reader will do it. */
  void decodeAhead(FrameSlot slot) {
    try {
      ahead.execute(slot);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // No thread has time, or none could be made: the reader decodes the frame when it gets there.
    }
  }

  @Override
  public void close() {
    if (ahead != null) {
      ahead.shutdown();
    }
    cache.close();
  }
}
