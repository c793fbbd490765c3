/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** Receives the entries of a scan. */
public interface StoreVisitor {

  /**
   * Receives one entry, on the scanning thread; must not use the store.
   *
   * @param key not to be changed
   * @param value not to be changed
   * @return false to end the scan
   */
  boolean visit(byte[] key, byte[] value);
}
