/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Groups of chunks and differences in the order of their numbers. For one thread. */
final class DeltaGroups {

  private final FrameChain chain;
  private final int storedLimit;
  private final int logicalLimit;
  private final ByteBuffer group;
  private long logical;
  private long storedBytes;
  private int count;

  /**
   * @param storedLimit of a group before it is encoded, in bytes
   * @param logicalLimit of the chunks that a group makes, in bytes
   * @param longest no chunk is longer, in bytes
   */
  DeltaGroups(FrameChain chain, int storedLimit, int logicalLimit, int longest) {
    this.chain = chain;
    this.storedLimit = storedLimit;
    this.logicalLimit = logicalLimit;
    this.group = ByteBuffer.allocateDirect(Math.max(storedLimit, longest));
  }

  /** Adds what is stored for a chunk, and returns the number of its group. */
  int add(ByteBuffer stored, int chunkLength) throws IOException {
    if (group.position() + stored.remaining() > storedLimit
        || logical + chunkLength > logicalLimit) {
      end();
    }
    group.put(stored);
    logical += chunkLength;
    return count;
  }

  void end() throws IOException {
    if (group.position() == 0) {
      return;
    }
    group.flip();
    ByteBuffer encoded = BufferPool.shared().take(chain.maxEncodedLength(group.remaining()));
    try {
      chain.encode(group, encoded);
      storedBytes += encoded.position();
    } finally {
      BufferPool.shared().give(encoded);
    }
    count++;
    group.clear();
    logical = 0;
  }

  long storedBytes() {
    return storedBytes;
  }

  int count() {
    return count;
  }
}
