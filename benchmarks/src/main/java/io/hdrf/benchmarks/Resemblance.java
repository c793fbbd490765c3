/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/**
 * Other ways to make three super-features of four features each, to be compared with Odess in Java.
 * Both roll a Gear hash, as Odess does, in the place of their papers' Rabin fingerprints.
 */
enum Resemblance {
  /**
   * N-transform (Broder, 2000; Shilane and others, 2012): the largest of 12 functions of all
   * hashes.
   */
  N_TRANSFORM {
    @Override
    void features(ByteBuffer data, int from, int to, long[] features) {
      long hash = 0;
      for (int p = from; p < to; p++) {
        hash = (hash << 1) + GEAR[data.get(p) & 0xff];
        for (int i = 0; i < COUNT; i++) {
          features[i] = Math.max(features[i], FACTORS[i] * hash);
        }
      }
    }
  },

  /**
   * Finesse (Zhang and others, FAST 2019): the largest hash of each twelfth of the chunk, in groups
   * of three neighbours; the largest of each group make a super-feature, and so on.
   */
  FINESSE {
    @Override
    void features(ByteBuffer data, int from, int to, long[] features) {
      long[] found = new long[COUNT];
      long length = (long) to - from;
      long hash = 0;
      for (int i = 0; i < COUNT; i++) {
        found[i] = Long.MIN_VALUE;
        int end = from + (int) (length * (i + 1) / COUNT);
        for (int p = from + (int) (length * i / COUNT); p < end; p++) {
          hash = (hash << 1) + GEAR[data.get(p) & 0xff];
          found[i] = Math.max(found[i], hash);
        }
      }
      for (int group = 0; group < 4; group++) {
        Arrays.sort(found, 3 * group, 3 * group + 3);
        for (int rank = 0; rank < 3; rank++) {
          features[4 * rank + group] = found[3 * group + rank];
        }
      }
    }
  };

  private static final int COUNT = 12;
  private static final long[] GEAR = new Random(1).longs(256).toArray();
  private static final long[] FACTORS = new Random(2).longs(COUNT).map(l -> l | 1).toArray();

  abstract void features(ByteBuffer data, int from, int to, long[] features);

  /** Makes the super-features of a part of a buffer. */
  final void of(ByteBuffer data, int from, int to, long[] superFeatures) {
    long[] features = new long[COUNT];
    Arrays.fill(features, Long.MIN_VALUE);
    features(data, from, to, features);
    for (int i = 0; i < superFeatures.length; i++) {
      long mixed = i + 1L;
      for (int j = 0; j < 4; j++) {
        mixed = (mixed ^ features[4 * i + j]) * 0xbf58476d1ce4e5b9L;
        mixed ^= mixed >>> 32;
      }
      superFeatures[i] = mixed == 0 ? 1 : mixed;
    }
  }
}
