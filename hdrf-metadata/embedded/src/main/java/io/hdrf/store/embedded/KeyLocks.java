/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks on keys, as a fixed number of stripes. A thread that holds some must not take more. For any
 * number of threads.
 */
final class KeyLocks {

  private static final int STRIPES = 256;

  private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

  KeyLocks() {
    Arrays.setAll(stripes, i -> new ReentrantLock());
  }

  /** Returns the stripe of a key, to be collected for {@link #lock}. */
  static int stripe(byte[] key) {
    int hash = Arrays.hashCode(key) * 0x9E3779B9;
    return hash >>> 24;
  }

  /** Locks some stripes, in the same order for every thread. */
  void lock(BitSet wanted) {
    wanted.stream().forEach(i -> stripes[i].lock());
  }

  void unlock(BitSet held) {
    held.stream().forEach(i -> stripes[i].unlock());
  }
}
