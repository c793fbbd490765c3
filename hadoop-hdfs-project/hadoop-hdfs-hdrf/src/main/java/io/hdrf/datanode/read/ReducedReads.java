/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.block.ReducedBlock;
import io.hdrf.jni.NativeFiles;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;

/** Makes streams over reduced blocks; owns what a DataNode's readers share. Thread-safe. */
public final class ReducedReads implements Closeable {

  private final FrameCache cache;
  private final DecodeAhead ahead;
  private final BufferPool buffers = BufferPool.shared();
  private final ReducerCounters counters;

  /**
   * @param cacheSize bytes of decoded frames to keep for positional reads
   * @param aheadThreads threads that decode ahead; 0 means none
   */
  public ReducedReads(int cacheSize, int aheadThreads, ReducerCounters counters) {
    this.cache = new FrameCache(cacheSize);
    this.ahead = new DecodeAhead(aheadThreads);
    this.counters = counters;
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
    FrameReader reader =
        new FrameReader(
            block,
            codec,
            buffers,
            cache,
            ahead,
            new StoredReadahead(descriptor, block.physicalLength()),
            counters);
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
    ahead.close();
  }
}
