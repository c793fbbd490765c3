/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Encodes chunks, or differences, in groups, and counts what they take. For one thread. */
final class ChunkGroups {

  private final FrameChain chain;
  private final int limit;
  private final int logicalLimit;
  private final ByteBuffer group;
  private long logical;
  private long originalBytes;
  private long storedBytes;
  private int count;

  /**
   * @param limit no group is longer before it is encoded, in bytes, but one of a single chunk
   * @param longest no chunk is longer, in bytes
   */
  ChunkGroups(FrameChain chain, int limit, int longest) {
    this(chain, limit, Integer.MAX_VALUE, longest);
  }

  /**
   * @param logicalLimit of the chunks that a group makes, likewise
   */
  ChunkGroups(FrameChain chain, int limit, int logicalLimit, int longest) {
    this.chain = chain;
    this.limit = limit;
    this.logicalLimit = logicalLimit;
    this.group = ByteBuffer.allocateDirect(Math.max(limit, longest));
  }

  /** Takes a chunk, from position to limit, into the present group, if it fits, or the next one. */
  void add(ByteBuffer chunk) throws IOException {
    add(chunk, chunk.remaining());
  }

  /** As above; takes what is stored for a chunk, and returns the number of its group. */
  int add(ByteBuffer stored, int chunkLength) throws IOException {
    if (group.position() + stored.remaining() > limit || logical + chunkLength > logicalLimit) {
      end();
    }
    group.put(stored);
    logical += chunkLength;
    originalBytes += chunkLength;
    return count;
  }

  /** Ends the present group; the next chunk begins another. */
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

  /** The lengths of all chunks. */
  long originalBytes() {
    return originalBytes;
  }

  long storedBytes() {
    return storedBytes;
  }

  int count() {
    return count;
  }
}
