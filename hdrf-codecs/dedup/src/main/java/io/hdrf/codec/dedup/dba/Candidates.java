/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.util.Arrays;

/**
 * The answer to a query: for each fingerprint the index segments that may hold it, in the order of
 * the groups. Made once and used for query after query by one thread; it also holds what a query
 * needs to work, so that none allocates anything once this object has grown to what is asked of it.
 */
public final class Candidates {

  private int count;
  private boolean complete = true;

  /** Where the candidates of each fingerprint begin, and behind the last one where they end. */
  private int[] starts = new int[1];

  private int[] segments = new int[64];
  private final GroupQuery work = new GroupQuery();

  /** How many fingerprints were asked for. */
  public int count() {
    return count;
  }

  /**
   * Whether these are all candidates. If not (the array could not learn yet which segments there
   * are), any other segment may hold each of the fingerprints too.
   */
  public boolean isComplete() {
    return complete;
  }

  /**
   * How many segments may hold a fingerprint.
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
    for (int done = 0; done < asked; done += GroupQuery.BATCH) {
      int batch = Math.min(GroupQuery.BATCH, asked - done);
      work.run(fingerprints, done, batch, groups);
      if (end + work.matches() > segments.length) {
        segments = Arrays.copyOf(segments, Math.max(2 * segments.length, end + work.matches()));
      }
      negatives += work.sortInto(starts, done, batch, segments, end);
      end += work.matches();
    }
    starts[asked] = end;
    return negatives;
  }
}
