/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.FilterRows;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * The work of a query. A batch of fingerprints goes through a group row by row, so that the memory
 * accesses of one row don't depend on each other and overlap; a fingerprint leaves as soon as no
 * column is left. For one thread at a time.
 */
final class GroupQuery {

  /** Fingerprints that go through a group together: what is kept of them stays in cache. */
  static final int BATCH = 1024;

  private final LongBuffer hashes = FilterRows.longs(BATCH * Fingerprints.HASH_LONGS);

  /** The fingerprints that are left, and for each the columns that are left. */
  private final IntBuffer left = FilterRows.ints(BATCH);

  private LongBuffer columns = FilterRows.longs(BATCH);

  private int matches;
  private int[] matchFingerprints = new int[BATCH];
  private int[] matchSegments = new int[BATCH];
  private final int[] sizes = new int[BATCH];

  /** Candidates that the last run found. */
  int matches() {
    return matches;
  }

  /** Looks for all candidates of a batch. */
  void run(byte[] fingerprints, int first, int count, FilterGroup[] groups) {
    Fingerprints.hash(fingerprints, first * Fingerprints.LENGTH, count, hashes);
    matches = 0;
    Arrays.fill(sizes, 0, count, 0);
    for (FilterGroup group : groups) {
      ask(group, count);
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

  private void ask(FilterGroup group, int count) {
    if (!group.isLive()) {
      return;
    }
    begin(group, count);
    Shape shape = group.shape();
    int lanes = group.lanes();
    int remaining = count;
    for (int j = 0; j < shape.hashes() && remaining > 0; j++) {
      remaining =
          FilterRows.keep(
              group.row(j), shape.rowLength(), group.width(), j, hashes, remaining, columns, left);
    }
    for (int i = 0; i < remaining; i++) {
      for (int lane = 0; lane < lanes; lane++) {
        addColumns(group, left.get(i), columns.get(i * lanes + lane), lane);
      }
    }
  }

  /** Begins with all fingerprints, and for each with all columns whose bits count. */
  private void begin(FilterGroup group, int count) {
    int lanes = group.lanes();
    if (columns.limit() < lanes * BATCH) {
      columns = FilterRows.longs(lanes * BATCH);
    }
    for (int i = 0; i < count; i++) {
      left.put(i, i);
    }
    for (int i = 0; i < count; i++) {
      for (int lane = 0; lane < lanes; lane++) {
        columns.put(i * lanes + lane, group.live(lane));
      }
    }
  }

  private void addPending(FilterGroup group, int count) {
    for (int i = 0; i < count; i++) {
      for (int lane = 0; lane < group.lanes(); lane++) {
        addColumns(group, i, group.always(lane), lane);
      }
    }
  }

  private void addColumns(FilterGroup group, int fingerprint, long mask, int lane) {
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
