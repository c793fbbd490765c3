/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;

/** Some block files can't be read: what they refer to is not known. */
public final class UnreadableBlocksException extends IOException {
  private static final long serialVersionUID = 1L;

  private final long count;

  /**
   * @param count how many, at least 1
   * @param first why the first of them can't be read
   */
  public UnreadableBlocksException(String message, long count, IOException first) {
    super(message, first);
    this.count = count;
  }

  /** The number of block files that can't be read. */
  public long count() {
    return count;
  }
}
