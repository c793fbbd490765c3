/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import java.util.ArrayDeque;
import java.util.Deque;

/** Publications that wait to be written. Safe for use by many threads, of which one writes. */
final class IndexUpdateQueue {

  private static final int MAX_ENTRIES = 1 << 18;

  private final Deque<IndexUpdate> waiting = new ArrayDeque<>();
  private int entries;

  /** Adds entries; false if too many wait already. */
  synchronized boolean offer(IndexUpdate update) {
    if (entries + update.count() > MAX_ENTRIES) {
      return false;
    }
    waiting.add(update);
    entries += update.count();
    return true;
  }

  /** The oldest one, which stays; null if there is none. */
  synchronized IndexUpdate peek() {
    return waiting.peek();
  }

  /** Takes out the oldest one, if it is this one still. */
  synchronized void remove(IndexUpdate written) {
    if (waiting.peek() == written) {
      waiting.remove();
      entries -= written.count();
    }
  }

  /** Ends and forgets all. */
  synchronized void clear() {
    waiting.forEach(IndexUpdate::end);
    waiting.clear();
    entries = 0;
  }

  /** How many entries wait. */
  synchronized int entries() {
    return entries;
  }
}
