/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.io.Closeable;

/**
 * Where the base chunks are that were stored last, by their super-features. A table of places for
 * four each, in which a new one takes the place of the one that was put there first. No lock guards
 * it: a reference that belongs to another super-feature is a wrong hint, as there are others. Takes
 * memory when the first base comes, half of it or less where the budget has no more, and gives all
 * back where others need it more. Safe for use by many threads.
 */
public final class RecentBases implements BaseTable, Closeable {

  private static final int WAYS = 4;
  private static final int BYTES_EACH = 2 * Long.BYTES;

  /** A smaller table is of little use: of 1400 chunks. */
  private static final long LEAST_BYTES = 64 << 10;

  private final MemoryShare memory;

  /** The most; a table has these, or a half, a quarter, and so on. */
  private final long bytes;

  /** Super-feature and reference in turns; null as long as there is none. */
  private volatile long[] table;

  private boolean closed;

  /**
   * @param maxBytes of memory
   */
  public RecentBases(long maxBytes, MemoryBudget budget) {
    long places = Long.highestOneBit(Math.max(WAYS, maxBytes / BYTES_EACH));
    bytes = places * BYTES_EACH;
    memory = budget.open("Bases", MemoryShare.Kind.CACHE, 0, bytes, this::shrink);
  }

  private static int place(long superFeature, long[] in) {
    int places = in.length / (2 * WAYS);
    return ((int) (superFeature >>> Integer.SIZE) & places - 1) * 2 * WAYS;
  }

  @Override
  public void find(long[] superFeatures, int count, long[] bases) {
    long[] in = table;
    for (int i = 0; i < count; i++) {
      bases[i] = in == null || superFeatures[i] == 0 ? NONE : find(superFeatures[i], in);
    }
    if (in != null) {
      memory.touch();
    }
  }

  private static long find(long superFeature, long[] in) {
    int place = place(superFeature, in);
    for (int i = place; i < place + 2 * WAYS; i += 2) {
      if (in[i] == superFeature) {
        return in[i + 1];
      }
    }
    return NONE;
  }

  @Override
  public void add(long[] superFeatures, int count, long[] bases) {
    long[] in = table != null ? table : allocate();
    for (int i = 0; in != null && i < count; i++) {
      if (superFeatures[i] != 0) {
        add(superFeatures[i], bases[i], in);
      }
    }
  }

  private static void add(long superFeature, long base, long[] in) {
    int place = place(superFeature, in);
    int last = place + 2 * (WAYS - 1);
    // The one at its place, or the last: those before it move on.
    int free = place;
    while (free < last && in[free] != superFeature && in[free] != 0) {
      free += 2;
    }
    System.arraycopy(in, place, in, place + 2, free - place);
    in[place] = superFeature;
    in[place + 1] = base;
  }

  /** Returns how many chunks it can have: with all of its memory, as long as there is no table. */
  public long chunks() {
    long[] in = table;
    return (in == null ? bytes : bytes(in)) / BYTES_EACH / SuperFeatures.COUNT;
  }

  private static long bytes(long[] table) {
    return (long) table.length * Long.BYTES;
  }

  /**
   * As {@link #add}, for chunks that were stored before others: only where there is room.
   *
   * @return false if there is no memory for any
   */
  public boolean addOlder(long[] superFeatures, int count, long[] bases) {
    long[] in = table != null ? table : allocate();
    for (int i = 0; in != null && i < count; i++) {
      if (superFeatures[i] != 0) {
        addOlder(superFeatures[i], bases[i], in);
      }
    }
    return in != null;
  }

  private static void addOlder(long superFeature, long base, long[] in) {
    int place = place(superFeature, in);
    int end = place + 2 * WAYS;
    while (place < end && in[place] != superFeature && in[place] != 0) {
      place += 2;
    }
    if (place < end && in[place] == 0) {
      in[place + 1] = base;
      in[place] = superFeature;
    }
  }

  /** Without the lock, as others may have to give way. */
  private long[] allocate() {
    long least = Math.min(bytes, LEAST_BYTES);
    long some = bytes;
    while (!memory.reserve(some)) {
      some /= 2;
      if (some < least) {
        return null;
      }
    }
    return allocateReserved(some);
  }

  private synchronized long[] allocateReserved(long some) {
    boolean done = false;
    try {
      if (table == null && !closed) {
        table = new long[(int) (some / Long.BYTES)];
        done = true;
      }
    } finally {
      if (!done) {
        memory.release(some);
      }
    }
    return table;
  }

  private void shrink(long wanted) {
    long given;
    synchronized (this) {
      if (table == null) {
        return;
      }
      given = bytes(table);
      table = null;
    }
    memory.release(given);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (table != null) {
        memory.release(bytes(table));
        table = null;
      }
    }
    memory.close();
  }
}
