/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.block.BlockRef;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.scheme.GroupExport;
import java.io.IOException;

/**
 * The DataNode's side of the Reducer: gives it blocks, and hears what became of them. Safe for use
 * by many threads.
 */
public interface BlockOwner {

  /**
   * Opens a block to reduce it.
   *
   * @throws BlockSkippedException if it is not to be reduced now
   */
  PlainBlock open(BlockRef block) throws IOException;

  /** The chain that the block would be stored with now, as far as that is known; may be empty. */
  SchemeChain chainOf(BlockRef block);

  /**
   * Returns whether a block had better wait a little: another one that comes first, and that it may
   * have content in common with, is not ready.
   */
  default boolean isHeldUp(BlockRef block) {
    return false;
  }

  /**
   * Called on the thread that reduced a block, which is in place.
   *
   * @param groups those that the block added to its scheme's store; null if there are none
   */
  default void reduced(BlockRef block, GroupExport groups) {}

  /** Called on the thread that tried for each block that stays plain. */
  default void skipped(BlockRef block, SkipReason reason) {}

  /** Called after an I/O error on a block's volume, so that its disk can be checked. */
  void onIoError(BlockRef block, IOException error);
}
