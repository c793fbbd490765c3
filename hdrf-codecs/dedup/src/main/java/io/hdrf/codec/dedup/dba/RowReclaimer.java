/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.NativeWords;
import io.hdrf.spi.memory.MemoryShare;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Frees the memory of rows that no reader can have any more.
 *
 * <p>Readers are counted under one of two phases. A row that readers can't find any more is
 * retired; then the phase changes, and when no reader is left in the phase before, none can have
 * the row: later readers did not find it. The phase changes again only after that.
 *
 * <p>Thread-safe. Readers take no lock and wait for nobody.
 */
final class RowReclaimer {

  private static final int PHASES = 2;

  /** Counters of a phase, for different threads, each in its own cache lines. */
  private static final int STRIPES = 16;

  private static final int SPACING = 16;

  private final AtomicLongArray readers = new AtomicLongArray(PHASES * STRIPES * SPACING);
  private volatile int phase;
  private final MemoryShare share;

  /**
   * @param share what freed rows are released of
   */
  RowReclaimer(MemoryShare share) {
    this.share = share;
  }

  /** Whether there is anything to give back, for readers that end. */
  private volatile boolean pending;

  /** Retired in this phase, and in the one before. */
  private List<NativeWords> retired = new ArrayList<>();

  private List<NativeWords> waiting = new ArrayList<>();

  /**
   * A reader begins; what it looks for rows in it reads after this.
   *
   * @return to be handed to {@link #exit}
   */
  int enter() {
    int stripe = (int) (Thread.currentThread().getId() % STRIPES) * SPACING;
    while (true) {
      int current = phase;
      int counter = current * STRIPES * SPACING + stripe;
      readers.incrementAndGet(counter);
      if (phase == current) {
        return counter;
      }
      readers.decrementAndGet(counter);
    }
  }

  /** A reader ends: it has no rows any more. */
  void exit(int entered) {
    readers.decrementAndGet(entered);
    if (pending) {
      reclaim();
    }
  }

  /** Takes over rows that later readers don't find. */
  synchronized void retire(List<NativeWords> rows) {
    retired.addAll(rows);
    reclaim();
  }

  private synchronized void reclaim() {
    while (!(waiting.isEmpty() && retired.isEmpty())) {
      if (!waiting.isEmpty()) {
        if (hasReaders(1 - phase)) {
          break;
        }
        waiting.forEach(this::free);
        waiting.clear();
      } else {
        List<NativeWords> empty = waiting;
        waiting = retired;
        retired = empty;
        phase = 1 - phase;
      }
    }
    pending = !(waiting.isEmpty() && retired.isEmpty());
  }

  private void free(NativeWords row) {
    long bytes = bytes(row);
    row.free();
    share.release(bytes);
  }

  private static long bytes(NativeWords row) {
    return (long) row.buffer().capacity() * Long.BYTES;
  }

  /** Frees rows that no reader ever found. */
  void discard(List<NativeWords> rows) {
    rows.forEach(this::free);
  }

  /**
   * Releases what was reserved beyond the rows that there are.
   *
   * @param published bytes of the rows that readers find
   */
  synchronized void settle(long published) {
    share.release(Math.max(0, share.used() - published - unreclaimedBytes()));
  }

  /** Bytes of the rows that were retired and not yet given back. */
  synchronized long unreclaimedBytes() {
    long bytes = 0;
    for (NativeWords row : waiting) {
      bytes += bytes(row);
    }
    for (NativeWords row : retired) {
      bytes += bytes(row);
    }
    return bytes;
  }

  private boolean hasReaders(int of) {
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      if (readers.get((of * STRIPES + stripe) * SPACING) != 0) {
        return true;
      }
    }
    return false;
  }

  /** Rows that were retired and not yet given back. */
  synchronized int unreclaimed() {
    return waiting.size() + retired.size();
  }
}
