/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

/** Runs tasks later. */
@FunctionalInterface
public interface Timer {
  /**
   * Runs a short task on another thread when that time has passed, or never, if nothing depends on
   * it any more.
   */
  void after(long nanos, Runnable task);
}
