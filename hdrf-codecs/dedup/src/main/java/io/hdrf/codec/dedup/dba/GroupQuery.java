/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.util.Arrays;

/**
 * The work of a query. A batch of fingerprints goes through a group row by row, so that the memory
 * accesses of one row don't depend on each other and overlap; a fingerprint leaves as soon as no
 * column is left. For one thread at a time.
 */
final class GroupQuery {

  /** Fingerprints that go through a group together: what is kept of them stays in cache. */
  static final int BATCH = 1024;

  /** Rows whose positions are worked out for the whole batch, and kept for the next group. */
  private static final int SHARED_ROWS = 10;

  private final long[] hashes = new long[BATCH * Fingerprints.HASH_LONGS];
  private final int[][] sharedPositions = new int[SHARED_ROWS][BATCH];
  private int sharedRows;
  private int rowLength;

  /** The fingerprints that are left, and for each the columns that are left. */
  private final int[] left = new int[BATCH];

  private long[] columns = new long[BATCH];
  private final int[] positions = new int[BATCH];
  private final long[] found = new long[BATCH];

  private int matches;
  private int[] matchFingerprints = new int[BATCH];
  private int[] matchSegments = new int[BATCH];
  private final int[] sizes = new int[BATCH];

  /** Candidates that the last run found. */
  int matches() {
    return matches;
  }

  /** Looks for all candidates of a batch. */
  void run(byte[] fingerprints, int first, int count, Group[] groups) {
    Fingerprints.hash(fingerprints, first * Fingerprints.LENGTH, count, hashes, 0);
    matches = 0;
    sharedRows = 0;
    Arrays.fill(sizes, 0, count, 0);
    for (Group group : groups) {
      if (group.shape().rowLength() != rowLength) {
        rowLength = group.shape().rowLength();
        sharedRows = 0;
      }
      if (group.lanes() == 1) {
        narrow(group, count);
      } else {
        wide(group, count);
      }
      if (group.hasPending()) {
        addPending(group, count);
      }
    }
  }

  /**
   * Puts the candidates of the last run in the order of the fingerprints.
   *
   * @param starts gets where each fingerprint's candidates begin, from {@code first} on
   * @param segments gets the candidates, from {@code at} on
   * @return how many fingerprints have none
   */
  int sortInto(int[] starts, int first, int count, int[] segments, int at) {
    int end = at;
    int none = 0;
    for (int i = 0; i < count; i++) {
      int size = sizes[i];
      starts[first + i] = end;
      sizes[i] = end;
      end += size;
      none += size == 0 ? 1 : 0;
    }
    for (int i = 0; i < matches; i++) {
      segments[sizes[matchFingerprints[i]]++] = matchSegments[i];
    }
    return none;
  }

  /** A group with a word for each position, or several positions in a word. */
  private void narrow(Group group, int count) {
    long live = group.live(0);
    if (live == 0) {
      return;
    }
    int log = group.log();
    for (int i = 0; i < count; i++) {
      left[i] = i;
    }
    int remaining = count;
    int rows = group.shape().hashes();
    for (int j = 0; j < rows && remaining > 0; j++) {
      gatherPositions(j, remaining, count);
      gather(group.row(j), log, found, positions, remaining);
      if (j == 0) {
        remaining = keepFirst(found, live, columns, left, remaining);
      } else {
        remaining = keep(found, columns, left, remaining);
      }
    }
    for (int i = 0; i < remaining; i++) {
      addColumns(group, left[i], columns[i], 0);
    }
  }

  /**
   * The words at the given positions. Apart from what follows from them: where a store depended on
   * what was read, the accesses would wait for each other.
   */
  private static void gather(long[] row, int log, long[] found, int[] positions, int count) {
    int down = 6 - log;
    for (int i = 0; i < count; i++) {
      int position = positions[i];
      found[i] = row[position >>> down] >>> (position << log);
    }
  }

  private static int keepFirst(long[] found, long live, long[] columns, int[] left, int count) {
    int remaining = 0;
    for (int i = 0; i < count; i++) {
      long word = found[i] & live;
      columns[remaining] = word;
      left[remaining] = i;
      remaining += isNonZero(word);
    }
    return remaining;
  }

  private static int keep(long[] found, long[] columns, int[] left, int count) {
    int remaining = 0;
    for (int i = 0; i < count; i++) {
      long word = found[i] & columns[i];
      columns[remaining] = word;
      left[remaining] = left[i];
      remaining += isNonZero(word);
    }
    return remaining;
  }

  /** A group with several words for each position. */
  private void wide(Group group, int count) {
    int lanes = group.lanes();
    if (columns.length < lanes * BATCH) {
      columns = new long[lanes * BATCH];
    }
    for (int i = 0; i < count; i++) {
      left[i] = i;
      for (int lane = 0; lane < lanes; lane++) {
        columns[i * lanes + lane] = group.live(lane);
      }
    }
    int remaining = count;
    int rows = group.shape().hashes();
    for (int j = 0; j < rows && remaining > 0; j++) {
      gatherPositions(j, remaining, count);
      long[] row = group.row(j);
      touch(row, lanes, positions, found, remaining);
      remaining = wideRow(row, lanes, remaining);
    }
    for (int i = 0; i < remaining; i++) {
      for (int lane = 0; lane < lanes; lane++) {
        addColumns(group, left[i], columns[i * lanes + lane], lane);
      }
    }
  }

  /**
   * Brings the words at the given positions into the cache: the accesses don't wait for each other
   * here, as they would for what {@link #wideRow} stores.
   */
  private static void touch(long[] row, int lanes, int[] positions, long[] touched, int count) {
    for (int i = 0; i < count; i++) {
      int at = positions[i] * lanes;
      touched[i] = row[at] ^ row[at + lanes - 1];
    }
  }

  /** One loop for each number of lanes that there is: unrolled, they are a fifth faster. */
  private int wideRow(long[] row, int lanes, int asked) {
    switch (lanes) {
      case 2:
        return wideRow2(row, positions, columns, left, asked);
      case 4:
        return wideRow4(row, positions, columns, left, asked);
      case 8:
        return wideRow8(row, positions, columns, left, asked);
      default:
        throw new IllegalArgumentException(lanes + " lanes");
    }
  }

  private static int wideRow2(long[] row, int[] positions, long[] columns, int[] left, int asked) {
    int remaining = 0;
    for (int i = 0; i < asked; i++) {
      int at = positions[i] * 2;
      long a = columns[2 * i] & row[at];
      long b = columns[2 * i + 1] & row[at + 1];
      columns[2 * remaining] = a;
      columns[2 * remaining + 1] = b;
      left[remaining] = left[i];
      remaining += isNonZero(a | b);
    }
    return remaining;
  }

  private static int wideRow4(long[] row, int[] positions, long[] columns, int[] left, int asked) {
    int remaining = 0;
    for (int i = 0; i < asked; i++) {
      int at = positions[i] * 4;
      long a = columns[4 * i] & row[at];
      long b = columns[4 * i + 1] & row[at + 1];
      long c = columns[4 * i + 2] & row[at + 2];
      long d = columns[4 * i + 3] & row[at + 3];
      columns[4 * remaining] = a;
      columns[4 * remaining + 1] = b;
      columns[4 * remaining + 2] = c;
      columns[4 * remaining + 3] = d;
      left[remaining] = left[i];
      remaining += isNonZero(a | b | c | d);
    }
    return remaining;
  }

  private static int wideRow8(long[] row, int[] positions, long[] columns, int[] left, int asked) {
    int remaining = 0;
    for (int i = 0; i < asked; i++) {
      int at = positions[i] * 8;
      long any = 0;
      for (int lane = 0; lane < 8; lane++) {
        long found = columns[i * 8 + lane] & row[at + lane];
        columns[remaining * 8 + lane] = found;
        any |= found;
      }
      left[remaining] = left[i];
      remaining += isNonZero(any);
    }
    return remaining;
  }

  /** Without a branch: none could be predicted. */
  private static int isNonZero(long word) {
    return (int) ((word | -word) >>> 63);
  }

  /** The positions in row {@code j} of the fingerprints that are left. */
  private void gatherPositions(int j, int remaining, int count) {
    if (j < SHARED_ROWS) {
      int[] shared = positions(j, count);
      for (int i = 0; i < remaining; i++) {
        positions[i] = shared[left[i]];
      }
      return;
    }
    for (int i = 0; i < remaining; i++) {
      int at = Fingerprints.HASH_LONGS * left[i];
      long mixed = Fingerprints.mixed(hashes[at], hashes[at + 1], j);
      positions[i] = Fingerprints.position(mixed, rowLength);
    }
  }

  /** The positions in row {@code j} of the whole batch. */
  private int[] positions(int j, int count) {
    for (; sharedRows <= j; sharedRows++) {
      int[] row = sharedPositions[sharedRows];
      for (int i = 0; i < count; i++) {
        int at = Fingerprints.HASH_LONGS * i;
        long mixed = Fingerprints.mixed(hashes[at], hashes[at + 1], sharedRows);
        row[i] = Fingerprints.position(mixed, rowLength);
      }
    }
    return sharedPositions[j];
  }

  private void addPending(Group group, int count) {
    for (int i = 0; i < count; i++) {
      for (int lane = 0; lane < group.lanes(); lane++) {
        addColumns(group, i, group.always(lane), lane);
      }
    }
  }

  private void addColumns(Group group, int fingerprint, long mask, int lane) {
    for (long rest = mask; rest != 0; rest &= rest - 1) {
      int column = lane * Long.SIZE + Long.numberOfTrailingZeros(rest);
      for (int segment : group.segments(column)) {
        addMatch(fingerprint, segment);
      }
    }
  }

  private void addMatch(int fingerprint, int segment) {
    if (matches == matchSegments.length) {
      matchSegments = Arrays.copyOf(matchSegments, 2 * matches);
      matchFingerprints = Arrays.copyOf(matchFingerprints, 2 * matches);
    }
    matchFingerprints[matches] = fingerprint;
    matchSegments[matches++] = segment;
    sizes[fingerprint]++;
  }
}
