/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** The store belongs to another DataNode or volume; it stays unchanged. */
public class StoreForeignException extends MetadataException {
  private static final long serialVersionUID = 1L;

  public StoreForeignException(String message) {
    super(message, null);
  }

  public StoreForeignException(String message, Throwable cause) {
    super(message, cause);
  }
}
