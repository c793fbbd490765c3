/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Encodes chunks in groups, and counts what they take. For one thread. */
final class ChunkGroups {

  private final FrameChain chain;
  private final ByteBuffer group;
  private long originalBytes;
  private long storedBytes;
  private long count;

  /**
   * @param limit no group is longer, in bytes, but one of a single chunk
   * @param longest no chunk is longer, in bytes
   */
  ChunkGroups(FrameChain chain, int limit, int longest) {
    this.chain = chain;
    this.group = ByteBuffer.allocateDirect(Math.max(limit, longest));
    group.limit(limit);
  }

  /** Takes a chunk, from position to limit, into the present group, if it fits, or the next one. */
  void add(ByteBuffer chunk) throws IOException {
    if (chunk.remaining() > group.remaining()) {
      end();
    }
    if (chunk.remaining() > group.remaining()) {
      group.limit(group.capacity());
    }
    originalBytes += chunk.remaining();
    group.put(chunk);
  }

  /** Ends the present group; the next chunk begins another. */
  void end() throws IOException {
    if (group.position() == 0) {
      return;
    }
    int limit = group.limit();
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
    group.limit(limit);
  }

  long originalBytes() {
    return originalBytes;
  }

  long storedBytes() {
    return storedBytes;
  }

  long count() {
    return count;
  }
}
