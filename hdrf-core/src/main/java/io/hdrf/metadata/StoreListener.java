/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

/**
 * Is told of a volume's store that fails, not of one that somebody else uses. Called on the thread
 * that writes records.
 */
public interface StoreListener {

  /**
   * An attempt to use the store failed, or does so still.
   *
   * @param downMillis since when it fails, in milliseconds
   * @param why the last failure
   */
  void onDown(long downMillis, Exception why);
}
