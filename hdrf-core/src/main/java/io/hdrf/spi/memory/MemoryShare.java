/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.memory;

import java.io.Closeable;

/**
 * What one user of a {@link MemoryBudget} keeps. The user reserves before it allocates, and
 * releases when it has let go of the memory; where a reservation is declined it does without, or
 * gives up something of its own. Thread-safe; may be called with any lock held, since it calls
 * nobody.
 */
public final class MemoryShare implements Closeable {

  /** How a share ends up with less. */
  public interface Holder {

    /**
     * Gives back memory that others need more, by {@link MemoryShare#release}. Called without
     * locks, by any thread.
     *
     * @param bytes about how many; fewer are no failure
     */
    void shrink(long bytes);
  }

  /** What becomes of memory that was reserved, but not used lately. */
  public enum Kind {
    /** It is given up for others who need it: it makes something faster, and can be had again. */
    CACHE,
    /** It is given up only beyond the share's fair part: what is lost is lost for good. */
    LASTING
  }

  final String user;
  final Kind kind;
  final long least;
  final long most;
  final Holder holder;
  private final MemoryBudget budget;

  // Guarded by the budget
  long used;
  long fair;
  long wanted;
  boolean closed;

  /** Turns of the balance since it was used; written without a lock, as it need not be exact. */
  volatile int idle;

  MemoryShare(MemoryBudget budget, String user, Kind kind, long least, long most, Holder holder) {
    this.budget = budget;
    this.user = user;
    this.kind = kind;
    this.least = least;
    this.most = most;
    this.holder = holder;
  }

  /**
   * Reserves memory if there is room for it. Calls nobody and waits for nobody.
   *
   * @param bytes 0 or more
   * @return false: the caller must not allocate. Others may have given way when it asks again later
   */
  public boolean tryReserve(long bytes) {
    return budget.tryReserve(this, bytes);
  }

  /**
   * As {@link #tryReserve}, but where there is no room others give way first. The caller holds no
   * lock that a {@link Holder} may want.
   */
  public boolean reserve(long bytes) {
    return tryReserve(bytes) || (budget.makeRoom() && tryReserve(bytes));
  }

  /** Gives back what was reserved; of a closed share all was given back. */
  public void release(long bytes) {
    budget.release(this, bytes);
  }

  /** Says that what is kept was of use. */
  public void touch() {
    if (idle != 0) {
      idle = 0;
    }
  }

  /** Returns the reserved bytes. */
  public long used() {
    synchronized (budget) {
      return used;
    }
  }

  /** Gives back everything, and the claim to more. */
  @Override
  public void close() {
    budget.close(this);
  }
}
