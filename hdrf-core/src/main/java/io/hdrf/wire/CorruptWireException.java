/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.io.IOException;

/** Data from a peer are damaged or break the format; the connection is of no more use. */
public final class CorruptWireException extends IOException {

  private static final long serialVersionUID = 1L;

  public CorruptWireException(String message) {
    super(message);
  }

  public CorruptWireException(String message, Throwable cause) {
    super(message, cause);
  }
}
