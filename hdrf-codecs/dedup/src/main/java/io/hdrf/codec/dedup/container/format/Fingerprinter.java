/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import java.nio.ByteBuffer;

/** The function that makes a chunk's fingerprint. Safe for use by many threads. */
@FunctionalInterface
public interface Fingerprinter {

  /** A fingerprint's length in bytes. */
  int LENGTH = 32;

  /**
   * Writes the fingerprint of a chunk.
   *
   * @param chunk from position to limit; direct. The position may change, the bytes must not
   * @param dst where {@link #LENGTH} bytes are written, from {@code offset} on
   */
  void fingerprint(ByteBuffer chunk, byte[] dst, int offset);

  /**
   * Writes the fingerprints of chunks that lie one behind the other from the buffer's position on,
   * which stays as it is.
   *
   * @param data direct
   * @param ends where each chunk ends, as distances from the position
   * @param count how many chunks
   * @param dst gets {@code count} times {@link #LENGTH} bytes
   */
  default void fingerprints(ByteBuffer data, int[] ends, int count, byte[] dst) {
    ByteBuffer chunk = data.duplicate();
    for (int i = 0; i < count; i++) {
      chunk.limit(data.position() + ends[i]);
      chunk.position(data.position() + (i == 0 ? 0 : ends[i - 1]));
      fingerprint(chunk, dst, i * LENGTH);
    }
  }
}
