/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.io.IOException;
import java.util.function.LongConsumer;

/**
 * The finalized blocks of one pool on one volume: the truth from which records are made. Safe for
 * use by many threads; reads files, so never call it while a client waits.
 */
public interface BlockInventory {

  /** Passes every block once; blocks that come or go meanwhile may be left out. */
  void forEach(LongConsumer blockIds) throws IOException;

  /**
   * Looks at a block.
   *
   * @param reason why it is plain, if it is; see {@link BlockRecord#plain}
   * @return null if it does not exist or is not finalized
   * @throws IOException if it exists and can't be read
   */
  BlockRecord look(long blockId, int reason) throws IOException;

  /**
   * Returns whether the blocks may be others at the next start although nothing changes them until
   * then: HDFS keeps old ones, to which it goes back before records are kept again.
   */
  default boolean mayGoBack() {
    return false;
  }
}
