/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.reduce.BlockRef;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One reentrant lock a block, made when it is needed. It orders what changes a block's file: swap,
 * inflation, and the stock operations that follow an inflation. Readers don't take it. The dataset
 * lock is taken inside of it, never outside.
 */
final class BlockLocks {

  /** A held lock. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  private static final class Entry {
    private final ReentrantLock lock = new ReentrantLock();
    private int users;
  }

  private final ConcurrentMap<BlockRef, Entry> entries = new ConcurrentHashMap<>();

  Held lock(BlockRef block) {
    Entry entry =
        entries.compute(
            block,
            (key, present) -> {
              Entry used = present != null ? present : new Entry();
              used.users++;
              return used;
            });
    entry.lock.lock();
    return () -> {
      entry.lock.unlock();
      entries.compute(block, (key, present) -> --entry.users == 0 ? null : entry);
    };
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }
}
