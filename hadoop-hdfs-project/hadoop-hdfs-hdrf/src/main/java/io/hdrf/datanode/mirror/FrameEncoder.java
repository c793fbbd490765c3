/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.FrameChain;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Makes frames of one chain, in a buffer that it keeps: of data as they are while they go plain.
 * For one thread.
 */
final class FrameEncoder implements Closeable {

  private final Mirroring mirroring;
  private final int[] chainIds;
  private final FrameChain chain;
  private final LinkMeter meter;
  private ByteBuffer encoded = BufferPool.shared().take(0);

  /**
   * @param meter tells when data go plain
   */
  FrameEncoder(Mirroring mirroring, int[] chainIds, LinkMeter meter) throws IOException {
    this.meter = meter;
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
    if (!meter.isReduced()) {
      mirroring.counters().sentPlain(data.remaining());
      clear(data.remaining());
      return keep(data);
    }
    int begin = data.position();
    clear(chain.maxEncodedLength(data.remaining()));
    int stages;
    try {
      long from = System.nanoTime();
      stages = chain.encode(data, encoded);
      meter.encoded(System.nanoTime() - from);
      mirroring.counters().encoded();
    } catch (IOException e) {
      mirroring.encoderFailed(chain, e);
      data.position(begin);
      encoded.clear();
      return keep(data);
    }
    encoded.flip();
    return stages;
  }

  private int keep(ByteBuffer data) {
    encoded.put(data);
    encoded.flip();
    return 0;
  }

  /** Returns an empty buffer with room for so many bytes, which replaces the last encoded frame. */
  ByteBuffer clear(int length) {
    encoded = BufferPool.shared().atLeast(encoded, length);
    encoded.clear();
    return encoded;
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
