/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.block.BlockRef;
import io.hdrf.scheme.SchemeChain;
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

  /** Called on the thread that tried for each block that stays plain. */
  default void skipped(BlockRef block, SkipReason reason) {}

  /** Called after an I/O error on a block's volume, so that its disk can be checked. */
  void onIoError(BlockRef block, IOException error);
}
