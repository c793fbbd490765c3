/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.format.SlotHash;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.io.Closeable;

/**
 * Recent references of chunks, by the first eight bytes of their fingerprints. A reference is a
 * hint that must be confirmed: two fingerprints may begin alike, and chunks may be gone. Of bounded
 * memory: each stripe has a younger and an older generation; when the younger is full it gets twice
 * the slots, as long as it may, and then the older is forgotten. Safe for use by many threads.
 *
 * <p>Not a {@code FingerprintTable}: that keeps all entries, in 40 bytes and more each. This takes
 * 21 bytes an entry, as whole fingerprints stand in the containers that confirm the hint.
 */
final class RefCache implements Closeable {

  /** No reference. */
  static final long NONE = -1;

  private static final int STRIPE_BITS = 6;

  private static final int STRIPES = 1 << STRIPE_BITS;

  /** Two generations of slots, each with a key and a value. */
  private static final int SLOT_BYTES = 2 * 2 * Long.BYTES;

  private static final int MIN_SLOTS = 32;

  private final MemoryShare memory;
  private final Stripe[] stripes = new Stripe[STRIPES];

  RefCache(long most) {
    this(most, MemoryBudget.unlimited());
  }

  /**
   * @param most bytes of memory, of which at least 64 KiB may be used
   * @param budget has room for what is used
   */
  RefCache(long most, MemoryBudget budget) {
    long slots = Math.max(most / STRIPES / SLOT_BYTES, MIN_SLOTS);
    int capacity = (int) Math.min(Long.highestOneBit(slots), 1 << 26);
    memory =
        budget.open(
            "Places",
            MemoryShare.Kind.CACHE,
            bytes(MIN_SLOTS) * STRIPES,
            bytes(capacity) * STRIPES,
            this::shrink);
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe(capacity);
    }
  }

  private static long bytes(int slots) {
    return (long) SLOT_BYTES * slots;
  }

  /** The reference that was put last for the prefix, or {@link #NONE}. */
  long get(long prefix) {
    memory.touch();
    return stripe(prefix).get(key(prefix));
  }

  /** Returns about the bytes of memory that this takes. */
  long memory() {
    return memory.used();
  }

  void put(long prefix, long ref) {
    stripe(prefix).put(key(prefix), ref);
  }

  void clear() {
    for (Stripe stripe : stripes) {
      stripe.clear();
    }
  }

  /** Halves stripe by stripe what they may keep, until it is so much less. */
  private void shrink(long bytes) {
    long goal = Math.max(0, memory() - bytes);
    for (int pass = 0; pass < Integer.SIZE && memory() > goal; pass++) {
      for (int i = 0; i < STRIPES && memory() > goal; i++) {
        stripes[i].halve();
      }
    }
  }

  /** Forgets everything, and keeps nothing from now on. */
  @Override
  public void close() {
    memory.close();
    for (Stripe stripe : stripes) {
      stripe.resize(0);
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

  private final class Stripe {
    private final int most;
    private long[] youngKeys = {};
    private long[] youngRefs = {};
    private long[] oldKeys = {};
    private long[] oldRefs = {};
    private int youngCount;

    Stripe(int most) {
      this.most = most;
    }

    synchronized long get(long key) {
      if (youngKeys.length == 0) {
        return NONE;
      }
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
      if (youngKeys.length == 0 && !grow(MIN_SLOTS)) {
        return;
      }
      int slot = slot(youngKeys, key);
      if (youngKeys[slot] != key) {
        if (isFull()) {
          if (2 * youngKeys.length > most || !grow(2 * youngKeys.length)) {
            turn();
          }
          slot = slot(youngKeys, key);
        }
        youngKeys[slot] = key;
        youngCount++;
      }
      youngRefs[slot] = ref;
    }

    private boolean isFull() {
      return youngCount > (youngKeys.length - 1) / 4 * 3;
    }

    /** More slots, with all that is in the fewer ones; false where there is no memory for them. */
    private boolean grow(int slots) {
      // The fewer ones are there until it is done.
      if (!memory.tryReserve(bytes(slots))) {
        return false;
      }
      long[] keys = youngKeys;
      long[] refs = youngRefs;
      long[] olderKeys = oldKeys;
      long[] olderRefs = oldRefs;
      boolean done = false;
      try {
        allocate(slots);
        done = true;
      } finally {
        memory.release(bytes(done ? keys.length : slots));
      }
      youngCount = copy(keys, refs, youngKeys, youngRefs);
      copy(olderKeys, olderRefs, oldKeys, oldRefs);
      return true;
    }

    /** All or nothing, also where there is no memory. */
    private void allocate(int slots) {
      long[] keys = new long[slots];
      long[] refs = new long[slots];
      long[] olderKeys = new long[slots];
      long[] olderRefs = new long[slots];
      youngKeys = keys;
      youngRefs = refs;
      oldKeys = olderKeys;
      oldRefs = olderRefs;
      youngCount = 0;
    }

    private int copy(long[] keys, long[] refs, long[] toKeys, long[] toRefs) {
      int count = 0;
      for (int i = 0; i < keys.length; i++) {
        if (keys[i] != 0) {
          int slot = slot(toKeys, keys[i]);
          toKeys[slot] = keys[i];
          toRefs[slot] = refs[i];
          count++;
        }
      }
      return count;
    }

    synchronized void halve() {
      resize(youngKeys.length > MIN_SLOTS ? youngKeys.length / 2 : 0);
    }

    /** Fewer slots, and nothing in them. */
    synchronized void resize(int slots) {
      int before = youngKeys.length;
      allocate(slots);
      memory.release(bytes(before - slots));
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
      int mask = keys.length - 1;
      int slot = slotOf(key, keys.length);
      while (keys[slot] != 0 && keys[slot] != key) {
        slot = slot + 1 & mask;
      }
      return slot;
    }
  }
}
