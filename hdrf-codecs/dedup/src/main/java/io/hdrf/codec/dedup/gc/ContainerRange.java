/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.ContainerInfo;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Containers with neighbouring ids, few enough to know each of their chunks. Immutable. */
final class ContainerRange {

  /** What is kept of a container without chunks. */
  private static final int CONTAINER_BYTES = 1024;

  /** Whether a block refers to a chunk, and whether one in work has found it. */
  private static final int BITS_PER_CHUNK = 2;

  private final long from;
  private final long to;
  private final int numbers;

  ContainerRange(long from, long to, int numbers) {
    this.from = from;
    this.to = to;
    this.numbers = numbers;
  }

  /**
   * Divides all containers that are there, and those that will be.
   *
   * @param containers in the order of their ids
   * @param maxMemory in bytes, for the containers of a range; one container may take more
   * @return at least one range, in order
   */
  static List<ContainerRange> of(Iterable<ContainerInfo> containers, long maxMemory) {
    int numbers = mostChunks(containers);
    long bytes = memory(numbers);
    List<ContainerRange> ranges = new ArrayList<>();
    long from = 0;
    long memory = 0;
    for (ContainerInfo container : containers) {
      if (memory > 0 && memory + bytes > maxMemory) {
        ranges.add(new ContainerRange(from, container.id(), numbers));
        from = container.id();
        memory = 0;
      }
      memory += bytes;
    }
    ranges.add(new ContainerRange(from, Long.MAX_VALUE, numbers));
    return ranges;
  }

  /** Returns the bytes with which a single range would do, at least 1. */
  static long memory(Iterable<ContainerInfo> containers) {
    long bytes = memory(mostChunks(containers));
    long memory = 1;
    for (Iterator<?> all = containers.iterator(); all.hasNext(); all.next()) {
      memory += bytes;
    }
    return memory;
  }

  /**
   * The chunks of the container that has most. Of one that was compacted, few chunks may be left,
   * but their numbers are those that they had among all.
   */
  private static int mostChunks(Iterable<ContainerInfo> containers) {
    int most = 0;
    for (ContainerInfo container : containers) {
      most = Math.max(most, container.chunkCount());
    }
    return most;
  }

  private static long memory(int chunks) {
    return CONTAINER_BYTES + (long) chunks * BITS_PER_CHUNK / Byte.SIZE;
  }

  /** The lowest id. */
  long from() {
    return from;
  }

  /** The id behind the highest one. */
  long to() {
    return to;
  }

  /**
   * What the number of a chunk is less than, in all but rare cases, in which more memory is used.
   */
  int numbers() {
    return numbers;
  }

  boolean contains(long container) {
    return container >= from && container < to;
  }
}
