/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Takes a block's groups that the store of another DataNode has encoded, see {@link GroupExport},
 * so that blocks find their content here and it need not be encoded again. Believes nothing that
 * comes: a group is decoded, and named by its content. For one thread.
 */
public interface GroupImport extends Closeable {

  /**
   * Returns whether a group is to be sent, since the store has nothing of it. The groups that are
   * wanted go to {@link #add} in the same order.
   *
   * @param names from {@link GroupExport#names}, consumed; direct
   * @throws CorruptFrameException if it is none, or names more than a group may hold
   */
  boolean wants(ByteBuffer names) throws IOException;

  /**
   * Adds the next group that was wanted to the store. It is not durable, and no block can find it,
   * until {@link #finish}.
   *
   * @param content from {@link GroupExport#content}, consumed; direct
   * @throws CorruptFrameException if none was wanted, or it is not what was named
   */
  void add(ByteBuffer content) throws IOException;

  /**
   * Makes durable what was added, and has blocks find it; the last call but for {@link #close}.
   *
   * @return the groups that were added; null if there are none
   */
  GroupExport finish() throws IOException;

  /** Gives up what was added, unless it was finished. */
  @Override
  void close() throws IOException;
}
