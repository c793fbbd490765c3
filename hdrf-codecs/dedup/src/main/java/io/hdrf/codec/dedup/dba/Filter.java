/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

/** The book-keeping of one filter. Guarded by the lock of {@link FilterTable}. */
final class Filter {

  /** The index segments whose fingerprints it holds; the first one gives it its name. */
  private int[] segments;

  Shape shape;
  int elements;
  int stale;
  boolean sealed;

  /** Whether its bits are still missing; each query takes it as a candidate then. */
  boolean pending;

  /** Whether it differs from its file. */
  boolean changed;

  /** Whether its stale counter, and nothing else, differs from its file. */
  boolean staleChanged;

  /** Its file, as long as it may be read instead of a scan; otherwise null. */
  FilterFile file;

  Filter(Shape shape, int... segments) {
    this.shape = shape;
    this.segments = segments;
  }

  /** Makes what stands in a column that no filter uses, but that still has bits. */
  static Filter remains() {
    return new Filter(new Shape(1, 1));
  }

  boolean isRemains() {
    return segments.length == 0;
  }

  int name() {
    return segments[0];
  }

  /** Returns the segments, which the caller must not change. */
  int[] segments() {
    return segments;
  }

  void setSegments(int[] all) {
    segments = all;
  }

  int live() {
    return Math.max(0, elements - stale);
  }

  int room() {
    return Math.max(0, shape.capacity() - elements);
  }
}
