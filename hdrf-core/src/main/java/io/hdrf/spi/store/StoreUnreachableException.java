/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** The store does not answer now, or was closed; another attempt may succeed. */
public class StoreUnreachableException extends MetadataException {
  private static final long serialVersionUID = 1L;

  public StoreUnreachableException(String message) {
    super(message, null);
  }

  public StoreUnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
