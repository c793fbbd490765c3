/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.util.BitSet;

/** The result of a compaction. Immutable. */
public final class CompactionResult {

  private final long bytesRead;
  private final long bytesWritten;
  private final long bytesFreed;
  private final int chunksKept;
  private final int chunksDropped;
  private final int damagedGroups;
  private final BitSet replaced;

  CompactionResult(
      long bytesRead,
      long bytesWritten,
      long bytesFreed,
      int chunksKept,
      int chunksDropped,
      int damagedGroups,
      BitSet replaced) {
    this.bytesRead = bytesRead;
    this.bytesWritten = bytesWritten;
    this.bytesFreed = bytesFreed;
    this.chunksKept = chunksKept;
    this.chunksDropped = chunksDropped;
    this.damagedGroups = damagedGroups;
    this.replaced = replaced;
  }

  /** Bytes read from the old file; what was written is read once more. */
  public long bytesRead() {
    return bytesRead;
  }

  /** The new file's length in bytes; 0 if none was written. */
  public long bytesWritten() {
    return bytesWritten;
  }

  /** Returns the number of bytes by which the container's file became shorter. */
  public long bytesFreed() {
    return bytesFreed;
  }

  /** Returns the number of chunks that the container has now. */
  public int chunksKept() {
    return chunksKept;
  }

  /** Returns the number of dropped chunks. */
  public int chunksDropped() {
    return chunksDropped;
  }

  /**
   * Returns the number of groups that were kept as they are because a wanted chunk in them is
   * damaged.
   */
  public int damagedGroups() {
    return damagedGroups;
  }

  /** Returns the numbers of the damaged chunks that were replaced; the caller's own. */
  public BitSet replaced() {
    return (BitSet) replaced.clone();
  }

  @Override
  public String toString() {
    return "kept "
        + chunksKept
        + " chunks, dropped "
        + chunksDropped
        + ", read "
        + bytesRead
        + " bytes, wrote "
        + bytesWritten
        + ", freed "
        + bytesFreed;
  }
}
