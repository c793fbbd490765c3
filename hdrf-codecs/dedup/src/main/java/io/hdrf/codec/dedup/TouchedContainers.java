/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import java.util.Arrays;

/**
 * The containers that a block's chunks lie in: how much a read of it jumps about. For one thread.
 */
final class TouchedContainers {

  private long[] ids = new long[64];
  private int count;
  private int last;

  /** Notes that a chunk lies in a container. */
  void add(long container) {
    if (count > 0 && ids[last] == container) {
      return;
    }
    int at = Arrays.binarySearch(ids, 0, count, container);
    if (at < 0) {
      at = -at - 1;
      if (count == ids.length) {
        ids = Arrays.copyOf(ids, 2 * count);
      }
      System.arraycopy(ids, at, ids, at + 1, count - at);
      ids[at] = container;
      count++;
    }
    last = at;
  }

  /** How many there are. */
  int count() {
    return count;
  }

  void clear() {
    count = 0;
    last = 0;
  }
}
