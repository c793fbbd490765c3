/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** The store has not been opened yet, or never will be: nothing is wrong with it. */
public final class StoreNotOpenException extends StoreUnreachableException {
  private static final long serialVersionUID = 1L;

  public StoreNotOpenException(String message) {
    super(message);
  }
}
