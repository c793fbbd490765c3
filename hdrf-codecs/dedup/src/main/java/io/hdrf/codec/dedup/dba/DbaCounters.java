/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What an array has done since it was opened, and the memory that it holds. Thread-safe. */
public final class DbaCounters {

  final LongAdder sealed = new LongAdder();
  final LongAdder enlarged = new LongAdder();
  final LongAdder tightened = new LongAdder();
  final LongAdder refreshed = new LongAdder();
  final LongAdder combined = new LongAdder();
  final LongAdder orMerged = new LongAdder();
  final LongAdder loaded = new LongAdder();
  final LongAdder rebuilt = new LongAdder();
  final LongAdder written = new LongAdder();
  final LongAdder retired = new LongAdder();
  final LongAdder exceeded = new LongAdder();
  final LongAdder putOff = new LongAdder();
  final LongAdder damaged = new LongAdder();
  final LongAdder notIndexed = new LongAdder();
  final LongAdder queries = new LongAdder();
  final LongAdder negatives = new LongAdder();
  final LongAdder candidates = new LongAdder();
  final LongAdder inserted = new LongAdder();
  final LongAdder reinserted = new LongAdder();
  volatile long memoryBytes;

  DbaCounters() {}

  /** Filters that became full. */
  public long sealed() {
    return sealed.sum();
  }

  /** Groups that were made anew with more room. */
  public long enlarged() {
    return enlarged.sum();
  }

  /** Groups that got more hash functions. */
  public long tightened() {
    return tightened.sum();
  }

  /** Filters that were made anew without their deleted elements. */
  public long refreshed() {
    return refreshed.sum();
  }

  /** Pairs of groups that became one. */
  public long combined() {
    return combined.sum();
  }

  /** Filters that were taken up by another one. */
  public long orMerged() {
    return orMerged.sum();
  }

  /** Filters that were read from their files. */
  public long loaded() {
    return loaded.sum();
  }

  /** Filters that were made from the index, because their file was missing, damaged or old. */
  public long rebuilt() {
    return rebuilt.sum();
  }

  /** Files written. */
  public long written() {
    return written.sum();
  }

  /** Filters that were given up for want of memory: their segments no longer deduplicate. */
  public long retired() {
    return retired.sum();
  }

  /** Filters that were begun, or filled, beyond what the error rate or the memory allows. */
  public long exceeded() {
    return exceeded.sum();
  }

  /** Work that failed and will be tried again. */
  public long putOff() {
    return putOff.sum();
  }

  /** Filter files that could not be used. */
  public long damaged() {
    return damaged.sum();
  }

  /** Elements that got no segment, because it was not known which numbers are free. */
  public long notIndexed() {
    return notIndexed.sum();
  }

  /** Fingerprints asked for. */
  public long queries() {
    return queries.sum();
  }

  /** Fingerprints asked for that have no candidate: decided without the index. */
  public long negatives() {
    return negatives.sum();
  }

  /** Candidates given. */
  public long candidates() {
    return candidates.sum();
  }

  /** Elements inserted. */
  public long inserted() {
    return inserted.sum();
  }

  /** Elements read from the index for filters that were made anew. */
  public long reinserted() {
    return reinserted.sum();
  }

  /** Bytes of all groups. */
  public long memoryBytes() {
    return memoryBytes;
  }

  /** All of them by name, in a fixed order. */
  public Map<String, Long> asMap() {
    Map<String, Long> all = new LinkedHashMap<>();
    all.put("sealed", sealed());
    all.put("enlarged", enlarged());
    all.put("tightened", tightened());
    all.put("refreshed", refreshed());
    all.put("combined", combined());
    all.put("orMerged", orMerged());
    all.put("loaded", loaded());
    all.put("rebuilt", rebuilt());
    all.put("written", written());
    all.put("retired", retired());
    all.put("exceeded", exceeded());
    all.put("putOff", putOff());
    all.put("damaged", damaged());
    all.put("notIndexed", notIndexed());
    all.put("queries", queries());
    all.put("negatives", negatives());
    all.put("candidates", candidates());
    all.put("inserted", inserted());
    all.put("reinserted", reinserted());
    all.put("memoryBytes", memoryBytes());
    return all;
  }
}
