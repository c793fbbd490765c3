/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import java.util.Arrays;

/**
 * Where the groups of a container lie: all that a read needs to know of a container before it has
 * the group itself. Takes 21 bytes a group. Immutable; that of an open container stays as it was
 * when it was asked for.
 */
public final class GroupIndex {

  private static final int OVERHEAD = 200;

  private final int groupCount;
  private final int endNumber;
  private final int[] firstNumber;
  private final long[] position;
  private final int[] headerLength;
  private final int[] storedLength;
  private final byte[] stages;

  /**
   * Takes arrays that may be longer than needed and whose first elements never change.
   *
   * @param endNumber the number behind that of the last chunk
   * @param firstNumber of each group's chunks, ascending
   */
  GroupIndex(
      int groupCount,
      int endNumber,
      int[] firstNumber,
      long[] position,
      int[] headerLength,
      int[] storedLength,
      byte[] stages) {
    this.groupCount = groupCount;
    this.endNumber = endNumber;
    this.firstNumber = firstNumber;
    this.position = position;
    this.headerLength = headerLength;
    this.storedLength = storedLength;
    this.stages = stages;
  }

  public int groupCount() {
    return groupCount;
  }

  /** The only group that can have a chunk with that number, or -1. */
  public int groupOf(int number) {
    if (number >= endNumber) {
      return -1;
    }
    int found = Arrays.binarySearch(firstNumber, 0, groupCount, number);
    return found >= 0 ? found : -found - 2;
  }

  /** The number of a group's first chunk. */
  public int firstNumber(int group) {
    return firstNumber[group];
  }

  /** A number behind those of all chunks of a group, and not behind the next group's. */
  public int endNumber(int group) {
    return group + 1 < groupCount ? firstNumber[group + 1] : endNumber;
  }

  /** Returns the position of a group's header in the file. */
  public long position(int group) {
    return position[group];
  }

  public int headerLength(int group) {
    return headerLength[group];
  }

  public int storedLength(int group) {
    return storedLength[group];
  }

  public int stages(int group) {
    return stages[group];
  }

  /** A group's length in the file, with its header. */
  public int length(int group) {
    return headerLength[group] + storedLength[group];
  }

  /** Returns the end of a group in the file. */
  public long end(int group) {
    return position[group] + length(group);
  }

  /** Returns about the bytes of memory that this takes. */
  public long memory() {
    return OVERHEAD + (3L * Integer.BYTES + Long.BYTES + 1) * firstNumber.length;
  }
}
