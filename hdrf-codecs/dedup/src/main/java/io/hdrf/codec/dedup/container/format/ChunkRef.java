/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

/**
 * The name of a chunk in a store: container id (the upper 40 bits) and chunk number (the lower 24
 * bits) in one {@code long}. As unsigned numbers, references of one store are in the order in which
 * a container holds its chunks. A reference never changes; compaction keeps it.
 */
public final class ChunkRef {

  /** The greatest container id: 2<sup>40</sup> - 1. */
  public static final long MAX_CONTAINER = (1L << 40) - 1;

  /** The greatest chunk number that a reference can hold: 2<sup>24</sup> - 1. */
  public static final int MAX_NUMBER = (1 << 24) - 1;

  private static final int NUMBER_BITS = 24;

  private ChunkRef() {}

  /**
   * Makes a reference.
   *
   * @param container from 0 to {@link #MAX_CONTAINER}
   * @param number from 0 to {@link #MAX_NUMBER}
   */
  public static long pack(long container, int number) {
    if (container < 0 || container > MAX_CONTAINER || number < 0 || number > MAX_NUMBER) {
      throw new IllegalArgumentException("no chunk: container " + container + ", number " + number);
    }
    return container << NUMBER_BITS | number;
  }

  /** The container's id. */
  public static long container(long ref) {
    return ref >>> NUMBER_BITS;
  }

  /** The chunk's number in its container. */
  public static int number(long ref) {
    return (int) ref & MAX_NUMBER;
  }

  /**
   * Returns the container's id in hexadecimal digits, a colon, and the chunk's number, for
   * messages.
   */
  public static String toString(long ref) {
    return ContainerNames.hex(container(ref)) + ":" + number(ref);
  }
}
