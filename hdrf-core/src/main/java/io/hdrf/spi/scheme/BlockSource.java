/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A block's original data, read once from its beginning. For one thread. */
@FunctionalInterface
public interface BlockSource {

  /**
   * Reads at least one byte into {@code dst}, which must be direct and have room.
   *
   * @return the number of bytes read, or -1 at the end of the block
   */
  int read(ByteBuffer dst) throws IOException;
}
