/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import java.io.IOException;

/** A codec does not work on this DataNode: its class or a native library is missing. */
final class CodecUnavailableException extends IOException {
  private static final long serialVersionUID = 1L;

  CodecUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
