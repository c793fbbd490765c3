/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

/**
 * Where the base chunks are that have a super-feature. Of bounded memory: what was added may be
 * gone at any time, and what is found is a hint that must be confirmed. Safe for use by many
 * threads.
 */
public interface BaseTable {

  /** No chunk. */
  long NONE = -1;

  /**
   * Looks up many super-features at once.
   *
   * @param superFeatures 0 where there is none
   * @param bases is given the reference of a chunk that was added with each, or {@link #NONE}
   */
  void find(long[] superFeatures, int count, long[] bases);

  /**
   * Adds base chunks. Called when they are durable and can be found by other blocks, never before.
   *
   * @param superFeatures 0 is not added
   * @param bases the reference of the full chunk for each
   */
  void add(long[] superFeatures, int count, long[] bases);
}
