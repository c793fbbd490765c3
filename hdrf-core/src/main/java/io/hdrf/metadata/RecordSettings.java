/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

/** Settings for keeping records. Immutable. */
public final class RecordSettings {
  private final long flushMillis;
  private final long checkMillis;
  private final int maxPending;

  /**
   * @param flushMillis how long changes are collected before they are written
   * @param checkMillis the time between two checks that an idle store is unchanged, and the longest
   *     time between two attempts to reach one that is down
   * @param maxPending the maximum number of waiting changed blocks; beyond it all records are
   *     compared later
   */
  public RecordSettings(long flushMillis, long checkMillis, int maxPending) {
    this.flushMillis = flushMillis;
    this.checkMillis = checkMillis;
    this.maxPending = maxPending;
  }

  public long flushMillis() {
    return flushMillis;
  }

  public long checkMillis() {
    return checkMillis;
  }

  public int maxPending() {
    return maxPending;
  }
}
