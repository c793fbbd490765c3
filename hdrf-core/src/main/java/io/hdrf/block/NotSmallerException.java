/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import java.io.IOException;

/** The reduced form of a block would be longer than allowed; no error. */
public class NotSmallerException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param limit the greatest physical length allowed, in bytes
   */
  public NotSmallerException(long limit) {
    super("the reduced block would be longer than " + limit + " bytes");
  }
}
