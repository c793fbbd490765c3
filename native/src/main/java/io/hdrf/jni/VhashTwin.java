/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;

/** {@link ChunkerAlgorithm#VHASH}; {@code hdrf_chunk_vhash.c} explains it. */
final class VhashTwin extends ChunkerTwin {

  private static final int WINDOW = 32;

  // The factors for the left half of 8, 16 and 32 bytes.
  private static final int LEFT_OF_8 = 0x72b1;
  private static final int LEFT_OF_16 = 0xc7af;
  private static final int LEFT_OF_32 = 0x2047;

  private static final long FIRST = 0x9e3779b97f4a7c15L;
  private static final long SECOND = 0xd6e8feb86659fd93L;

  /** The narrow hash of a run. */
  private static final int RUN = 0x8000;

  /** Hashes from this one on never end a chunk. */
  private static final long NONE = (long) RUN << 32;

  private final int window;
  private final int minimum;
  private final int maximum;
  private final long strict;

  VhashTwin(ChunkerParameters parameters) {
    this.window = parameters.window;
    this.minimum = parameters.minimum;
    this.maximum = parameters.maximum;
    this.strict = parameters.strict;
  }

  @Override
  int first(ByteBuffer data, int start, int length) {
    long best = NONE;
    int cut = 0;
    int end = minimum;
    for (; end < maximum && end <= length; end++) {
      if (cut != 0 && end > cut + window) {
        return cut;
      }
      int at = start + end - WINDOW;
      long narrow = narrow(data, at);
      if (narrow > best >>> 32) {
        continue;
      }
      long hash = narrow << 32 | wide(data, at);
      if (hash < strict) {
        return end;
      }
      if (hash < best) {
        best = hash;
        cut = end;
      }
    }
    if (cut != 0 && end > cut + window) {
      return cut;
    }
    if (length < maximum) {
      return 0;
    }
    return cut != 0 ? cut : maximum;
  }

  private static int narrow(ByteBuffer data, int at) {
    return ((LEFT_OF_32 * half(data, at) + half(data, at + 16)) ^ RUN) & 0xffff;
  }

  private static int half(ByteBuffer data, int at) {
    int left = LEFT_OF_8 * step(data, at) + step(data, at + 4);
    int right = LEFT_OF_8 * step(data, at + 8) + step(data, at + 12);
    return LEFT_OF_16 * left + right;
  }

  /** The difference of two neighbouring words. */
  private static int step(ByteBuffer data, int at) {
    return word(data, at + 2) - word(data, at);
  }

  private static int word(ByteBuffer data, int at) {
    return (data.get(at) & 0xff) | (data.get(at + 1) & 0xff) << 8;
  }

  private static long wide(ByteBuffer data, int at) {
    long hash = load(data, at) * FIRST;
    hash = (hash ^ load(data, at + 8)) * SECOND;
    hash = (hash ^ load(data, at + 16)) * FIRST;
    hash = (hash ^ load(data, at + 24)) * SECOND;
    return hash >>> 32;
  }

  private static long load(ByteBuffer data, int at) {
    long value = 0;
    for (int i = Long.BYTES - 1; i >= 0; i--) {
      value = value << 8 | (data.get(at + i) & 0xff);
    }
    return value;
  }
}
