/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The groups that one block added to its scheme's store, and that hold nothing of other blocks,
 * whose owners may be others: for the store of another DataNode. For one thread.
 */
public interface GroupExport {

  /** The most bytes that name a group. */
  int MAX_NAMES = 256 << 10;

  /** The most bytes of a group. */
  int MAX_CONTENT = 4 << 20;

  /** Returns the number of groups. */
  int count();

  /**
   * Returns what tells another store whether it needs a group: the lengths and the fingerprints of
   * its chunks, for instance.
   *
   * @param group from 0 to {@link #count}, exclusively
   * @return at most {@link #MAX_NAMES} bytes
   */
  ByteBuffer names(int group) throws IOException;

  /**
   * Reads a group.
   *
   * @return at most {@link #MAX_CONTENT} bytes, to be used until the next call
   */
  ByteBuffer content(int group) throws IOException;
}
