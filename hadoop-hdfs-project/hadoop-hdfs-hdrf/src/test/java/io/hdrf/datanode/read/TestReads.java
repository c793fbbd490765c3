/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.reduce.DecodingTurns;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.LocalDurableFiles;

/** Reads without files of long frames. */
final class TestReads {

  private TestReads() {}

  static ReducedReads of(int cacheSize, int aheadThreads, ReducerCounters counters) {
    return of(cacheSize, aheadThreads, counters, BufferPool.shared());
  }

  static ReducedReads of(
      int cacheSize, int aheadThreads, ReducerCounters counters, BufferPool buffers) {
    return new ReducedReads(
        cacheSize,
        aheadThreads,
        counters,
        buffers,
        new DecodedFiles(
            0,
            LocalDurableFiles.INSTANCE,
            new DecodingTurns(any -> Integer.MAX_VALUE),
            buffers,
            counters));
  }
}
