/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** Is shown the entries of a store. */
public interface StoreVisitor {

  /**
   * Called on the thread that scans; must not use the store.
   *
   * @param key not to be changed
   * @param value not to be changed
   * @return false to end the scan
   */
  boolean visit(byte[] key, byte[] value);
}
