/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.format.SlotHash;

/**
 * Recent references of chunks, by the first eight bytes of their fingerprints. A reference is a
 * hint that must be confirmed: two fingerprints may begin alike, and chunks may be gone. Of bounded
 * memory: each stripe has a younger and an older generation; when the younger is full the older is
 * forgotten. Safe for use by many threads.
 *
 * <p>Not a {@code FingerprintTable}: that keeps all entries, in 40 bytes and more each. This takes
 * 21 bytes an entry, as whole fingerprints stand in the containers that confirm the hint.
 */
final class RefCache {

  /** No reference. */
  static final long NONE = -1;

  private static final int STRIPE_BITS = 6;

  private static final int STRIPES = 1 << STRIPE_BITS;

  /** Two generations of slots, each with a key and a value. */
  private static final int SLOT_BYTES = 2 * 2 * Long.BYTES;

  private final Stripe[] stripes = new Stripe[STRIPES];

  /**
   * @param memory in bytes, of which at least 64 KiB are used
   */
  RefCache(long memory) {
    long slots = Math.max(memory / STRIPES / SLOT_BYTES, 32);
    int capacity = (int) Math.min(Long.highestOneBit(slots), 1 << 26);
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe(capacity);
    }
  }

  /** The reference that was put last for the prefix, or {@link #NONE}. */
  long get(long prefix) {
    return stripe(prefix).get(key(prefix));
  }

  /** Returns about the bytes of memory that this takes, full or empty. */
  long memory() {
    return (long) STRIPES * SLOT_BYTES * (stripes[0].mask + 1);
  }

  void put(long prefix, long ref) {
    stripe(prefix).put(key(prefix), ref);
  }

  void clear() {
    for (Stripe stripe : stripes) {
      stripe.clear();
    }
  }

  private Stripe stripe(long prefix) {
    return stripes[stripeOf(key(prefix))];
  }

  static int stripeOf(long key) {
    return (int) (SlotHash.of(key) >>> (Long.SIZE - STRIPE_BITS));
  }

  /**
   * Returns the slot where the search for a key begins, from bits that did not choose the stripe.
   */
  static int slotOf(long key, int slots) {
    return (int) ((SlotHash.of(key) << STRIPE_BITS) >>> (Integer.numberOfLeadingZeros(slots) + 33));
  }

  /** 0 marks a free slot. */
  private static long key(long prefix) {
    return prefix == 0 ? 1 : prefix;
  }

  private static final class Stripe {
    private final int mask;
    private long[] youngKeys;
    private long[] youngRefs;
    private long[] oldKeys;
    private long[] oldRefs;
    private int youngCount;

    Stripe(int capacity) {
      mask = capacity - 1;
      youngKeys = new long[capacity];
      youngRefs = new long[capacity];
      oldKeys = new long[capacity];
      oldRefs = new long[capacity];
    }

    synchronized long get(long key) {
      int slot = slot(youngKeys, key);
      if (youngKeys[slot] == key) {
        return youngRefs[slot];
      }
      slot = slot(oldKeys, key);
      if (oldKeys[slot] != key) {
        return NONE;
      }
      long ref = oldRefs[slot];
      put(key, ref);
      return ref;
    }

    synchronized void put(long key, long ref) {
      int slot = slot(youngKeys, key);
      if (youngKeys[slot] != key) {
        if (youngCount > mask / 4 * 3) {
          turn();
          slot = slot(youngKeys, key);
        }
        youngKeys[slot] = key;
        youngCount++;
      }
      youngRefs[slot] = ref;
    }

    private void turn() {
      long[] keys = oldKeys;
      long[] refs = oldRefs;
      oldKeys = youngKeys;
      oldRefs = youngRefs;
      java.util.Arrays.fill(keys, 0);
      youngKeys = keys;
      youngRefs = refs;
      youngCount = 0;
    }

    synchronized void clear() {
      turn();
      turn();
    }

    /** The key's slot, or the free one where it would be. */
    private int slot(long[] keys, long key) {
      int slot = slotOf(key, keys.length);
      while (keys[slot] != 0 && keys[slot] != key) {
        slot = slot + 1 & mask;
      }
      return slot;
    }
  }
}
