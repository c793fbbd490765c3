/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.io.IOException;

/** What a peer sent is damaged or breaks the format; the connection is of no more use. */
public final class CorruptWireException extends IOException {

  private static final long serialVersionUID = 1L;

  public CorruptWireException(String message) {
    super(message);
  }

  public CorruptWireException(String message, Throwable cause) {
    super(message, cause);
  }
}
