/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.format.SlotHash;
import io.hdrf.jni.CuckooTable;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;

/**
 * The places of the chunks that have entries in an index in memory. Where there is room for them
 * all, all stay, but for some ten at each step: a table grows only as its owner wants, who then
 * puts the entries again, so that those can be told from copies which nobody finds. Safe for use by
 * many threads, of which one, the owner's, makes the table and has it grow.
 */
final class SampledPlaces extends RecentPlaces {

  /** A table grows when so little of it is free: one part in this many. */
  private static final int MARGIN = 32;

  /** Copies stay until so much of a table was put: one part in this many. */
  private static final int MAX_PUT = 8;

  /**
   * Whether entries were lost since there is this table, or since it grew: others needed memory.
   */
  private boolean lost;

  /**
   * @param most bytes of memory, of which at least 64 KiB may be used
   * @param budget has room for what is used
   */
  SampledPlaces(long most, MemoryBudget budget) {
    super(most, budget, "Entries", MemoryShare.Kind.LASTING);
    hash = SlotHash.random();
  }

  @Override
  boolean mayGrow(int count) {
    return false;
  }

  /** As long as there is no table nothing is kept: the owner finds it in the containers. */
  @Override
  void begin() {}

  @Override
  void lost() {
    lost = true;
  }

  /** Returns whether the table has lost entries since it grew. */
  synchronized boolean hasLost() {
    return lost;
  }

  /** Returns whether there is a table; all of it may have been given up for want of memory. */
  synchronized boolean isThere() {
    return table != null;
  }

  /**
   * Makes an empty table for some entries, or a smaller one where there is less memory.
   *
   * @param log2 log2 of the fewest buckets
   * @return null if there is no memory, not even for such a small one
   */
  CuckooTable newTable(long entries, int log2) {
    int wanted = log2;
    while (wanted < mostLog2 && CuckooTable.limit(wanted) < entries) {
      wanted++;
    }
    CuckooTable made = newTable(wanted);
    while (made == null && wanted > log2) {
      wanted--;
      made = newTable(wanted);
    }
    return made;
  }

  /** Returns null if there is no memory. */
  private CuckooTable newTable(int log2) {
    if (!memory.reserve(CuckooTable.bytes(log2))) {
      return null;
    }
    CuckooTable made = null;
    try {
      made = new CuckooTable(log2);
    } finally {
      if (made == null) {
        memory.release(CuckooTable.bytes(log2));
      }
    }
    return made;
  }

  /** Gives a table back that was made and not used. */
  void giveBack(CuckooTable unused) {
    unused.free();
    memory.release(CuckooTable.bytes(unused.bucketsLog2()));
  }

  /** Uses a table that was made and is empty; what was put before is forgotten. */
  void use(CuckooTable made) {
    use(made, hash());
  }

  /**
   * Uses a table with entries.
   *
   * @param hashOfEntries tells their buckets and tags
   */
  synchronized void use(CuckooTable made, SlotHash hashOfEntries) {
    CuckooTable before = table;
    table = made;
    lost = false;
    hash = hashOfEntries;
    if (before != null) {
      giveBack(before);
    }
  }

  /** Returns what tells buckets and tags of the table. */
  synchronized SlotHash hash() {
    return hash;
  }

  /** Returns log2 of the most buckets. */
  int mostLog2() {
    return mostLog2;
  }

  /** Returns how many entries there are, copies included. */
  synchronized long count() {
    return table == null ? 0 : table.count();
  }

  /** Returns how many entries there is room for. */
  synchronized long limit() {
    return table == null ? 0 : CuckooTable.limit(table.bucketsLog2());
  }

  /** Returns whether the table will soon lose entries, and may be larger. */
  synchronized boolean isFull() {
    return table != null
        && table.bucketsLog2() < mostLog2
        && !table.hasRoom(table.slotCount() / MARGIN);
  }

  /**
   * Takes twice the memory. Each entry is there twice then, and counts as old: the owner is to put
   * all again, and to {@link #dropOld} then.
   *
   * @return false if there is no memory
   */
  boolean makeTwice() {
    int log2;
    synchronized (this) {
      if (table == null || table.bucketsLog2() >= mostLog2) {
        return false;
      }
      log2 = table.bucketsLog2();
    }
    // Without the lock, as others may have to give way.
    if (!memory.reserve(CuckooTable.bytes(log2))) {
      return false;
    }
    synchronized (this) {
      if (table == null || table.bucketsLog2() != log2) {
        memory.release(CuckooTable.bytes(log2));
        return false;
      }
      if (!growReserved()) {
        return false;
      }
      table.makeOld();
      putSince = 0;
      lost = false;
      return true;
    }
  }

  /**
   * Returns whether so many were put since the table grew that what is old is to go now. As long as
   * it is full of copies a new entry takes the place of the oldest of sixteen. Where these are no
   * copies any more, it takes that of another new one, though there would be room; and what is put
   * first counts as old by and by.
   */
  synchronized boolean mustDropOld() {
    return table != null && putSince >= table.slotCount() / MAX_PUT;
  }

  /** Makes all entries equally old. */
  synchronized void makeOld() {
    if (table != null) {
      table.makeOld();
    }
  }

  /** Forgets what was neither put nor found since the table grew. */
  synchronized void dropOld() {
    if (table != null) {
      table.dropOld();
    }
  }

  /**
   * Takes the table out, before these places are closed: nothing is found any more, and nobody
   * changes its size.
   *
   * @return to be freed by the caller; null if there is none
   */
  synchronized CuckooTable take() {
    CuckooTable taken = table;
    table = null;
    return taken;
  }
}
