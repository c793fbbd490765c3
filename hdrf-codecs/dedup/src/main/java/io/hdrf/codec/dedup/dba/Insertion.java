/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

/**
 * Elements that stand in their filters, but perhaps not yet in the index. Until it is closed, a
 * filter that is rebuilt from the index takes them from here. The caller closes it when the index
 * holds them, or never will: an open one takes 16 bytes of memory an element.
 *
 * <p>Thread-safe; closing it twice does no harm.
 */
public final class Insertion implements AutoCloseable {

  private final FilterInserter inserter;
  private final long[] hashes;
  private final int[] segments;

  Insertion(FilterInserter inserter, long[] hashes, int[] segments) {
    this.inserter = inserter;
    this.hashes = hashes;
    this.segments = segments;
  }

  /** h1 and h2 of the elements, in turns. */
  long[] hashes() {
    return hashes;
  }

  /** The segment of each element, or {@link BloomFilterArray#NO_SEGMENT}. */
  int[] segments() {
    return segments;
  }

  @Override
  public void close() {
    inserter.finish(this);
  }
}
