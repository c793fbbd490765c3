/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;

/** A scheme is named or needed that no plug-in jar provides. */
public class SchemeNotFoundException extends IOException {
  private static final long serialVersionUID = 1L;

  public SchemeNotFoundException(String message) {
    super(message);
  }
}
