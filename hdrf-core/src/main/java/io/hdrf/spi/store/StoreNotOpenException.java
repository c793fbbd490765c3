/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** Nobody has opened the store yet, or anybody will: nothing is wrong with it. */
public final class StoreNotOpenException extends StoreUnreachableException {
  private static final long serialVersionUID = 1L;

  public StoreNotOpenException(String message) {
    super(message);
  }
}
