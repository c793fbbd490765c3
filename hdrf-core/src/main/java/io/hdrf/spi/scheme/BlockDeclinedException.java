/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;

/** A scheme prefers that this block stays as it is; no error. */
public class BlockDeclinedException extends IOException {
  private static final long serialVersionUID = 1L;

  public BlockDeclinedException(String message) {
    super(message);
  }
}
