/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.io.Closeable;
import java.util.BitSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The chunks that every cycle for some time has found dead, by container. What does not fit into
 * its memory is remembered when something else has gone. Thread-safe.
 */
final class DeadChunks implements Closeable {

  private static final int ENTRY_BYTES = 200;

  /** Bytes that a budget leaves in any case: what is never remembered never goes. */
  private static final long MIN_SHARE = 128 << 10;

  private static final class Entry {
    private final BitSet numbers;
    private final long since;

    Entry(BitSet numbers, long since) {
      this.numbers = numbers;
      this.since = since;
    }

    long memory() {
      return ENTRY_BYTES + (long) numbers.size() / Byte.SIZE;
    }
  }

  private final long minAgeNanos;
  private final long maxMemory;
  private final MemoryShare share;
  private final TreeMap<Long, Entry> containers = new TreeMap<>();
  private long memory;

  /**
   * @param minAgeNanos how long chunks must have been dead, to be given back
   * @param maxMemory in bytes
   * @param budget has room for it
   */
  DeadChunks(long minAgeNanos, long maxMemory, MemoryBudget budget) {
    this.minAgeNanos = minAgeNanos;
    this.maxMemory = maxMemory;
    this.share =
        budget.open(
            "Collections",
            MemoryShare.Kind.LASTING,
            Math.min(maxMemory, MIN_SHARE),
            maxMemory,
            this::shrink);
  }

  synchronized boolean hasSome(long container) {
    return containers.containsKey(container);
  }

  /**
   * Replaces what is known of the containers of a range. Cycles that follow too soon let what they
   * found dead grow older, too.
   *
   * @param dead the chunks found dead now, by container; none is empty
   * @param now as {@link System#nanoTime}
   * @return of these, those that have been dead for long enough, by container
   */
  synchronized Map<Long, BitSet> replace(ContainerRange range, Map<Long, BitSet> dead, long now) {
    Map<Long, Entry> known = containers.subMap(range.from(), range.to());
    retain(known, dead.keySet());
    Map<Long, BitSet> old = new TreeMap<>();
    dead.forEach(
        (container, numbers) -> {
          Entry before = known.get(container);
          if (before == null) {
            put(container, new Entry(numbers, now));
          } else if (now - before.since >= minAgeNanos) {
            before.numbers.and(numbers);
            old.put(container, before.numbers);
            put(container, new Entry(numbers, now));
          } else {
            before.numbers.and(numbers);
          }
        });
    return old;
  }

  private void retain(Map<Long, Entry> known, Set<Long> found) {
    known
        .entrySet()
        .removeIf(
            entry -> {
              boolean gone = !found.contains(entry.getKey());
              forgot(gone ? entry.getValue() : null);
              return gone;
            });
  }

  private void put(long container, Entry entry) {
    forgot(containers.remove(container));
    if (memory + entry.memory() <= maxMemory && share.tryReserve(entry.memory())) {
      containers.put(container, entry);
      memory += entry.memory();
    }
  }

  /** Forgets containers, whose chunks are found dead again. */
  private synchronized void shrink(long bytes) {
    long goal = memory - bytes;
    while (memory > goal && !containers.isEmpty()) {
      forgot(containers.pollLastEntry().getValue());
    }
  }

  @Override
  public synchronized void close() {
    shrink(memory);
    share.close();
  }

  private void forgot(Entry gone) {
    if (gone != null) {
      memory -= gone.memory();
      share.release(gone.memory());
    }
  }
}
