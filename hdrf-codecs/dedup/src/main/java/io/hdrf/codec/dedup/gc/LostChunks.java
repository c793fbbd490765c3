/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.ContainerStore;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Finds what blocks need of a range's containers and was not there when the store was opened: all
 * of those whose files were gone, or can't be read at all, and what those lack that had been open
 * when the process before ended. For one thread.
 */
final class LostChunks {

  /** Bounds the memory: of each such container a bit set is kept, here and in the marks. */
  private static final int MAX_LOST = 1024;

  private final ContainerStore containers;
  private final ContainerRange range;
  private final Map<Long, BitSet> damaged;

  /** Those that can't be read: a disk takes seconds for each attempt. */
  private final Set<Long> unknown = new HashSet<>();

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
   * @return false if some are lost, and {@link #MAX_LOST} other containers are known that lack
   *     some: then nothing is remembered of them
   */
  boolean add(long container, int first, int chunks) {
    if (container == present || !range.contains(container)) {
      return true;
    }
    if (!containers.mayLack(container)) {
      present = container;
      return true;
    }
    if (unknown.contains(container)) {
      return true;
    }
    BitSet lacked = containers.lacked(container, first, chunks);
    if (lacked == null) {
      unknown.add(container);
      return true;
    }
    if (lacked.isEmpty()) {
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
    numbers.or(lacked);
    return true;
  }
}
