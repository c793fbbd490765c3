/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.FilterRows;
import java.io.IOException;
import java.nio.LongBuffer;
import java.util.function.BooleanSupplier;

/** Reads the fingerprints of segments from the index, in batches. For one thread at a time. */
final class SegmentScan {

  /** Takes a batch of elements. */
  interface Sink {
    void add(long[] hashes, int count);
  }

  private static final int BATCH = 1024;

  private final SegmentSource source;
  private final DbaCounters counters;
  private final BooleanSupplier ended;
  private final long[] hashes = new long[BATCH * FilterRows.HASH_LONGS];
  private final LongBuffer next = LongBuffer.wrap(hashes);
  private int pending;
  private int total;

  /**
   * @param ended tells that a scan is no longer wanted
   */
  SegmentScan(SegmentSource source, DbaCounters counters, BooleanSupplier ended) {
    this.source = source;
    this.counters = counters;
    this.ended = ended;
  }

  /**
   * Scans all segments of a filter.
   *
   * @return the number of fingerprints
   */
  int run(int[] segments, Sink sink) throws IOException {
    pending = 0;
    total = 0;
    for (int segment : segments) {
      source.scan(segment, (bytes, offset) -> visit(bytes, offset, sink));
      if (ended.getAsBoolean()) {
        throw new IOException("segment " + segment + ": closed while it was scanned");
      }
    }
    hand(sink);
    return total;
  }

  /**
   * Scans all segments of a filter into separate bits.
   *
   * @return the number of fingerprints
   */
  int run(Filter filter, ColumnBits bits) throws IOException {
    return run(filter.segments(), (batch, count) -> bits.add(batch, 0, count));
  }

  private boolean visit(byte[] bytes, int offset, Sink sink) {
    FilterGroup.hash(bytes, offset, 1, next, pending * FilterRows.HASH_LONGS);
    pending++;
    if (pending == BATCH) {
      hand(sink);
      return !ended.getAsBoolean();
    }
    return true;
  }

  private void hand(Sink sink) {
    sink.add(hashes, pending);
    counters.reinserted.add(pending);
    total += pending;
    pending = 0;
  }
}
