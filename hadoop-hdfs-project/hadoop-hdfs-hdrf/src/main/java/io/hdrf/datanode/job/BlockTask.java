/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import java.io.IOException;

/** The work of a job on each block of a volume. For one thread. */
interface BlockTask {

  /** The blocks that the job is about. */
  BlockList blocks();

  /**
   * Checks at little cost whether there is work on a block.
   *
   * @return null if there is work to do
   */
  JobOutcome look(long blockId) throws IOException;

  /** Does the work. */
  JobOutcome run(long blockId) throws IOException;
}
