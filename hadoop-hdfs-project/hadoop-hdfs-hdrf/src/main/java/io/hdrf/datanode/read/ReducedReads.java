/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.block.ReducedBlock;
import io.hdrf.jni.NativeFiles;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.thread.HdrfThreads;
import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Makes streams over reduced blocks, and owns what a DataNode's readers share: the frame cache, and
 * threads that decode frames ahead. When all these are busy a reader decodes by itself. They are
 * never interrupted while they read: that would close a reader's channel. Thread-safe.
 */
public final class ReducedReads implements Closeable {

  private static final int QUEUED_PER_THREAD = 16;

  private final FrameCache cache;
  private final BufferPool buffers;
  private final ReducerCounters counters;

  /** Null where nothing is decoded ahead. */
  private final ThreadPoolExecutor ahead;

  /**
   * @param cacheSize bytes of decoded frames to keep for positional reads
   * @param aheadThreads threads that decode ahead; 0 means none
   */
  public ReducedReads(int cacheSize, int aheadThreads, ReducerCounters counters) {
    this(cacheSize, aheadThreads, counters, BufferPool.shared());
  }

  ReducedReads(int cacheSize, int aheadThreads, ReducerCounters counters, BufferPool buffers) {
    this.cache = new FrameCache(cacheSize);
    this.buffers = buffers;
    this.counters = counters;
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

  FrameCache cache() {
    return cache;
  }

  BufferPool buffers() {
    return buffers;
  }

  ReducerCounters counters() {
    return counters;
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

  /**
   * A stream over the decoded block.
   *
   * @param file what the block is read from; closed with the stream
   * @param descriptor the file's
   * @param position where the stream begins, in decoded bytes
   * @param dropBehind whether the file's pages are to leave the page cache after the read
   */
  public FileInputStream open(
      ReducedBlock block,
      ChainCodec codec,
      Closeable file,
      FileDescriptor descriptor,
      long position,
      boolean dropBehind)
      throws IOException {
    counters.read();
    FrameReader reader = new FrameReader(this, block, codec, descriptor);
    Closeable underlying =
        dropBehind
            ? () -> {
              try {
                NativeFiles.fadvise(
                    descriptor, 0, block.physicalLength(), NativeFiles.Advice.DONTNEED);
              } finally {
                file.close();
              }
            }
            : file;
    return new DecodedBlockInputStream(new DecodedBlockChannel(reader, underlying, position));
  }

  @Override
  public void close() {
    if (ahead != null) {
      ahead.shutdown();
    }
  }
}
