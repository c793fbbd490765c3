/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** The store has no room for the write; its content can be read. */
public class StoreFullException extends MetadataException {
  private static final long serialVersionUID = 1L;

  public StoreFullException(String message) {
    super(message, null);
  }

  public StoreFullException(String message, Throwable cause) {
    super(message, cause);
  }
}
