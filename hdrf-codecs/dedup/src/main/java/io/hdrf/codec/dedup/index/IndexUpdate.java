/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.dba.Insertion;

/**
 * Durable chunks that get entries in the index, at most {@link #MAX_COUNT}. Filled and then handed
 * on; the segments belong to the index's own thread.
 */
final class IndexUpdate {

  static final int MAX_COUNT = 1024;

  private final byte[] fingerprints;
  private final long[] refs;
  private int count;

  /** The segment of each chunk; null until the filters have given them. */
  private int[] segments;

  private Insertion insertion;

  /**
   * @param most how many chunks there will be at most
   */
  IndexUpdate(int most) {
    int room = Math.min(most, MAX_COUNT);
    fingerprints = new byte[room * Fingerprinter.LENGTH];
    refs = new long[room];
  }

  /** Adds a chunk; its fingerprint begins at {@code offset}. */
  void add(byte[] from, int offset, long ref) {
    System.arraycopy(
        from, offset, fingerprints, count * Fingerprinter.LENGTH, Fingerprinter.LENGTH);
    refs[count] = ref;
    count++;
  }

  boolean isFull() {
    return count == MAX_COUNT;
  }

  int count() {
    return count;
  }

  /** {@link #count} fingerprints, one after the other; not to be changed. */
  byte[] fingerprints() {
    return fingerprints;
  }

  long ref(int index) {
    return refs[index];
  }

  int[] segments() {
    return segments;
  }

  /**
   * Remembers what the filters said.
   *
   * @param newInsertion to be closed when the store holds the entries, or never will
   */
  void setSegments(int[] given, Insertion newInsertion) {
    segments = given;
    insertion = newInsertion;
  }

  /** The store holds the entries, or never will. */
  void end() {
    if (insertion != null) {
      insertion.close();
      insertion = null;
    }
  }
}
