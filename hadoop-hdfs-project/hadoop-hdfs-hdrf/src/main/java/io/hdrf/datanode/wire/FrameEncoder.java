/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.io.BufferPool;
import io.hdrf.scheme.FrameChain;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Encodes data into frames of one chain, in a buffer that it keeps. For one thread. */
final class FrameEncoder implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(FrameEncoder.class);

  private final Mirroring mirroring;
  private final int[] chainIds;
  private final FrameChain chain;
  private ByteBuffer encoded = BufferPool.shared().take(0);
  private ByteBuffer decoded = BufferPool.shared().take(0);

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

  /** An empty buffer with room for so many bytes, in the place of what was encoded before. */
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

  /** What was encoded last; to consume it changes nothing here. */
  ByteBuffer encoded() {
    return encoded.duplicate();
  }

  /**
   * Decodes what was encoded last, which is best done while it is in the processor's caches.
   *
   * @param length how many bytes it stands for
   * @return null if it can't be decoded, or is to be decoded when it is stored
   */
  ByteBuffer decoded(int stages, int length) {
    if (mirroring.decodesAgain()) {
      return null;
    }
    decoded = cleared(decoded, length);
    decoded.limit(length);
    try {
      chain.decode(stages, encoded.duplicate(), decoded);
    } catch (IOException e) {
      LOG.debug("{} does not decode what it has encoded; the Reducer will find it out", chain, e);
      return null;
    }
    decoded.flip();
    return decoded;
  }

  @Override
  public void close() {
    if (encoded != null) {
      BufferPool.shared().give(encoded);
      BufferPool.shared().give(decoded);
      encoded = null;
    }
  }
}
