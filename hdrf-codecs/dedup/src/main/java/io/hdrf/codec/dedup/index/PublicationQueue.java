/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import java.util.ArrayDeque;
import java.util.Deque;

/** Publications that wait to be written. Safe for use by many threads, of which one writes. */
final class PublicationQueue {

  private static final int MAX_ENTRIES = 1 << 18;

  private final Deque<Publication> waiting = new ArrayDeque<>();
  private int entries;

  /** Adds entries; false if too many wait already. */
  synchronized boolean offer(Publication publication) {
    if (entries + publication.count() > MAX_ENTRIES) {
      return false;
    }
    waiting.add(publication);
    entries += publication.count();
    return true;
  }

  /** The oldest one, which stays; null if there is none. */
  synchronized Publication peek() {
    return waiting.peek();
  }

  /** Takes out the oldest one, if it is this one still. */
  synchronized void remove(Publication written) {
    if (waiting.peek() == written) {
      waiting.remove();
      entries -= written.count();
    }
  }

  /** Ends and forgets all. */
  synchronized void clear() {
    waiting.forEach(Publication::end);
    waiting.clear();
    entries = 0;
  }

  /** How many entries wait. */
  synchronized int entries() {
    return entries;
  }
}
