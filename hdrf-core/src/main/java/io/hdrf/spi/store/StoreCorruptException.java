/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** The store's content is damaged; it must be made again from the files on the volume. */
public class StoreCorruptException extends MetadataException {
  private static final long serialVersionUID = 1L;

  public StoreCorruptException(String message) {
    super(message, null);
  }

  public StoreCorruptException(String message, Throwable cause) {
    super(message, cause);
  }
}
