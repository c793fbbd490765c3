/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;

/** Encoded data is not what the scheme wrote. */
public class CorruptFrameException extends IOException {
  private static final long serialVersionUID = 1L;

  public CorruptFrameException(String message) {
    super(message);
  }

  public CorruptFrameException(String message, Throwable cause) {
    super(message, cause);
  }
}
