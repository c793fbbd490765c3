/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One reentrant lock a block, made when it is needed. It orders what changes a block's file: swap,
 * inflation, and the stock operations that follow an inflation. Readers don't take it. The dataset
 * lock is taken inside of it, never outside.
 */
public final class BlockLocks {

  private final ConcurrentMap<BlockRef, Entry> entries = new ConcurrentHashMap<>();

  /**
   * Waits for the lock. Nothing is allocated after it is taken, nor to release it: otherwise a lack
   * of memory could leave a lock that is never released, and stop all work on the block for good.
   */
  public Hold lock(BlockRef block) {
    Entry entry = entries.compute(block, this::enter);
    boolean locked = false;
    try {
      entry.lock.lock();
      locked = true;
    } finally {
      if (!locked) {
        entry.leave();
      }
    }
    return entry;
  }

  private Entry enter(BlockRef block, Entry present) {
    Entry used = present != null ? present : new Entry(block);
    used.users++;
    return used;
  }

  private static Entry leave(BlockRef block, Entry present) {
    return --present.users == 0 ? null : present;
  }

  /** A block's lock, there as long as a thread has it or waits for it. */
  private final class Entry implements Hold {
    private final BlockRef block;
    private final ReentrantLock lock = new ReentrantLock();
    private int users;

    Entry(BlockRef block) {
      this.block = block;
    }

    void leave() {
      entries.compute(block, BlockLocks::leave);
    }

    @Override
    public void close() {
      lock.unlock();
      leave();
    }
  }

  public boolean isEmpty() {
    return entries.isEmpty();
  }
}
