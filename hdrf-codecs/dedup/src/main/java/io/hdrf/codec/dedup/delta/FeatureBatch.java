/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import io.hdrf.jni.ChunkFeatures;
import java.nio.ByteBuffer;

/**
 * The features of the new chunks of a buffer, and what the table has for them, all looked up at
 * once. Keeps its memory from buffer to buffer. For one thread.
 */
public final class FeatureBatch {

  /** The number of super-features of a chunk. */
  public static final int SUPER_FEATURES = SuperFeatures.COUNT;

  private final BaseTable table;
  private int[] features = new int[64 * ChunkFeatures.COUNT];
  private long[] superFeatures = new long[64 * SuperFeatures.COUNT];
  private long[] bases = new long[64 * SuperFeatures.COUNT];

  public FeatureBatch(BaseTable table) {
    this.table = table;
  }

  /**
   * Takes new chunks in the place of those before; the arguments are those of {@link
   * ChunkFeatures#of}.
   */
  public void take(ByteBuffer data, int[] starts, int[] ends, int chunks) {
    if (chunks > features.length / ChunkFeatures.COUNT) {
      int[] moreFeatures = new int[chunks * ChunkFeatures.COUNT];
      long[] moreSuperFeatures = new long[chunks * SuperFeatures.COUNT];
      bases = new long[chunks * SuperFeatures.COUNT];
      superFeatures = moreSuperFeatures;
      features = moreFeatures;
    }
    ChunkFeatures.of(data, starts, ends, chunks, features);
    for (int i = 0; i < chunks; i++) {
      SuperFeatures.of(features, i * ChunkFeatures.COUNT, superFeatures, i * SuperFeatures.COUNT);
    }
    table.find(superFeatures, chunks * SuperFeatures.COUNT, bases);
  }

  /**
   * Returns what the table has for a super-feature of a chunk, or {@link BaseTable#NONE}.
   *
   * @param which 0 to 2
   */
  long base(int chunk, int which) {
    return bases[chunk * SuperFeatures.COUNT + which];
  }

  /** Returns whether a chunk has one of those features, in the same place. */
  boolean agrees(int chunk, int[] others) {
    int at = chunk * ChunkFeatures.COUNT;
    for (int i = 0; i < ChunkFeatures.COUNT; i++) {
      if (features[at + i] != 0 && features[at + i] == others[i]) {
        return true;
      }
    }
    return false;
  }

  /**
   * Copies the super-features of a chunk that is stored in full, for {@link BaseTable#add} once it
   * is published.
   *
   * @param into receives three numbers, from {@code at} on
   */
  public void superFeatures(int chunk, long[] into, int at) {
    System.arraycopy(superFeatures, chunk * SuperFeatures.COUNT, into, at, SuperFeatures.COUNT);
  }
}
