/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.io.IOException;
import java.util.Collection;

/**
 * The fingerprint index as the array sees it. For use by several threads. Each method may be slow
 * or fail: then what needed it is put off and counted.
 */
public interface SegmentSource {

  /**
   * Returns the segments that hold fingerprints, in any order; segments that became empty may be
   * among them.
   */
  Collection<Integer> segments() throws IOException;

  /**
   * A number that is another one after a fingerprint was added to the segment, across restarts and
   * power losses too; removals need not change it. A segment that does not exist has one as well.
   */
  long generation(int segment) throws IOException;

  /**
   * Visits every fingerprint that is in the segment from beginning to end of the scan, and any of
   * those that come or go meanwhile.
   */
  void scan(int segment, FingerprintVisitor visitor) throws IOException;
}
