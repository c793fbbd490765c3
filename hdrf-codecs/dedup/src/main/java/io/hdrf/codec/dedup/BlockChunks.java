/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.Prefix;
import io.hdrf.codec.dedup.container.format.SlotHash;
import java.util.Arrays;

/**
 * The chunks that one block brought in, with their references: so that the block finds them again
 * before anybody else can, and for the index afterwards. For one thread.
 */
final class BlockChunks {

  private static final int MIN_SLOTS = 1 << 10;

  private byte[] fingerprints = new byte[MIN_SLOTS / 2 * Fingerprinter.LENGTH];
  private long[] refs = new long[MIN_SLOTS / 2];
  private int count;

  /** Index of a chunk plus one; 0 in a free slot. A power of two of slots, half of them free. */
  private int[] slots = new int[MIN_SLOTS];

  /** Slots that chunks found taken when they were put in, since the last clear, for tests. */
  private long displaced;

  void clear() {
    count = 0;
    displaced = 0;
    Arrays.fill(slots, 0);
  }

  long displaced() {
    return displaced;
  }

  int count() {
    return count;
  }

  /** {@link #count} fingerprints, one after the other; not to be changed. */
  byte[] fingerprints() {
    return fingerprints;
  }

  /** {@link #count} references; not to be changed. */
  long[] refs() {
    return refs;
  }

  /** The reference of the chunk with that fingerprint, or -1. */
  long find(byte[] from, int offset) {
    int slot = slotOf(from, offset);
    while (slots[slot] != 0) {
      int index = slots[slot] - 1;
      if (equal(index, from, offset)) {
        return refs[index];
      }
      slot = slot + 1 & slots.length - 1;
    }
    return -1;
  }

  /** Adds a chunk that is not there yet. */
  void add(byte[] from, int offset, long ref) {
    if (count == refs.length) {
      grow();
    }
    System.arraycopy(
        from, offset, fingerprints, count * Fingerprinter.LENGTH, Fingerprinter.LENGTH);
    refs[count] = ref;
    insert(count);
    count++;
  }

  private void grow() {
    fingerprints = Arrays.copyOf(fingerprints, 2 * fingerprints.length);
    refs = Arrays.copyOf(refs, 2 * count);
    slots = new int[2 * slots.length];
    for (int i = 0; i < count; i++) {
      insert(i);
    }
  }

  private void insert(int index) {
    int slot = slotOf(fingerprints, index * Fingerprinter.LENGTH);
    while (slots[slot] != 0) {
      displaced++;
      slot = slot + 1 & slots.length - 1;
    }
    slots[slot] = index + 1;
  }

  private int slotOf(byte[] from, int offset) {
    return SlotHash.slot(Prefix.of(from, offset), slots.length);
  }

  private boolean equal(int index, byte[] from, int offset) {
    int mine = index * Fingerprinter.LENGTH;
    for (int i = 0; i < Fingerprinter.LENGTH; i++) {
      if (fingerprints[mine + i] != from[offset + i]) {
        return false;
      }
    }
    return true;
  }
}
