/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

/** Runs tasks later. */
@FunctionalInterface
public interface Timer {
  /**
   * Runs a short task on another thread when that time has passed, or not at all if there is nobody
   * left to whom it matters.
   */
  void after(long nanos, Runnable task);
}
