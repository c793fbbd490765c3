/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import java.io.FileNotFoundException;

/**
 * A reduced block can't be read now although nothing says that it is damaged. It is a {@link
 * FileNotFoundException} because the block scanner reports a block as bad on every other exception;
 * and a good block must never be reported bad.
 */
public final class UnavailableException extends FileNotFoundException {
  private static final long serialVersionUID = 1L;

  public UnavailableException(String message, Throwable cause) {
    super(message);
    initCause(cause);
  }
}
