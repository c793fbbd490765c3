/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

/**
 * Receives failures of a volume's store; a store in use by another process is none. Called on the
 * thread that writes records.
 */
public interface StoreListener {

  /**
   * Called when the store fails, and again while it still does.
   *
   * @param downMillis how long it has been failing, in milliseconds
   * @param why the last failure
   */
  void onDown(long downMillis, Exception why);
}
