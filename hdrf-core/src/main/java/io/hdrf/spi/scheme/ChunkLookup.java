/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Looks for chunks in a store, batch after batch of one stream of data; remembers between batches
 * where it found the last ones. For one thread.
 */
public interface ChunkLookup extends Closeable {

  /** Finds nothing. */
  ChunkLookup NONE = (fingerprints, ends, count, found, dst) -> {};

  /** The most chunks of one batch. */
  int MAX_CHUNKS = 1024;

  /**
   * Copies those chunks of a batch that are in the store. What is copied was read without error,
   * but has not been compared with its fingerprint.
   *
   * @param fingerprints of {@code count} chunks, one after the other, as of {@link ChunkFunction}
   * @param ends where each chunk ends in {@code dst}, as a distance from its position; the first
   *     begins there
   * @param count at most {@link #MAX_CHUNKS}
   * @param found which chunks need not be looked for; gets those that were copied
   * @param dst direct; its position stays as it is. What is not found may be overwritten
   * @throws IOException if the store can't be used; what is in {@code found} is there all the same
   */
  void find(byte[] fingerprints, int[] ends, int count, BitSet found, ByteBuffer dst)
      throws IOException;

  @Override
  default void close() {}
}
