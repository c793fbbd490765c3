/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.LongBuffer;

/**
 * {@code hdrf_cuckoo.c}, step by step: all words of a table are the same afterwards. Its comments
 * say what is done and why.
 */
final class CuckooTwin {

  static final int BUCKET = 4;
  static final int MAX_BUCKETS_LOG2 = 25;
  static final int STASH_SIZE = 8;
  static final int STATE = 24;

  private static final int VALUE_SHIFT = 24;
  private static final int AGE_SHIFT = 22;
  private static final long TAG_MASK = (1L << AGE_SHIFT) - 1;
  private static final long AGE_MASK = 3L << AGE_SHIFT;
  private static final long AGE_STEP = 1L << AGE_SHIFT;
  private static final long TAG_FACTOR = 0x9E3779B97F4A7C15L;
  private static final long OTHER_FACTOR = 0xBF58476D1CE4E5B9L;
  private static final int MAX_NODES = 512;

  static final int COUNT = 0;
  private static final int HAND = 1;
  private static final int STASHED = 2;
  private static final int STASH = 8;
  private static final int STASH_BUCKETS = STASH + STASH_SIZE;

  private final LongBuffer slots;
  private final LongBuffer state;
  private final int bucketsLog2;
  private final long limit;

  /** The place of the key at hand: its tag, and its first and second bucket. */
  private long tag;

  private int first;
  private int second;

  /** Nodes of a search: bucket, number of the parent, slot of the parent's bucket. */
  private int[] nodes;

  CuckooTwin(LongBuffer slots, LongBuffer state, int bucketsLog2) {
    this.slots = slots;
    this.state = state;
    this.bucketsLog2 = bucketsLog2;
    this.limit = limit(bucketsLog2);
  }

  static long limit(int bucketsLog2) {
    long all = (long) BUCKET << bucketsLog2;
    return all - all / 20;
  }

  /** Gives all entries the age of what is old. */
  void makeOld() {
    for (int i = 0; i < slots.limit(); i++) {
      slots.put(i, slots.get(i) & ~AGE_MASK);
    }
    for (int i = 0; i < STASH_SIZE; i++) {
      state.put(STASH + i, state.get(STASH + i) & ~AGE_MASK);
    }
  }

  /** Frees the slots of what is old, and forgets the stash. */
  void dropOld() {
    long kept = 0;
    for (int i = 0; i < slots.limit(); i++) {
      if ((slots.get(i) & AGE_MASK) == 0) {
        slots.put(i, 0);
      } else {
        kept++;
      }
    }
    state.put(STASHED, 0);
    state.put(COUNT, kept);
  }

  /** Fills slots of an empty table. */
  void restore(int firstSlot, LongBuffer entries) {
    long count = 0;
    for (int i = 0; i < entries.remaining(); i++) {
      long entry = entries.get(entries.position() + i);
      boolean used = (entry & TAG_MASK) != 0;
      slots.put(firstSlot + i, used ? entry : 0);
      count += used ? 1 : 0;
    }
    state.put(COUNT, state.get(COUNT) + count);
  }

  private int otherBucket(int bucket, long tagOfEntry) {
    return bucket ^ (int) ((tagOfEntry * OTHER_FACTOR) >>> 1 >>> (63 - bucketsLog2));
  }

  private void place(long hash) {
    tag = (hash * TAG_FACTOR) >>> (64 - AGE_SHIFT);
    tag += tag == 0 ? 1 : 0;
    first = (int) (hash >>> 1 >>> (63 - bucketsLog2));
    second = otherBucket(first, tag);
  }

  /** The first slot of a bucket that has a tag, or -1; a free one for 0. */
  private int findInBucket(int bucket, long wanted) {
    for (int slot = BUCKET * bucket; slot < BUCKET * (bucket + 1); slot++) {
      if (((slots.get(slot) ^ wanted) & TAG_MASK) == 0) {
        return slot;
      }
    }
    return -1;
  }

  private int findIn(long wanted) {
    int slot = findInBucket(first, wanted);
    return slot >= 0 ? slot : findInBucket(second, wanted);
  }

  private int stashed() {
    long count = state.get(STASHED);
    return count >= 0 && count < STASH_SIZE ? (int) count : STASH_SIZE;
  }

  /** The number in the stash, or -1. */
  private int findInStash() {
    int count = stashed();
    for (int i = 0; i < count; i++) {
      long bucket = state.get(STASH_BUCKETS + i);
      if ((state.get(STASH + i) & TAG_MASK) == tag && (bucket == first || bucket == second)) {
        return i;
      }
    }
    return -1;
  }

  long find(long hash) {
    place(hash);
    LongBuffer words = slots;
    int at = findIn(tag);
    if (at < 0) {
      words = state;
      at = findInStash();
      if (at < 0) {
        return CuckooTable.NONE;
      }
      at += STASH;
    }
    long entry = words.get(at);
    if ((entry & AGE_MASK) != AGE_MASK) {
      words.put(at, entry | AGE_MASK);
    }
    return entry >>> VALUE_SHIFT;
  }

  private int makeRoom() {
    if (nodes == null) {
      nodes = new int[3 * MAX_NODES];
    }
    nodes[0] = first;
    nodes[3] = second;
    int count = 2;
    for (int i = 0; i < count; i++) {
      int bucket = nodes[3 * i];
      int free = findInBucket(bucket, 0);
      if (free >= 0) {
        for (int at = i; at > 1; at = nodes[3 * at + 1]) {
          int from = BUCKET * nodes[3 * nodes[3 * at + 1]] + nodes[3 * at + 2];
          slots.put(free, slots.get(from));
          free = from;
        }
        return free;
      }
      for (int slot = 0; slot < BUCKET && count < MAX_NODES; slot++, count++) {
        nodes[3 * count] = otherBucket(bucket, slots.get(BUCKET * bucket + slot) & TAG_MASK);
        nodes[3 * count + 1] = i;
        nodes[3 * count + 2] = slot;
      }
    }
    return -1;
  }

  private long candidate(int i) {
    if (i < BUCKET) {
      return slots.get(BUCKET * first + i);
    }
    return i < STASH ? slots.get(BUCKET * second + i - BUCKET) : state.get(i);
  }

  private int oldest() {
    int end = STASH + stashed();
    int found = 0;
    long least = candidate(0) & AGE_MASK;
    for (int i = 1; i < end && least > 0; i++) {
      long age = candidate(i) & AGE_MASK;
      if (age < least) {
        least = age;
        found = i;
      }
    }
    return found;
  }

  private static void growOlder(LongBuffer words, int from, int count) {
    for (int i = from; i < from + count; i++) {
      long entry = words.get(i);
      if ((entry & AGE_MASK) != 0) {
        words.put(i, entry - AGE_STEP);
      }
    }
  }

  private void turnClock() {
    int mask = (1 << bucketsLog2) - 1;
    int hand = (int) state.get(HAND) & mask;
    growOlder(slots, BUCKET * hand, BUCKET);
    hand = hand + 1 & mask;
    state.put(HAND, hand);
    if (hand == 0) {
      growOlder(state, STASH, stashed());
    }
  }

  private int findFree() {
    int slot = findIn(0);
    if (slot < 0 && Long.compareUnsigned(state.get(COUNT), limit) < 0) {
      slot = makeRoom();
    }
    return slot;
  }

  private void putInStash(int i, long entry) {
    state.put(STASH + i, entry);
    state.put(STASH_BUCKETS + i, first);
  }

  /** Returns whether an entry was lost. */
  boolean put(long hash, long value) {
    place(hash);
    long entry = value << VALUE_SHIFT | AGE_MASK | tag;
    int found = findIn(tag);
    if (found >= 0) {
      slots.put(found, entry);
      return false;
    }
    found = findInStash();
    if (found >= 0) {
      state.put(STASH + found, entry);
      return false;
    }
    return add(entry);
  }

  private boolean add(long entry) {
    int slot = findFree();
    int inStash = stashed();
    boolean lost = slot < 0 && inStash == STASH_SIZE;
    if (slot >= 0) {
      slots.put(slot, entry);
    } else if (!lost) {
      putInStash(inStash, entry);
      state.put(STASHED, inStash + 1L);
    } else {
      int victim = oldest();
      if (victim < BUCKET) {
        slots.put(BUCKET * first + victim, entry);
      } else if (victim < STASH) {
        slots.put(BUCKET * second + victim - BUCKET, entry);
      } else {
        putInStash(victim - STASH, entry);
      }
    }
    if (!lost) {
      state.put(COUNT, state.get(COUNT) + 1);
    }
    turnClock();
    return lost;
  }

  private static boolean isTaken(long[] entries, int taken, long entry) {
    for (int i = 0; i < entries.length; i++) {
      if ((taken >> i & 1) != 0 && ((entries[i] ^ entry) & TAG_MASK) == 0) {
        return true;
      }
    }
    return false;
  }

  private int keepYoungest(long[] entries, int bucket) {
    int kept = 0;
    int taken = 0;
    for (long age = AGE_MASK; age >= 0; age -= AGE_STEP) {
      for (int i = 0; i < entries.length && kept < BUCKET; i++) {
        if (entries[i] != 0
            && (entries[i] & AGE_MASK) == age
            && !isTaken(entries, taken, entries[i])) {
          taken |= 1 << i;
          kept++;
        }
      }
    }
    int at = BUCKET * bucket;
    for (int i = 0; i < entries.length; i++) {
      if ((taken >> i & 1) != 0) {
        slots.put(at++, entries[i]);
      }
    }
    while (at < BUCKET * (bucket + 1)) {
      slots.put(at++, 0);
    }
    return kept;
  }

  /** Returns how many entries were lost. */
  int halve() {
    int half = 1 << (bucketsLog2 - 1);
    long[] both = new long[2 * BUCKET];
    long kept = 0;
    for (int i = 0; i < half; i++) {
      for (int j = 0; j < both.length; j++) {
        both[j] = slots.get(2 * BUCKET * i + j);
      }
      kept += keepYoungest(both, i);
    }
    int inStash = stashed();
    for (int i = 0; i < inStash; i++) {
      state.put(STASH_BUCKETS + i, state.get(STASH_BUCKETS + i) >>> 1);
    }
    kept += inStash;
    long before = state.get(COUNT);
    state.put(HAND, (state.get(HAND) & (2L * half - 1)) >>> 1);
    state.put(COUNT, kept);
    return Long.compareUnsigned(before, kept) > 0 ? (int) (before - kept) : 0;
  }

  /** Makes twice the buckets; {@code slots} has room for them. */
  void makeTwice() {
    int before = 1 << bucketsLog2;
    for (int i = before - 1; i >= 0; i--) {
      for (int slot = BUCKET - 1; slot >= 0; slot--) {
        long entry = slots.get(BUCKET * i + slot);
        slots.put(BUCKET * (2 * i + 1) + slot, entry);
        if (i > 0) {
          slots.put(2 * BUCKET * i + slot, entry);
        }
      }
    }
    state.put(COUNT, 2 * (state.get(COUNT) - stashed()));
    state.put(HAND, 2 * (state.get(HAND) & (before - 1L)));
    state.put(STASHED, 0);
  }
}
