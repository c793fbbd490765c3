/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.index.IndexLookup;

/**
 * Bounds how many containers a segment of a block refers to, so that a disk can read it without
 * jumping about: the chunks of those that give the segment least are stored again, as long as no
 * more than a share of what the block found is. A chunk that is kept as a difference takes the
 * container of its base, too. For one thread.
 */
final class ContainerCap {

  /** The most containers that can be allowed: a segment has no more chunks. */
  static final int MAX_CONTAINERS = IndexLookup.MAX_COUNT;

  private final int containers;
  private final int percent;

  /** Each chunk takes its own container and that of its base. */
  private static final int MAX_TAKEN = 2 * MAX_CONTAINERS;

  /** The containers of the segment, and the bytes that it has, or makes, from each. */
  private final long[] ids = new long[MAX_TAKEN];

  private final long[] bytes = new long[MAX_TAKEN];

  /** Those in front stay; the others are given up. */
  private int count;

  /** Hundredths of bytes that may still be stored again. */
  private long credit;

  /** The container that the block is appended to. */
  private long own;

  /** Whether the segment has chunks in the container that the block is appended to anyway. */
  private boolean appends;

  /**
   * @param containers that a segment may refer to, besides the one that the block is appended to;
   *     0: any number
   * @param percent of the bytes that a block found, the most that is stored again of it
   */
  ContainerCap(int containers, int percent) {
    this.containers = containers;
    this.percent = percent;
  }

  void beginBlock() {
    credit = 0;
  }

  /**
   * Chooses the chunks of the block's next segment that are stored again.
   *
   * @param refs references of {@code chunks} chunks, or -1 for those that were not found; those
   *     that are chosen get -1
   * @param bases references of the bases of those that were found, or -1 where they are whole
   * @param ends where each chunk ends, from the beginning of the first one
   * @param chunks at most {@link IndexLookup#MAX_COUNT}
   * @param own the container that the block is appended to, which costs a reader nothing more; or
   *     -1
   * @return the number of chunks chosen
   */
  int apply(long[] refs, long[] bases, int[] ends, int chunks, long own) {
    if (containers == 0) {
      return 0;
    }
    this.own = own;
    addUp(refs, bases, ends, chunks);
    int all = count;
    long before = credit;
    while (count > containers && giveUpPoorest()) {
      // The next one has more.
    }
    if (all - count <= (appends ? 0 : 1)) {
      // In the place of one given up there would be the one that its chunks are appended to: no
      // fewer, and again with each copy of the same data.
      count = all;
      credit = before;
      return 0;
    }
    return drop(refs, bases, chunks, all);
  }

  private void addUp(long[] refs, long[] bases, int[] ends, int chunks) {
    count = 0;
    appends = false;
    int last = -1;
    int lastOfBases = -1;
    for (int i = 0; i < chunks; i++) {
      if (refs[i] < 0) {
        appends = true;
        continue;
      }
      int length = ends[i] - (i == 0 ? 0 : ends[i - 1]);
      if (i == 0 || refs[i] != refs[i - 1]) {
        // Zeros and the like save next to nothing, however often they are found.
        credit += (long) length * percent;
      }
      long container = ChunkRef.container(refs[i]);
      last = addUp(container, length, last);
      if (bases[i] >= 0 && ChunkRef.container(bases[i]) != container) {
        lastOfBases = addUp(ChunkRef.container(bases[i]), length, lastOfBases);
      }
    }
  }

  /**
   * Adds bytes of a container.
   *
   * @param last the place that was returned last, or -1
   */
  private int addUp(long container, int length, int last) {
    if (container == own) {
      appends = true;
      return last;
    }
    int place = last >= 0 && ids[last] == container ? last : place(container, 0, count);
    if (place < 0) {
      place = count;
      ids[place] = container;
      bytes[place] = 0;
      count++;
    }
    bytes[place] += length;
    return place;
  }

  private int place(long container, int from, int to) {
    for (int i = from; i < to; i++) {
      if (ids[i] == container) {
        return i;
      }
    }
    return -1;
  }

  /** Returns false if that would be too much. */
  private boolean giveUpPoorest() {
    int poorest = 0;
    for (int i = 1; i < count; i++) {
      if (bytes[i] < bytes[poorest]) {
        poorest = i;
      }
    }
    long cost = 100 * bytes[poorest];
    if (cost > credit) {
      return false;
    }
    credit -= cost;
    count--;
    long id = ids[poorest];
    ids[poorest] = ids[count];
    bytes[poorest] = bytes[count];
    ids[count] = id;
    return true;
  }

  private int drop(long[] refs, long[] bases, int chunks, int all) {
    int chosen = 0;
    for (int i = 0; i < chunks; i++) {
      if (refs[i] >= 0
          && (isGivenUp(refs[i], all) || (bases[i] >= 0 && isGivenUp(bases[i], all)))) {
        refs[i] = -1;
        chosen++;
      }
    }
    return chosen;
  }

  private boolean isGivenUp(long ref, int all) {
    return place(ChunkRef.container(ref), count, all) >= 0;
  }

  /** Returns whether the segment may refer to a container for the base of a new chunk. */
  boolean allows(long container) {
    return containers == 0
        || container == own
        || count < containers
        || place(container, 0, count) >= 0;
  }

  /** The segment refers to a container for a base. */
  void add(long container) {
    if (containers > 0 && container != own && place(container, 0, count) < 0) {
      ids[count] = container;
      count++;
    }
  }
}
