/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Tells a {@link BlockCodec} which frames will be decoded soon, so that what they need of its store
 * is read from disk in an order that suits the disk. Best effort: whatever happens to the store
 * meanwhile, decoding depends on none of it. For one thread.
 */
public interface Prefetch {

  /**
   * The next frame.
   *
   * @param payload direct, as {@link BlockCodec#encode} emitted it; may be consumed, not kept
   * @throws IOException if it can't be prefetched for, which its decoding will explain
   */
  void add(ByteBuffer payload) throws IOException;

  /** Begins to read what the frames need that were added since the last call, without waiting. */
  void start();
}
