/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.codec.dedup.delta.BaseTable;
import java.util.Arrays;

/**
 * A table of bases for simulations: sets of four slots of 16 bytes, of which the oldest entry goes.
 * For one thread.
 */
final class BoundedBases implements BaseTable {

  private static final int WAYS = 4;
  private static final int SLOT_BYTES = 2 * Long.BYTES;

  private final long[] keys;
  private final long[] values;
  private final int sets;

  /**
   * @param bytes of memory, at least one set's; it takes the next lower number of sets
   */
  BoundedBases(long bytes) {
    sets = (int) Math.max(1, bytes / SLOT_BYTES / WAYS);
    keys = new long[sets * WAYS];
    values = new long[sets * WAYS];
    Arrays.fill(values, NONE);
  }

  private int set(long key) {
    return (int) Math.multiplyHigh((key * 0x9e3779b97f4a7c15L) >>> 1, 2L * sets) * WAYS;
  }

  @Override
  public void find(long[] superFeatures, int count, long[] bases) {
    for (int i = 0; i < count; i++) {
      bases[i] = NONE;
      int set = set(superFeatures[i]);
      for (int way = 0; way < WAYS && superFeatures[i] != 0; way++) {
        if (keys[set + way] == superFeatures[i]) {
          bases[i] = values[set + way];
          break;
        }
      }
    }
  }

  /** The newest entry is the first of its set. */
  @Override
  public void add(long[] superFeatures, int count, long[] bases) {
    for (int i = 0; i < count; i++) {
      if (superFeatures[i] == 0) {
        continue;
      }
      int set = set(superFeatures[i]);
      int last = 0;
      while (last < WAYS - 1 && keys[set + last] != superFeatures[i] && keys[set + last] != 0) {
        last++;
      }
      System.arraycopy(keys, set, keys, set + 1, last);
      System.arraycopy(values, set, values, set + 1, last);
      keys[set] = superFeatures[i];
      values[set] = bases[i];
    }
  }
}
