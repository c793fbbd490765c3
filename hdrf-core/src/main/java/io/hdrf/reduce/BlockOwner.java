/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import java.io.IOException;

/** The DataNode as the Reducer sees it. Safe for use by many threads. */
public interface BlockOwner {

  /**
   * Opens a block to reduce it.
   *
   * @throws BlockSkippedException if it is not to be reduced now
   */
  PlainBlock open(BlockRef block) throws IOException;

  /** Called after an I/O error on a block's volume, so that its disk can be checked. */
  void onIoError(BlockRef block, IOException error);
}
