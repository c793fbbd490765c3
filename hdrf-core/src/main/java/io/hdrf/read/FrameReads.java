/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import io.hdrf.block.ReducedBlock;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
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

  /** Says what a reader is told when a frame can't be read or decoded. */
  public interface Errors {
    /** The exception for the reader; its message is not null. */
    IOException translate(ReducedBlock block, Throwable failure);
  }

  private static final int QUEUED_PER_THREAD = 16;

  private final FrameCache cache;
  private final BufferPool buffers;
  private final ReducerCounters counters;
  private final Errors errors;

  /** Null where nothing is decoded ahead. */
  private final ThreadPoolExecutor ahead;

  /**
   * @param cacheSize bytes of decoded frames to keep for positional reads; frames longer than half
   *     of that are not kept
   * @param aheadThreads threads that decode ahead; 0 means none
   */
  public FrameReads(
      int cacheSize,
      int aheadThreads,
      BufferPool buffers,
      ReducerCounters counters,
      Errors errors) {
    this.cache = new FrameCache(cacheSize, buffers);
    this.buffers = buffers;
    this.counters = counters;
    this.errors = errors;
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
   * @param check examines what was decoded. Readers of one block share the cache, so all have the
   *     same one
   */
  public FrameReader reader(
      ReducedBlock block, ChainCodec codec, FileDescriptor file, FrameCheck check) {
    return new FrameReader(this, block, codec, file, check);
  }

  FrameCache cache() {
    return cache;
  }

  BufferPool buffers() {
    return buffers;
  }

  ReducerCounters counters() {
    return counters;
  }

  IOException translate(ReducedBlock block, Throwable failure) {
    return errors.translate(block, failure);
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
  }
}
