/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

/**
 * Tells when a volume's collections run. A cycle that finds something to drop is followed by one as
 * soon as this is old enough: a cycle costs little, and space comes back hours earlier. For one
 * thread.
 */
final class CollectionSchedule {

  private final long intervalMillis;
  private final long minAgeMillis;
  private long untilNext;

  /** Whether the next cycle drops what the last one found dead. */
  private boolean finishing;

  /** Whether the cycle under way does. */
  private boolean finishes;

  /**
   * @param minAgeMillis how long chunks must have been dead to be dropped
   * @param random from 0 to 1: all volumes start together, and their first collections should not
   */
  CollectionSchedule(long intervalMillis, long minAgeMillis, double random) {
    this.intervalMillis = intervalMillis;
    this.minAgeMillis = minAgeMillis;
    this.untilNext = intervalMillis - (long) (random * intervalMillis / 2);
  }

  /**
   * Returns the time to wait, in milliseconds, and assumes that the collection then finds nothing.
   */
  long next() {
    long next = untilNext;
    untilNext = finishing ? intervalMillis - minAgeMillis : intervalMillis;
    finishes = finishing;
    finishing = false;
    return next;
  }

  /**
   * Takes the end of a collection.
   *
   * @param hasMore whether it found something that is still too young
   */
  void ended(boolean hasMore) {
    finishing = hasMore && !finishes && minAgeMillis > 0 && minAgeMillis < intervalMillis;
    if (finishing) {
      untilNext = minAgeMillis;
    }
  }
}
