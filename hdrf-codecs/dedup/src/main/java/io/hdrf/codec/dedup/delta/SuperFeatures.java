/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import io.hdrf.jni.ChunkFeatures;

/**
 * Makes numbers of 64 bits of four features each: chunks that share one are very probably similar.
 */
final class SuperFeatures {

  /** The number of super-features of a chunk. */
  static final int COUNT = 3;

  private static final int FEATURES_EACH = ChunkFeatures.COUNT / COUNT;

  private SuperFeatures() {}

  /**
   * @param features of one chunk, from {@code at} on
   * @param into receives {@value #COUNT} numbers, from {@code to} on; 0 if the chunk has no
   *     features
   */
  static void of(int[] features, int at, long[] into, int to) {
    boolean none = true;
    for (int i = 0; i < ChunkFeatures.COUNT; i++) {
      none &= features[at + i] == 0;
    }
    for (int i = 0; i < COUNT; i++) {
      // Begins with its number, so that the first of one chunk never meets the second of another.
      long mixed = i + 1L;
      for (int j = 0; j < FEATURES_EACH; j++) {
        mixed = (mixed ^ features[at + i * FEATURES_EACH + j]) * 0xbf58476d1ce4e5b9L;
        mixed ^= mixed >>> Integer.SIZE;
      }
      into[to + i] = none ? 0 : mixed == 0 ? 1 : mixed;
    }
  }
}
