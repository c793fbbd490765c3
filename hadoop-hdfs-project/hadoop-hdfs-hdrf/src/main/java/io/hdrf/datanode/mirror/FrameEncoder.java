/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.FrameChain;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Encodes data into frames of one chain, in a buffer that it keeps. For one thread. */
final class FrameEncoder implements Closeable {

  private final Mirroring mirroring;
  private final int[] chainIds;
  private final FrameChain chain;
  private ByteBuffer encoded = BufferPool.shared().take(0);

  FrameEncoder(Mirroring mirroring, int[] chainIds) throws IOException {
    this.mirroring = mirroring;
    this.chainIds = chainIds.clone();
    this.chain = mirroring.chains().get(chainIds);
  }

  /** The schemes' ids; not a copy. */
  int[] chainIds() {
    return chainIds;
  }

  /**
   * Encodes what remains of {@code data}, at least one byte. A scheme that fails must not stop the
   * pipeline: the data are then left as they are.
   *
   * @return which schemes were applied
   */
  int encode(ByteBuffer data) {
    int begin = data.position();
    encoded = cleared(encoded, chain.maxEncodedLength(data.remaining()));
    int stages;
    try {
      stages = chain.encode(data, encoded);
      mirroring.counters().encoded(1);
    } catch (IOException e) {
      mirroring.encoderFailed(chain, e);
      data.position(begin);
      encoded.clear();
      encoded.put(data);
      stages = 0;
    }
    encoded.flip();
    return stages;
  }

  /** Returns an empty buffer with room for so many bytes, which replaces the last encoded frame. */
  ByteBuffer clear(int length) {
    encoded = cleared(encoded, length);
    return encoded;
  }

  private static ByteBuffer cleared(ByteBuffer buffer, int length) {
    ByteBuffer roomy = buffer;
    if (buffer.capacity() < length) {
      BufferPool.shared().give(buffer);
      roomy = BufferPool.shared().take(length);
    }
    roomy.clear();
    return roomy;
  }

  /** Returns the last encoded frame; to consume it changes nothing here. */
  ByteBuffer encoded() {
    return encoded.duplicate();
  }

  @Override
  public void close() {
    if (encoded != null) {
      BufferPool.shared().give(encoded);
      encoded = null;
    }
  }
}
