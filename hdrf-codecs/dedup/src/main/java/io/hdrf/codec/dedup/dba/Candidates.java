/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.FilterRows;
import io.hdrf.spi.scheme.ChunkFunction;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * The answer to a query: the index segments that may hold each fingerprint, in the order of the
 * groups. One thread makes it once and uses it for query after query. It also holds the buffers of
 * a query, so that a query allocates nothing once they have grown.
 */
public final class Candidates {

  /** Fingerprints that go through a group together. Their state stays in the CPU's cache. */
  static final int BATCH = 1024;

  private int count;
  private boolean complete = true;

  /** The beginning of the candidates of each fingerprint, and behind the last one their end. */
  private int[] starts = new int[1];

  private int[] segments = new int[64];

  private final LongBuffer hashes = FilterRows.longs(BATCH * FilterRows.HASH_LONGS);

  /** The fingerprints of the batch that are left, and for each the columns that are left. */
  private final IntBuffer left = FilterRows.ints(BATCH);

  private LongBuffer columns = FilterRows.longs(BATCH);

  /** The candidates of the batch, in the order in which they were found. */
  private int matches;

  private int[] matchFingerprints = new int[BATCH];
  private int[] matchSegments = new int[BATCH];

  /** The number of candidates of each fingerprint of the batch. */
  private final int[] sizes = new int[BATCH];

  /**
   * Returns whether these are all candidates. If not (the array could not learn yet which segments
   * there are), any other segment may hold each of the fingerprints too.
   */
  public boolean isComplete() {
    return complete;
  }

  /**
   * Returns the number of segments that may hold a fingerprint.
   *
   * @param fingerprint its number in the query, from 0
   */
  public int size(int fingerprint) {
    checkFingerprint(fingerprint);
    return starts[fingerprint + 1] - starts[fingerprint];
  }

  /**
   * A segment that may hold a fingerprint.
   *
   * @param fingerprint its number in the query, from 0
   * @param i from 0 to size - 1
   */
  public int segment(int fingerprint, int i) {
    if (i < 0 || i >= size(fingerprint)) {
      throw new IndexOutOfBoundsException("candidate " + i + " of " + size(fingerprint));
    }
    return segments[starts[fingerprint] + i];
  }

  /** The candidates of all fingerprints together. */
  public int total() {
    return starts[count];
  }

  private void checkFingerprint(int fingerprint) {
    if (fingerprint < 0 || fingerprint >= count) {
      throw new IndexOutOfBoundsException("fingerprint " + fingerprint + " of " + count);
    }
  }

  /** Asks all groups for all fingerprints. Returns how many have no candidate. */
  int fill(byte[] fingerprints, int asked, FilterGroup[] groups, boolean allGroups) {
    count = asked;
    complete = allGroups;
    if (starts.length <= asked) {
      starts = new int[asked + 1];
    }
    int negatives = 0;
    int end = 0;
    for (int done = 0; done < asked; done += BATCH) {
      int batch = Math.min(BATCH, asked - done);
      findMatches(fingerprints, done, batch, groups);
      if (end + matches > segments.length) {
        segments = Arrays.copyOf(segments, Math.max(2 * segments.length, end + matches));
      }
      negatives += sortMatches(done, batch, end);
      end += matches;
    }
    starts[asked] = end;
    return negatives;
  }

  /** Looks for all candidates of a batch. */
  private void findMatches(byte[] fingerprints, int first, int batch, FilterGroup[] groups) {
    FilterGroup.hash(fingerprints, first * ChunkFunction.FINGERPRINT_LENGTH, batch, hashes, 0);
    matches = 0;
    Arrays.fill(sizes, 0, batch, 0);
    for (FilterGroup group : groups) {
      ask(group, batch);
      if (group.hasPending()) {
        addPending(group, batch);
      }
    }
  }

  /**
   * Puts the candidates of a batch into {@link #segments} from {@code end} on, in the order of the
   * fingerprints.
   *
   * @return how many fingerprints have none
   */
  private int sortMatches(int first, int batch, int end) {
    int next = end;
    int none = 0;
    for (int i = 0; i < batch; i++) {
      int size = sizes[i];
      starts[first + i] = next;
      sizes[i] = next;
      next += size;
      none += size == 0 ? 1 : 0;
    }
    for (int i = 0; i < matches; i++) {
      segments[sizes[matchFingerprints[i]]++] = matchSegments[i];
    }
    return none;
  }

  /**
   * Sends a batch through a group row by row, so that the memory accesses of one row don't depend
   * on each other and overlap. A fingerprint leaves as soon as no column is left.
   */
  private void ask(FilterGroup group, int batch) {
    if (!group.isLive()) {
      return;
    }
    begin(group, batch);
    Shape shape = group.shape();
    int lanes = group.lanes();
    int remaining = batch;
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

  /** Begins with all fingerprints, and for each with all columns whose bits batch. */
  private void begin(FilterGroup group, int batch) {
    int lanes = group.lanes();
    if (columns.limit() < lanes * BATCH) {
      columns = FilterRows.longs(lanes * BATCH);
    }
    for (int i = 0; i < batch; i++) {
      left.put(i, i);
    }
    for (int i = 0; i < batch; i++) {
      for (int lane = 0; lane < lanes; lane++) {
        columns.put(i * lanes + lane, group.live(lane));
      }
    }
  }

  private void addPending(FilterGroup group, int batch) {
    for (int i = 0; i < batch; i++) {
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
