/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import java.util.Arrays;

/**
 * The fingerprints of chunks, one after the other, and a hash table with open addressing that finds
 * the index of each. Of a fixed capacity: {@link #grown} makes a larger one. One thread may add
 * fingerprints while others look for those that were added before they learned of the table; what
 * is added meanwhile only fills free slots.
 */
public final class FingerprintTable {

  private final byte[] fingerprints;

  /** For the thread that adds. */
  private int count;

  /** The index of a fingerprint plus one; 0 in a free slot. Null until something is looked for. */
  private volatile int[] slots;

  public FingerprintTable(int capacity) {
    fingerprints = new byte[capacity * Fingerprinter.LENGTH];
    slots = new int[slotCount(capacity)];
  }

  /** A full table; takes the array over. */
  FingerprintTable(byte[] fingerprints) {
    this.fingerprints = fingerprints;
    count = fingerprints.length / Fingerprinter.LENGTH;
  }

  /** A power of two of slots, at least a quarter of them free. */
  private static int slotCount(int capacity) {
    return Integer.highestOneBit(Math.max(1, capacity / 3 * 4 + 3)) << 1;
  }

  /** The same with more room; this one stays as it is. */
  public FingerprintTable grown(int capacity) {
    FingerprintTable larger = new FingerprintTable(capacity);
    System.arraycopy(fingerprints, 0, larger.fingerprints, 0, count * Fingerprinter.LENGTH);
    larger.count = count;
    larger.insert(larger.slots, 0);
    return larger;
  }

  /** Removes all. No other thread may use the table. */
  public void clear() {
    count = 0;
    Arrays.fill(slots, 0);
  }

  /** Returns the number of fingerprints. */
  public int count() {
    return count;
  }

  public boolean isFull() {
    return count == fingerprints.length / Fingerprinter.LENGTH;
  }

  /** {@link #count} fingerprints, one after the other; not to be changed. */
  public byte[] fingerprints() {
    return fingerprints;
  }

  /** Returns about the bytes of memory that this takes once something was looked for. */
  long memory() {
    int capacity = fingerprints.length / Fingerprinter.LENGTH;
    return fingerprints.length + Integer.BYTES * (long) slotCount(capacity);
  }

  /** Adds a fingerprint to a table that is not full; its index is the {@link #count} before. */
  public void add(byte[] from, int offset) {
    System.arraycopy(
        from, offset, fingerprints, count * Fingerprinter.LENGTH, Fingerprinter.LENGTH);
    count++;
    insert(slots, count - 1);
  }

  private void insert(int[] into, int first) {
    for (int index = first; index < count; index++) {
      int slot = slotOf(fingerprints, index * Fingerprinter.LENGTH, into.length);
      while (into[slot] != 0) {
        slot = slot + 1 & into.length - 1;
      }
      into[slot] = index + 1;
    }
  }

  /**
   * The index of a fingerprint equal to the one that begins at {@code offset}, or -1.
   *
   * @param limit what the index must be less than: how many the caller knows of
   */
  public int find(byte[] wanted, int offset, int limit) {
    int[] table = slots;
    if (table == null) {
      table = new int[slotCount(count)];
      insert(table, 0);
      slots = table;
    }
    int slot = slotOf(wanted, offset, table.length);
    for (int entry = table[slot]; entry != 0; entry = table[slot]) {
      if (entry <= limit && isEqual(entry - 1, wanted, offset)) {
        return entry - 1;
      }
      slot = slot + 1 & table.length - 1;
    }
    return -1;
  }

  /**
   * Returns whether the fingerprint at an index is equal to the one that begins at {@code offset}.
   */
  boolean isEqual(int index, byte[] other, int offset) {
    int mine = index * Fingerprinter.LENGTH;
    for (int i = 0; i < Fingerprinter.LENGTH; i++) {
      if (fingerprints[mine + i] != other[offset + i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the slot where the search for a fingerprint begins. */
  static int slotOf(byte[] fingerprint, int offset, int slots) {
    return SlotHash.slot(SlotHash.prefix(fingerprint, offset), slots);
  }
}
