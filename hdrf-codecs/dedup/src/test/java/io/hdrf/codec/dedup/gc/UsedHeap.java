/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

/** The heap that is in use. */
final class UsedHeap {

  private UsedHeap() {}

  /** Returns the bytes that objects take which are still needed. */
  static long bytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
