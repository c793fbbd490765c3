/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;

/** One algorithm in Java, with the same cuts as the native library. Immutable, for any thread. */
abstract class ChunkerTwin {

  static ChunkerTwin of(ChunkerParameters parameters) {
    switch (parameters.algorithm) {
      case RAM:
      case RAML:
        return new RamTwin(parameters);
      case FASTCDC:
        return new FastcdcTwin(parameters);
      case FIXED:
        return new FixedTwin(parameters);
      case VHASH:
        return new VhashTwin(parameters);
    }
    throw new AssertionError(parameters.algorithm);
  }

  /**
   * Returns the length of the chunk that begins at {@code start}, or 0 if no rule ends it within
   * the {@code length} (at least 1) bytes from there.
   */
  abstract int first(ByteBuffer data, int start, int length);
}
