/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.io.IOException;
import java.util.function.LongConsumer;

/**
 * The finalized blocks of one pool on one volume as they are: the truth that records are made from.
 * Safe for use by many threads; looks at files, so never called where a client waits.
 */
public interface BlockInventory {

  /** Names every block once; those that come or go meanwhile perhaps not. */
  void forEach(LongConsumer blockIds) throws IOException;

  /**
   * Looks at a block.
   *
   * @param reason why it is plain, if it is
   * @return null if it is not there, or not finalized
   * @throws IOException if it is there and can't be looked at
   */
  BlockRecord look(long blockId, int reason) throws IOException;
}
