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

  private static final class Entry {
    private final ReentrantLock lock = new ReentrantLock();
    private int users;
  }

  private final ConcurrentMap<BlockRef, Entry> entries = new ConcurrentHashMap<>();

  /**
   * Waits for the lock. What gives it back is made first, and allocates nothing: where memory is
   * short a lock that nobody has would stop all that is done with the block, for good.
   */
  public Hold lock(BlockRef block) {
    HeldLock held = new HeldLock(block);
    held.entry = entries.compute(block, BlockLocks::enter);
    boolean locked = false;
    try {
      held.entry.lock.lock();
      locked = true;
    } finally {
      if (!locked) {
        held.leave();
      }
    }
    return held;
  }

  private static Entry enter(BlockRef block, Entry present) {
    Entry used = present != null ? present : new Entry();
    used.users++;
    return used;
  }

  private static Entry leave(BlockRef block, Entry present) {
    return --present.users == 0 ? null : present;
  }

  private final class HeldLock implements Hold {
    private final BlockRef block;
    private Entry entry;

    HeldLock(BlockRef block) {
      this.block = block;
    }

    void leave() {
      entries.compute(block, BlockLocks::leave);
    }

    @Override
    public void close() {
      entry.lock.unlock();
      leave();
    }
  }

  public boolean isEmpty() {
    return entries.isEmpty();
  }
}
