/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import java.util.Arrays;
import java.util.stream.LongStream;

/** Ids of blocks, ascending, and the blocks' lengths in bytes. Immutable. */
final class BlockList {
  private final long[] ids;
  private final long[] lengths;

  /**
   * Takes over both arrays.
   *
   * @param ids ascending
   * @param lengths in the same order
   */
  BlockList(long[] ids, long[] lengths) {
    this.ids = ids;
    this.lengths = lengths;
  }

  int size() {
    return ids.length;
  }

  long id(int index) {
    return ids[index];
  }

  /** A block's length, 0 for one that is not in the list. */
  long length(long id) {
    int index = Arrays.binarySearch(ids, id);
    return index < 0 ? 0 : lengths[index];
  }

  long bytes() {
    return LongStream.of(lengths).sum();
  }

  /** The blocks of this list that are not in another one. */
  BlockList without(BlockList other) {
    long[] more = LongStream.of(ids).filter(id -> Arrays.binarySearch(other.ids, id) < 0).toArray();
    return new BlockList(more, LongStream.of(more).map(this::length).toArray());
  }
}
