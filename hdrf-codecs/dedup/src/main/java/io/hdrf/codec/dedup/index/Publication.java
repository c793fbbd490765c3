/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.Fingerprinter;
import io.hdrf.codec.dedup.dba.Insertion;
import java.util.Arrays;

/**
 * Durable chunks that the index is to know of. Immutable, but for the segments, which belong to the
 * index's own thread.
 */
final class Publication {
  private final byte[] fingerprints;
  private final long[] refs;
  private final int[] lengths;

  /** Which segment each one was given; null before that. */
  private int[] segments;

  private Insertion insertion;

  Publication(byte[] fingerprints, long[] refs, int[] lengths, int from, int to) {
    this.fingerprints =
        Arrays.copyOfRange(fingerprints, from * Fingerprinter.LENGTH, to * Fingerprinter.LENGTH);
    this.refs = Arrays.copyOfRange(refs, from, to);
    this.lengths = Arrays.copyOfRange(lengths, from, to);
  }

  int count() {
    return refs.length;
  }

  byte[] fingerprints() {
    return fingerprints;
  }

  long ref(int index) {
    return refs[index];
  }

  int length(int index) {
    return lengths[index];
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
