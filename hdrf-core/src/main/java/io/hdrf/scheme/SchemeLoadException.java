/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import java.io.IOException;

/** A plug-in jar can't be used; the message names the jar and, where it is known, the scheme. */
public class SchemeLoadException extends IOException {
  private static final long serialVersionUID = 1L;

  public SchemeLoadException(String message) {
    super(message);
  }

  public SchemeLoadException(String message, Throwable cause) {
    super(message, cause);
  }
}
