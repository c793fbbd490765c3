/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.ContainerStore;
import java.util.BitSet;
import java.util.Map;

/**
 * Finds the containers of a range that blocks need and whose files were gone, or damaged so that
 * nothing can be read in them, when the store was opened. For one thread.
 */
final class LostChunks {

  /** Bounds the memory: of each lost container a bit set is kept, here and in the marks. */
  private static final int MAX_LOST = 1024;

  private final ContainerStore containers;
  private final ContainerRange range;
  private final Map<Long, BitSet> damaged;
  private long present = -1;
  private int count;

  /**
   * @param damaged gets what is lost: the numbers of chunks, by container
   */
  LostChunks(ContainerStore containers, ContainerRange range, Map<Long, BitSet> damaged) {
    this.containers = containers;
    this.range = range;
    this.damaged = damaged;
  }

  /**
   * A block refers to chunks.
   *
   * @return false if their container is lost, and {@link #MAX_LOST} others are known: then nothing
   *     is remembered of it
   */
  boolean add(long container, int first, int chunks) {
    if (container == present || !range.contains(container)) {
      return true;
    }
    if (!containers.isLost(container)) {
      present = container;
      return true;
    }
    BitSet numbers = damaged.get(container);
    if (numbers == null) {
      if (count >= MAX_LOST) {
        return false;
      }
      count++;
      numbers = new BitSet();
      damaged.put(container, numbers);
    }
    numbers.set(first, first + chunks);
    return true;
  }
}
