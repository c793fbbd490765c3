/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.ContainerInfo;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import java.util.ArrayList;
import java.util.List;

/** Containers with neighbouring ids, few enough to know each of their chunks. Immutable. */
final class ContainerRange {

  /** What is kept of a container without chunks, and what its bit sets are longer than needed. */
  private static final int CONTAINER_BYTES = 3072;

  /** Whether a block refers to a chunk, and whether one in work has found it. */
  private static final int BITS_PER_CHUNK = 2;

  private final long from;
  private final long to;

  ContainerRange(long from, long to) {
    this.from = from;
    this.to = to;
  }

  /**
   * Divides all containers that are there, and those that will be.
   *
   * @param containers in the order of their ids
   * @param maxMemory in bytes, for the containers of a range; one container may take more
   * @return at least one range, in order
   */
  static List<ContainerRange> of(List<ContainerInfo> containers, long maxMemory) {
    long full = longestFile(containers);
    long most = mostNumbers(containers, full);
    List<ContainerRange> ranges = new ArrayList<>();
    long from = 0;
    long memory = 0;
    for (ContainerInfo container : containers) {
      long bytes = memory(container, full, most);
      if (memory > 0 && memory + bytes > maxMemory) {
        ranges.add(new ContainerRange(from, container.id()));
        from = container.id();
        memory = 0;
      }
      memory += bytes;
    }
    ranges.add(new ContainerRange(from, Long.MAX_VALUE));
    return ranges;
  }

  /** Returns the bytes with which a single range would do, at least 1. */
  static long memory(List<ContainerInfo> containers) {
    long full = longestFile(containers);
    long most = mostNumbers(containers, full);
    long memory = 1;
    for (ContainerInfo container : containers) {
      memory += memory(container, full, most);
    }
    return memory;
  }

  private static long longestFile(List<ContainerInfo> containers) {
    return containers.stream().mapToLong(ContainerInfo::fileBytes).max().orElse(0);
  }

  private static long mostNumbers(List<ContainerInfo> containers, long full) {
    long known = containers.stream().mapToLong(ContainerInfo::endNumber).max().orElse(0);
    if (known > 0) {
      return known;
    }
    return containers.stream()
        .filter(container -> container.problem() == null)
        .mapToLong(container -> numbers(container, full))
        .max()
        .orElse(0);
  }

  /**
   * A container that was compacted may have few chunks, but their numbers are those that they had
   * among all. Where the last one is not known, estimates by how many chunks a full file would
   * have.
   */
  private static long numbers(ContainerInfo container, long full) {
    if (container.endNumber() >= 0) {
      return container.endNumber();
    }
    double chunks = (double) container.chunkCount() * full / Math.max(1, container.fileBytes());
    return (long) Math.min(chunks, ContainerFormat.MAX_CHUNKS);
  }

  /** A container that can't be read counts like the largest one: blocks may refer to its chunks. */
  private static long memory(ContainerInfo container, long full, long most) {
    long numbers = container.problem() == null ? numbers(container, full) : most;
    return CONTAINER_BYTES + numbers * BITS_PER_CHUNK / Byte.SIZE;
  }

  /** The lowest id. */
  long from() {
    return from;
  }

  /** The id behind the highest one. */
  long to() {
    return to;
  }

  boolean contains(long container) {
    return container >= from && container < to;
  }
}
