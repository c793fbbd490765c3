/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.block.ReducedBlock;
import io.hdrf.jni.NativeFiles;
import io.hdrf.read.FrameCheck;
import io.hdrf.read.FrameReader;
import io.hdrf.read.FrameReads;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.memory.MemoryBudget;
import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.function.LongConsumer;

/** Makes streams over reduced blocks for the DataNode's readers. Thread-safe. */
public final class ReducedReads implements Closeable {

  /** All that is read is of this DataNode. */
  private static final long OWN_VOLUMES = 0;

  /** Stock code's own limit, in bytes; longer reads leave the page cache. */
  private static final long LONG_READ = 256 << 10;

  private final FrameReads frames;
  private final ReducerCounters counters;

  /**
   * @param cacheSize bytes of decoded frames to keep for positional reads
   * @param aheadThreads threads that decode ahead; 0 means none
   * @param budget for the frames that are kept
   */
  public ReducedReads(
      int cacheSize, int aheadThreads, ReducerCounters counters, MemoryBudget budget) {
    this(cacheSize, aheadThreads, counters, BufferPool.shared(), budget);
  }

  ReducedReads(
      int cacheSize,
      int aheadThreads,
      ReducerCounters counters,
      BufferPool buffers,
      MemoryBudget budget) {
    this.frames =
        new FrameReads(
            cacheSize,
            aheadThreads,
            buffers,
            budget,
            new FrameReads.Owner() {
              @Override
              public IOException translate(ReducedBlock block, Throwable failure) {
                return ReadFailures.translate(block, failure, counters);
              }

              @Override
              public void decoded(int bytes, long nanos) {
                counters.decoded(bytes, nanos);
              }

              @Override
              public void frameCacheHit() {
                counters.frameCacheHit();
              }
            });
    this.counters = counters;
  }

  /** A reader whose bytes the DataNode's clients verify. */
  FrameReader reader(ReducedBlock block, ChainCodec codec, FileDescriptor descriptor) {
    return frames.reader(block, codec, descriptor, FrameCheck.NONE, OWN_VOLUMES);
  }

  /**
   * A stream over the decoded block.
   *
   * @param file what the block is read from; closed with the stream
   * @param descriptor the file's
   * @param position where the stream begins, in decoded bytes
   * @param scan whether the disk is to be read whatever was decoded lately
   * @param dropBehind whether the file's pages are to leave the page cache after the read; where
   *     nobody scans, only after a long one, as in stock code: who reads here and there comes again
   */
  public FileInputStream open(
      ReducedBlock block,
      ChainCodec codec,
      Closeable file,
      FileDescriptor descriptor,
      long position,
      boolean scan,
      boolean dropBehind)
      throws IOException {
    counters.read();
    FrameReader reader =
        scan
            ? frames.reader(block, codec, descriptor, FrameCheck.NONE, FrameReads.NOT_CACHED)
            : reader(block, codec, descriptor);
    LongConsumer onEnd =
        handedOut -> {
          if (dropBehind && (scan || handedOut > LONG_READ)) {
            NativeFiles.fadvise(descriptor, 0, block.physicalLength(), NativeFiles.Advice.DONTNEED);
          }
        };
    return new DecodedBlockInputStream(new DecodedBlockChannel(reader, file, position, onEnd));
  }

  @Override
  public void close() {
    frames.close();
  }
}
