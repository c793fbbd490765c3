/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.NativeWords;

/** The properties that filters of one group share. Immutable. */
final class Shape {

  static final int MAX_HASHES = 64;

  /** Longer rows would make the positions, of 32 bits, uneven. */
  static final int MAX_CAPACITY = 1 << 27;

  private final int capacity;
  private final int rowLength;
  private final int hashes;

  /**
   * @param capacity elements that a filter takes until it is sealed
   * @param hashes hash functions, which is the number of rows
   */
  Shape(int capacity, int hashes) {
    if (capacity < 1 || capacity > MAX_CAPACITY || hashes < 1 || hashes > MAX_HASHES) {
      throw new IllegalArgumentException("capacity " + capacity + ", hashes " + hashes);
    }
    this.capacity = capacity;
    this.rowLength = rowLength(capacity);
    this.hashes = hashes;
  }

  /** Bits of a row that is half full with {@code capacity} elements. */
  static int rowLength(int capacity) {
    return (int) Math.ceil(capacity / Math.log(2));
  }

  /** Hash functions for an error rate: the least k with 2^-k at most that rate. */
  static int hashes(double errorRate) {
    double exact = -Math.log(errorRate) / Math.log(2);
    return Math.min(MAX_HASHES, Math.max(1, (int) Math.ceil(exact)));
  }

  int capacity() {
    return capacity;
  }

  /** Bits of one row. */
  int rowLength() {
    return rowLength;
  }

  int hashes() {
    return hashes;
  }

  /** The share of absent fingerprints that a filter claims to hold, full or with more elements. */
  double errorRate(int elements) {
    double full = Math.pow(0.5, hashes);
    if (elements <= capacity) {
      return full;
    }
    return Math.max(full, Math.pow(1 - Math.exp(-(double) elements / rowLength), hashes));
  }

  /** Bytes of a group of filters. */
  long groupBytes(int width) {
    return (long) hashes * rowWords(width) * Long.BYTES;
  }

  /** Words of the bits of one row of a group, which may be more than a buffer can have. */
  long rowWords(int width) {
    return ((long) rowLength * width + Long.SIZE - 1) / Long.SIZE;
  }

  /** Returns whether rows of a group fit into buffers. */
  boolean fits(int width) {
    return rowWords(width) <= NativeWords.MAX_WORDS;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape
        && ((Shape) other).capacity == capacity
        && ((Shape) other).hashes == hashes;
  }

  @Override
  public int hashCode() {
    return capacity * 31 + hashes;
  }

  @Override
  public String toString() {
    return hashes + " rows for " + capacity + " elements";
  }
}
