/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

/**
 * A hash table with open addressing: finds the index of a chunk by its fingerprint. The
 * fingerprints themselves lie elsewhere. One thread may add chunks while others look for those that
 * were added before they learned of the table; what is added meanwhile only fills free slots.
 */
final class FingerprintSlots {

  /** Index of a chunk plus one; 0 in a free slot. */
  private final int[] slots;

  /**
   * @param chunks how many will be added at most
   */
  FingerprintSlots(int chunks) {
    slots = new int[slotCount(chunks)];
  }

  /** A table of the first {@code count} of some chunks, with room for {@code capacity}. */
  static FingerprintSlots of(byte[] fingerprints, int count, int capacity) {
    FingerprintSlots slots = new FingerprintSlots(capacity);
    for (int i = 0; i < count; i++) {
      slots.add(fingerprints, i);
    }
    return slots;
  }

  /** A power of two of slots, at least a quarter of them free. */
  private static int slotCount(int chunks) {
    return Integer.highestOneBit(Math.max(1, chunks / 3 * 4 + 3)) << 1;
  }

  /** How many bytes the slots for so many chunks take. */
  static long memory(int chunks) {
    return Integer.BYTES * (long) slotCount(chunks);
  }

  /** Adds a chunk, the fingerprint of which is the one at {@code index}. */
  void add(byte[] fingerprints, int index) {
    int slot = slotOf(fingerprints, index * Fingerprinter.LENGTH);
    while (slots[slot] != 0) {
      slot = slot + 1 & slots.length - 1;
    }
    slots[slot] = index + 1;
  }

  /**
   * The index of a chunk of a directory with the fingerprint that begins at {@code offset}, or -1.
   *
   * @param directory may have fewer chunks than were added
   */
  int find(ContainerDirectory directory, byte[] fingerprint, int offset) {
    int slot = slotOf(fingerprint, offset);
    for (int entry = slots[slot]; entry != 0; entry = slots[slot]) {
      int index = entry - 1;
      if (index < directory.chunkCount() && directory.hasFingerprint(index, fingerprint, offset)) {
        return index;
      }
      slot = slot + 1 & slots.length - 1;
    }
    return -1;
  }

  private int slotOf(byte[] fingerprint, int offset) {
    return slotOf(fingerprint, offset, slots.length);
  }

  /** Where the search for a fingerprint begins among so many slots. */
  static int slotOf(byte[] fingerprint, int offset, int slots) {
    return SlotHash.slot(Prefix.of(fingerprint, offset), slots);
  }
}
