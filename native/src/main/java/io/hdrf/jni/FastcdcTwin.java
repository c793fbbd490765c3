/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;

/** {@link ChunkerAlgorithm#FASTCDC}. */
final class FastcdcTwin extends ChunkerTwin {

  /** The number of bytes that affect the hash. */
  private static final int WINDOW = 64;

  private final int minimum;
  private final int maximum;
  private final int normal;
  private final long strict;
  private final long loose;

  FastcdcTwin(ChunkerParameters parameters) {
    this.minimum = parameters.minimum;
    this.maximum = parameters.maximum;
    this.normal = parameters.normal;
    this.strict = parameters.strict;
    this.loose = parameters.loose;
  }

  @Override
  int first(ByteBuffer data, int start, int length) {
    int end = Math.min(length, maximum);
    long hash = 0;
    for (int i = minimum - WINDOW; i < end; i++) {
      hash = (hash << 1) + GearTable.HASHES[data.get(start + i) & 0xff];
      long threshold = i + 1 < normal ? strict : loose;
      if (i + 1 >= minimum && Long.compareUnsigned(hash, threshold) < 0) {
        return i + 1;
      }
    }
    return end == maximum ? end : 0;
  }
}
