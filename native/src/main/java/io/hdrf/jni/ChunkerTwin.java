/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;

/** One algorithm in Java: the same cuts as the native library's. Immutable, for any thread. */
abstract class ChunkerTwin {

  static ChunkerTwin of(ChunkerParameters parameters) {
    switch (parameters.algorithm) {
      case RAM:
      case RAML:
        return new RamTwin(parameters);
      case AE:
        return new AeTwin(parameters);
      case LMC:
        return new LmcTwin(parameters);
      case RABIN:
        return new RabinTwin(parameters);
      case GEAR:
      case FASTCDC:
        return new GearTwin(parameters);
      case FIXED:
        return new FixedTwin(parameters);
      case VHASH:
        return new VhashTwin(parameters);
    }
    throw new AssertionError(parameters.algorithm);
  }

  /**
   * The length of the chunk that begins at {@code start}, or 0 if it does not end in the {@code
   * length} (at least 1) bytes from there.
   *
   * @param last whether the stream ends there; then 0 means that the chunk ends with it
   */
  abstract int first(ByteBuffer data, int start, int length, boolean last);
}
