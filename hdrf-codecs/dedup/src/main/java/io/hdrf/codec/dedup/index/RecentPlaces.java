/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.SlotHash;
import io.hdrf.jni.CuckooTable;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.io.Closeable;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * The containers of chunks that were seen lately, by fingerprint: hints that must be confirmed. Two
 * fingerprints may look alike, and chunks may be gone. The chunk's number is not kept, since who
 * confirms a hint needs the container's directory anyway, and that finds chunks by fingerprint.
 *
 * <p>Of bounded memory outside the heap, of which it takes more as it fills. Then what was not used
 * for longest is forgotten. Where others need the memory, about the younger half stays, again and
 * again. Safe for use by many threads; each call is for a batch, for which it has the table alone.
 *
 * <p>Not a {@code FingerprintTable}: that keeps all entries, in 40 bytes and more each. This takes
 * 8.4 bytes an entry ({@link CuckooTable}).
 */
class RecentPlaces implements Closeable {

  /** No container. */
  static final long NONE = CuckooTable.NONE;

  /** The most chunks of a call. */
  static final int MAX_COUNT = IndexLookup.MAX_COUNT;

  /** log2 of the fewest buckets: 64 KiB. */
  static final int MIN_LOG2 = 11;

  final MemoryShare memory;
  final int mostLog2;

  // Guarded by this object, as are the next.
  private final LongBuffer hashes = CuckooTable.longs(MAX_COUNT);
  private final LongBuffer values = CuckooTable.longs(MAX_COUNT);

  /** Null where there is no memory. */
  CuckooTable table;

  /** Tells buckets and tags of the table. */
  SlotHash hash = SlotHash.ofProcess();

  /** How many were put since the table got its size, or got no larger one. */
  long putSince;

  RecentPlaces(long most) {
    this(most, MemoryBudget.unlimited());
  }

  /**
   * @param most bytes of memory, of which at least 64 KiB may be used
   * @param budget has room for what is used
   */
  RecentPlaces(long most, MemoryBudget budget) {
    this(most, budget, "Places", MemoryShare.Kind.CACHE);
  }

  /**
   * @param user of the budget
   */
  RecentPlaces(long most, MemoryBudget budget, String user, MemoryShare.Kind kind) {
    int log2 = MIN_LOG2;
    while (log2 < CuckooTable.MAX_BUCKETS_LOG2 && CuckooTable.bytes(log2 + 1) <= most) {
      log2++;
    }
    mostLog2 = log2;
    memory =
        budget.open(
            user, kind, CuckooTable.bytes(MIN_LOG2), CuckooTable.bytes(mostLog2), this::shrink);
  }

  /** Returns the bytes of memory that this takes, but for some 16 KiB. */
  long memory() {
    return memory.used();
  }

  /**
   * Looks chunks up.
   *
   * @param fingerprints {@code count} of them, one after the other
   * @param count at most {@link #MAX_COUNT}
   * @param containers gets the container that was put last for each, or {@link #NONE}
   */
  synchronized void find(byte[] fingerprints, int count, long[] containers) {
    memory.touch();
    if (table == null) {
      Arrays.fill(containers, 0, count, NONE);
      return;
    }
    for (int i = 0; i < count; i++) {
      hashes.put(i, hash(fingerprints, i));
    }
    table.find(hashes, count, values);
    for (int i = 0; i < count; i++) {
      containers[i] = values.get(i);
    }
  }

  /**
   * Puts where chunks are.
   *
   * @param fingerprints of all chunks of {@code refs}, one after the other
   * @param refs the chunks' references
   * @param from the first chunk's place in these
   * @param count at most {@link #MAX_COUNT}
   */
  void put(byte[] fingerprints, long[] refs, int from, int count) {
    put(fingerprints, refs, from, 1, count);
  }

  /**
   * Puts where every n-th chunk is.
   *
   * @param step the distance from one to the next
   */
  synchronized void put(byte[] fingerprints, long[] refs, int from, int step, int count) {
    for (int i = 0; i < count; i++) {
      set(i, fingerprints, refs, from + i * step);
    }
    put(count);
  }

  /**
   * Puts where some chunks are.
   *
   * @param chunks their places in {@code refs}
   * @param count how many; at most {@link #MAX_COUNT}
   */
  synchronized void put(byte[] fingerprints, long[] refs, int[] chunks, int count) {
    for (int i = 0; i < count; i++) {
      set(i, fingerprints, refs, chunks[i]);
    }
    put(count);
  }

  private void set(int i, byte[] fingerprints, long[] refs, int chunk) {
    hashes.put(i, hash(fingerprints, chunk));
    values.put(i, ChunkRef.container(refs[chunk]));
  }

  private long hash(byte[] fingerprints, int chunk) {
    return hash.of(SlotHash.prefix(fingerprints, chunk * Fingerprinter.LENGTH));
  }

  private void put(int count) {
    if (table == null && count > 0) {
      begin();
    } else if (mayGrow(count)) {
      grow();
    }
    if (table != null) {
      table.put(hashes, values, count);
      putSince += count;
    }
  }

  /** Makes the first table, if it is to be made by those who put. */
  void begin() {
    if (reserve(MIN_LOG2)) {
      boolean done = false;
      try {
        table = new CuckooTable(MIN_LOG2);
        done = true;
      } finally {
        if (!done) {
          memory.release(CuckooTable.bytes(MIN_LOG2));
        }
      }
    }
  }

  /**
   * A table is full as soon as it got larger, of entries twice, and when it was halved: so half of
   * it must be new.
   */
  boolean mayGrow(int count) {
    return table != null
        && table.bucketsLog2() < mostLog2
        && !table.hasRoom(count)
        && putSince >= CuckooTable.bytes(table.bucketsLog2()) / (2 * Long.BYTES);
  }

  private void grow() {
    if (reserve(table.bucketsLog2())) {
      growReserved();
    }
  }

  /**
   * Has a table take the memory that was reserved for it. After an error there is no table: its
   * memory may be gone.
   *
   * @return false if the system has no memory left
   */
  boolean growReserved() {
    CuckooTable growing = table;
    long before = CuckooTable.bytes(growing.bucketsLog2());
    table = null;
    boolean done = false;
    try {
      done = growing.makeTwice();
      table = growing;
    } finally {
      if (table == null) {
        growing.free();
        memory.release(2 * before);
      } else if (!done) {
        memory.release(before);
      }
    }
    return done;
  }

  private boolean reserve(int log2) {
    putSince = 0;
    return memory.tryReserve(CuckooTable.bytes(log2));
  }

  final synchronized void shrink(long bytes) {
    long goal = Math.max(0, memory() - bytes);
    while (memory() > goal && table != null) {
      int lost = halve();
      putSince = 0;
      if (lost > 0 || table == null) {
        lost();
      }
    }
  }

  /** Half of the table is gone, or all, and with it entries. */
  void lost() {}

  /**
   * Leaves half of the table; nothing of the smallest, nor after an error.
   *
   * @return how many entries were lost that had no room in half of it
   */
  private int halve() {
    int lost = 0;
    CuckooTable shrinking = table;
    int log2 = shrinking.bucketsLog2();
    table = null;
    try {
      if (log2 > MIN_LOG2) {
        lost = shrinking.halve();
        table = shrinking;
      }
    } finally {
      if (table == null) {
        shrinking.free();
      }
      memory.release(CuckooTable.bytes(table == null ? log2 : log2 - 1));
    }
    return lost;
  }

  /** Forgets everything, and keeps nothing from now on. */
  @Override
  public synchronized void close() {
    memory.close();
    if (table != null) {
      table.free();
      table = null;
    }
  }
}
