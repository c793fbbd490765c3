/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import java.util.Arrays;

/**
 * Collects {@link Differences}. Takes no memory as long as there is none, and keeps it from then
 * on. For one thread; what it made does not change when more is added.
 */
public final class DifferencesBuilder {

  private int count;

  /** Null as long as there was none, as are the next ones. */
  private int[] indexes;

  private int[] lengths;
  private long[] bases;
  private int[] checksums;

  /** Makes room for one more, so that {@link #add} needs no memory. All or nothing. */
  public void reserve() {
    if (indexes == null) {
      grow(new int[0], new int[0], new long[0], new int[0], 16);
    } else if (count == indexes.length) {
      grow(indexes, lengths, bases, checksums, 2 * count);
    }
  }

  private void grow(int[] ofIndexes, int[] ofLengths, long[] ofBases, int[] ofSums, int capacity) {
    int[] newLengths = Arrays.copyOf(ofLengths, capacity);
    long[] newBases = Arrays.copyOf(ofBases, capacity);
    int[] newChecksums = Arrays.copyOf(ofSums, capacity);
    indexes = Arrays.copyOf(ofIndexes, capacity);
    lengths = newLengths;
    bases = newBases;
    checksums = newChecksums;
  }

  /**
   * Adds one for which there is room.
   *
   * @param index of the chunk, greater than the one before
   * @param length of the whole chunk, in bytes
   * @param base reference of its base
   * @param checksum CRC32C of what is kept of it; anything if it is not wanted
   */
  public void add(int index, int length, long base, int checksum) {
    indexes[count] = index;
    lengths[count] = length;
    bases[count] = base;
    checksums[count] = checksum;
    count++;
  }

  public int count() {
    return count;
  }

  /** Forgets all. What was made of them must not be used any more. */
  public void clear() {
    count = 0;
  }

  /**
   * The first ones.
   *
   * @param first how many
   */
  public Differences build(int first, boolean withChecksums) {
    return first == 0
        ? Differences.NONE
        : new Differences(first, indexes, lengths, bases, withChecksums ? checksums : null);
  }
}
