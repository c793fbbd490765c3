/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the work of an array since it was opened, and the memory that it holds. Thread-safe. */
public final class DbaCounters {

  /** Filters that became full. */
  final LongAdder sealed = new LongAdder();

  /** Groups that were rebuilt with more room. */
  final LongAdder enlarged = new LongAdder();

  /** Groups that got more hash functions. */
  final LongAdder tightened = new LongAdder();

  /** Filters that were rebuilt without their deleted elements. */
  final LongAdder refreshed = new LongAdder();

  /** Pairs of groups that became one. */
  final LongAdder combined = new LongAdder();

  /** Filters that were taken up by another one. */
  final LongAdder orMerged = new LongAdder();

  /** Filters that were read from their files. */
  final LongAdder loaded = new LongAdder();

  /** Filters that were made from the index, because their file was missing, damaged or old. */
  final LongAdder rebuilt = new LongAdder();

  /** Files written. */
  final LongAdder written = new LongAdder();

  /** Filters that were given up for want of memory: their segments no longer deduplicate. */
  final LongAdder retired = new LongAdder();

  /** Filters that were begun, or filled, beyond what the error rate or the memory allows. */
  final LongAdder exceeded = new LongAdder();

  /** Work that failed and will be tried again. */
  final LongAdder putOff = new LongAdder();

  /** Filter files that could not be used. */
  final LongAdder damaged = new LongAdder();

  /** Elements that got no segment, because it was not known which numbers are free. */
  final LongAdder notIndexed = new LongAdder();

  /** Fingerprints asked for. */
  final LongAdder queries = new LongAdder();

  /** Fingerprints asked for that have no candidate: decided without the index. */
  final LongAdder negatives = new LongAdder();

  /** Candidates given. */
  final LongAdder candidates = new LongAdder();

  /** Elements inserted. */
  final LongAdder inserted = new LongAdder();

  /** Elements read from the index to rebuild filters. */
  final LongAdder reinserted = new LongAdder();

  /** Bytes of all groups. */
  volatile long memoryBytes;

  DbaCounters() {}

  /** Filters that were given up for want of memory: their segments no longer deduplicate. */
  public long retired() {
    return retired.sum();
  }

  /** All of them by name, in a fixed order. */
  public Map<String, Long> asMap() {
    Map<String, Long> all = new LinkedHashMap<>();
    all.put("sealed", sealed.sum());
    all.put("enlarged", enlarged.sum());
    all.put("tightened", tightened.sum());
    all.put("refreshed", refreshed.sum());
    all.put("combined", combined.sum());
    all.put("orMerged", orMerged.sum());
    all.put("loaded", loaded.sum());
    all.put("rebuilt", rebuilt.sum());
    all.put("written", written.sum());
    all.put("retired", retired.sum());
    all.put("exceeded", exceeded.sum());
    all.put("putOff", putOff.sum());
    all.put("damaged", damaged.sum());
    all.put("notIndexed", notIndexed.sum());
    all.put("queries", queries.sum());
    all.put("negatives", negatives.sum());
    all.put("candidates", candidates.sum());
    all.put("inserted", inserted.sum());
    all.put("reinserted", reinserted.sum());
    all.put("memoryBytes", memoryBytes);
    return all;
  }
}
