/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** Another version of HDRF wrote the store; it stays unchanged. */
public class StoreVersionException extends MetadataException {
  private static final long serialVersionUID = 1L;

  public StoreVersionException(String message) {
    super(message, null);
  }

  public StoreVersionException(String message, Throwable cause) {
    super(message, cause);
  }
}
