/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

import java.io.IOException;

/** A metadata store could not do what it should. The message names the store. */
public abstract class MetadataException extends IOException {
  private static final long serialVersionUID = 1L;

  MetadataException(String message, Throwable cause) {
    super(message, cause);
  }
}
