/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * A hash table of bounded memory that gives hints: the value that was put last for a key, or,
 * seldom, an earlier one or that of another key, or none. Keys are not stored, so whoever asks must
 * be able to tell that a value is not the wanted one: an absent key gets one with a probability of
 * at most 2 in a million. Takes 8.4 bytes an entry where 95 % of the slots are taken; {@code
 * hdrf_cuckoo.h} describes it.
 *
 * <p>Where it is full, old entries give way to new ones: those that were neither put nor found
 * while about as many new ones came as there are slots.
 *
 * <p>Memory lies outside the heap ({@link NativeWords}). The native library works on batches, and
 * prefetches the buckets of the next keys; Java does the same for a few keys, and without the
 * native library. The results are the same, word by word. For one thread at a time.
 */
public final class CuckooTable {

  /** No value. */
  public static final long NONE = -1;

  /** The greatest value: 2<sup>40</sup> - 1. */
  public static final long MAX_VALUE = (1L << 40) - 1;

  /** log2 of the most buckets: 1 GiB. */
  public static final int MAX_BUCKETS_LOG2 = CuckooTwin.MAX_BUCKETS_LOG2;

  /** The number of keys from which on native code saves more time than its call takes. */
  static final int WORTH_WHILE = 8;

  private static final boolean NATIVE = NativeLibrary.isLoaded();

  private final LongBuffer state = FilterRows.longs(CuckooTwin.STATE);
  private NativeWords words;
  private int bucketsLog2;
  private CuckooTwin twin;

  /**
   * Makes an empty table.
   *
   * @param bucketsLog2 log2 of the number of buckets, each of 32 bytes; from 0 to {@link
   *     #MAX_BUCKETS_LOG2}
   */
  public CuckooTable(int bucketsLog2) {
    if (bucketsLog2 < 0 || bucketsLog2 > MAX_BUCKETS_LOG2) {
      throw new IllegalArgumentException("2^" + bucketsLog2 + " buckets");
    }
    use(NativeWords.allocate(CuckooTwin.BUCKET << bucketsLog2), bucketsLog2);
  }

  private void use(NativeWords slots, int log2) {
    words = slots;
    bucketsLog2 = log2;
    twin = new CuckooTwin(slots.buffer(), state, log2);
  }

  /** Returns the bytes of memory of a table, but for some 200. */
  public static long bytes(int bucketsLog2) {
    return ((long) CuckooTwin.BUCKET * Long.BYTES) << bucketsLog2;
  }

  /** Returns log2 of the number of buckets. */
  public int bucketsLog2() {
    return bucketsLog2;
  }

  /** Returns the number of entries. */
  public long count() {
    return state.get(CuckooTwin.COUNT);
  }

  /** Returns how many entries a table takes before new ones cost old ones: 95 % of its slots. */
  public static long limit(int bucketsLog2) {
    return CuckooTwin.limit(bucketsLog2);
  }

  /**
   * Returns whether so many new entries cost no old ones: 95 % of the slots would be taken at most.
   */
  public boolean hasRoom(int entries) {
    return count() + entries <= CuckooTwin.limit(bucketsLog2);
  }

  /** Returns a buffer for hashes or values that the native library can read. */
  public static LongBuffer longs(int count) {
    return FilterRows.longs(count);
  }

  /**
   * Looks keys up. What is found counts as used. Buffers are used from index 0 on, whatever their
   * positions, which stay; they may be the same.
   *
   * @param hashes one for each key, evenly spread in all bits, and unknown to those who choose keys
   * @param count 0 or more
   * @param values gets what was put last for each key, or {@link #NONE}
   * @throws IndexOutOfBoundsException if a buffer is too short; nothing has changed then
   * @throws IllegalArgumentException if a buffer can't be written, or its byte order is not the
   *     machine's
   * @throws IllegalStateException if the table was freed
   */
  public void find(LongBuffer hashes, int count, LongBuffer values) {
    LongBuffer slots = words.buffer();
    check(hashes, count, values);
    if (values.isReadOnly()) {
      throw new IllegalArgumentException("a buffer that can't be written");
    }
    if (isForNative(slots, hashes, count, values)) {
      findDirect(slots, bucketsLog2, state, hashes, count, values);
      return;
    }
    for (int i = 0; i < count; i++) {
      values.put(i, twin.find(hashes.get(i)));
    }
  }

  /**
   * Puts values, in the order of the buffers.
   *
   * @param values from 0 to {@link #MAX_VALUE}; of others the lower 40 bits are taken
   * @return how many entries were lost for that, of other keys, and now and then of one of these
   * @throws IndexOutOfBoundsException as {@link #find}
   * @throws IllegalArgumentException as {@link #find}
   * @throws IllegalStateException as {@link #find}
   */
  public int put(LongBuffer hashes, LongBuffer values, int count) {
    LongBuffer slots = words.buffer();
    check(hashes, count, values);
    if (isForNative(slots, hashes, count, values)) {
      return putDirect(slots, bucketsLog2, state, hashes, values, count);
    }
    int lost = 0;
    for (int i = 0; i < count; i++) {
      lost += twin.put(hashes.get(i), values.get(i)) ? 1 : 0;
    }
    return lost;
  }

  /**
   * Gives half of the memory back. Of the entries those stay that have room; of a full table, about
   * the younger half. Where a copy from {@link #makeTwice} is left of an entry that was put again
   * since, the copy may be found from now on, until it was put once more or grew old.
   *
   * @return how many entries and copies were lost
   * @throws IllegalStateException if there is but one bucket, or the table was freed
   */
  public int halve() {
    LongBuffer slots = words.buffer();
    if (bucketsLog2 == 0) {
      throw new IllegalStateException("one bucket has no half");
    }
    int lost = slots.isDirect() ? halveDirect(slots, bucketsLog2, state) : twin.halve();
    use(words.resized(slots.limit() / 2), bucketsLog2 - 1);
    return lost;
  }

  /**
   * Takes twice the memory. All entries stay, twice until the copy that is never found has given
   * way to new ones; but for up to 8.
   *
   * @return false if the system has no memory left; nothing has changed then
   * @throws IllegalStateException if there can't be more buckets, or the table was freed
   */
  public boolean makeTwice() {
    LongBuffer slots = words.buffer();
    if (bucketsLog2 == MAX_BUCKETS_LOG2) {
      throw new IllegalStateException("2^" + bucketsLog2 + " buckets are the most");
    }
    NativeWords twice = words.resized(2 * slots.limit());
    if (twice == null) {
      return false;
    }
    int before = bucketsLog2;
    if (twice.buffer().isDirect()) {
      doubleDirect(twice.buffer(), before, state);
    } else {
      new CuckooTwin(twice.buffer(), state, before).makeTwice();
    }
    use(twice, before + 1);
    return true;
  }

  /**
   * Has those entries go first that are neither put nor found from now on. Takes some milliseconds
   * for a million.
   */
  public void makeOld() {
    words.buffer();
    twin.makeOld();
  }

  /**
   * Forgets the entries that are old: since {@link #makeOld}, if at most half as many new ones came
   * since then as there are slots, those that were neither put nor found. Now and then forgets up
   * to 8 others.
   */
  public void dropOld() {
    words.buffer();
    twin.dropOld();
  }

  /** Returns the number of slots, free ones included. */
  public int slotCount() {
    return CuckooTwin.BUCKET << bucketsLog2;
  }

  /**
   * Copies slots, for {@link #restore}. Up to 8 entries of a full table are in none.
   *
   * @param firstSlot the first one
   * @param into is filled from its position on, which moves to its limit
   * @throws IndexOutOfBoundsException if there are not as many slots
   */
  public void save(int firstSlot, LongBuffer into) {
    LongBuffer some = words.buffer().duplicate();
    checkSlots(firstSlot, into.remaining());
    some.limit(firstSlot + into.remaining());
    some.position(firstSlot);
    into.put(some);
  }

  /**
   * Fills slots of an empty table of the same size, each once. Any words may stand there: what is
   * found then may be wrong, as it may be anyway.
   *
   * @param firstSlot the first one
   * @param entries from its position to its limit, which both stay
   * @throws IndexOutOfBoundsException if there are not as many slots
   */
  public void restore(int firstSlot, LongBuffer entries) {
    words.buffer();
    checkSlots(firstSlot, entries.remaining());
    twin.restore(firstSlot, entries);
  }

  private void checkSlots(int first, int count) {
    if (first < 0 || count > slotCount() - first) {
      throw new IndexOutOfBoundsException(count + " slots from " + first + " on");
    }
  }

  /** Gives the memory back; of what may be called then, everything is refused. */
  public void free() {
    words.free();
  }

  private static void check(LongBuffer hashes, int count, LongBuffer values) {
    if (count < 0 || count > hashes.limit() || count > values.limit()) {
      throw new IndexOutOfBoundsException(
          count + " keys, room for " + hashes.limit() + " and " + values.limit());
    }
    if (hashes.order() != ByteOrder.nativeOrder() || values.order() != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException("a buffer's byte order is not the machine's");
    }
  }

  private static boolean isForNative(
      LongBuffer slots, LongBuffer hashes, int count, LongBuffer values) {
    return NATIVE
        && count >= WORTH_WHILE
        && slots.isDirect()
        && hashes.isDirect()
        && values.isDirect();
  }

  /** Of this table, for tests. */
  CuckooTwin twin() {
    return twin;
  }

  /** The words of the slots, for tests. */
  LongBuffer slots() {
    return words.buffer();
  }

  /** The words of the state, for tests. */
  LongBuffer state() {
    return state;
  }

  private static native void findDirect(
      LongBuffer slots,
      int bucketsLog2,
      LongBuffer state,
      LongBuffer hashes,
      int count,
      LongBuffer values);

  private static native int putDirect(
      LongBuffer slots,
      int bucketsLog2,
      LongBuffer state,
      LongBuffer hashes,
      LongBuffer values,
      int count);

  private static native int halveDirect(LongBuffer slots, int bucketsLog2, LongBuffer state);

  private static native void doubleDirect(LongBuffer slots, int bucketsLog2, LongBuffer state);
}
