/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

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
}
