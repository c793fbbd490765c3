/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

/**
 * Blocks of one pool that need no second look until they are written to, and the saving of each: so
 * that a deletion can correct the space used without any I/O. 16 bytes a slot, for millions of
 * blocks. Synchronised; every operation is short.
 */
final class SettledBlocks {

  private static final int MIN_CAPACITY = 1 << 10;

  /** Marks a free slot; no block has this id. */
  private static final long FREE = Long.MIN_VALUE;

  /** Open addressing with linear probing: an id, then what its block saves. */
  private long[] slots = newSlots(MIN_CAPACITY);

  private int used;

  synchronized boolean contains(long blockId) {
    return slots[slotOf(slots, blockId)] == blockId;
  }

  /** The block's saving in bytes; {@code unknown} where it is not settled. */
  synchronized long saved(long blockId, long unknown) {
    int slot = slotOf(slots, blockId);
    return slots[slot] == blockId ? slots[slot + 1] : unknown;
  }

  synchronized void put(long blockId, long saved) {
    int slot = slotOf(slots, blockId);
    if (slots[slot] != blockId) {
      slots[slot] = blockId;
      used++;
    }
    slots[slot + 1] = saved;
    if (used * 3L > slots.length) {
      grow();
    }
  }

  synchronized void remove(long blockId) {
    int hole = slotOf(slots, blockId);
    if (slots[hole] != blockId) {
      return;
    }
    used--;
    int mask = slots.length - 1;
    for (int slot = (hole + 2) & mask; slots[slot] != FREE; slot = (slot + 2) & mask) {
      int home = homeOf(slots, slots[slot]);
      // Moves an entry back unless its home lies cyclically in (hole, slot].
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        slots[hole] = slots[slot];
        slots[hole + 1] = slots[slot + 1];
        hole = slot;
      }
    }
    slots[hole] = FREE;
  }

  synchronized int size() {
    return used;
  }

  private void grow() {
    long[] larger = newSlots(slots.length);
    for (int slot = 0; slot < slots.length; slot += 2) {
      if (slots[slot] != FREE) {
        int target = slotOf(larger, slots[slot]);
        larger[target] = slots[slot];
        larger[target + 1] = slots[slot + 1];
      }
    }
    slots = larger;
  }

  private static long[] newSlots(int capacity) {
    long[] slots = new long[2 * capacity];
    for (int slot = 0; slot < slots.length; slot += 2) {
      slots[slot] = FREE;
    }
    return slots;
  }

  private static int slotOf(long[] slots, long blockId) {
    int mask = slots.length - 1;
    int slot = homeOf(slots, blockId);
    while (slots[slot] != FREE && slots[slot] != blockId) {
      slot = (slot + 2) & mask;
    }
    return slot;
  }

  private static int homeOf(long[] slots, long blockId) {
    long mixed = blockId * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 33) << 1 & (slots.length - 1);
  }
}
