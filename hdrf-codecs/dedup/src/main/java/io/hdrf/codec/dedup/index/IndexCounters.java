/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the work of a fingerprint index since it was opened. Thread-safe. */
final class IndexCounters {
  final LongAdder foundInCache = new LongAdder();
  final LongAdder foundBeside = new LongAdder();
  final LongAdder foundInStore = new LongAdder();
  final LongAdder newByFilters = new LongAdder();
  final LongAdder newByStore = new LongAdder();
  final LongAdder notLookedUp = new LongAdder();
  final LongAdder keysRead = new LongAdder();
  final LongAdder unconfirmed = new LongAdder();
  final LongAdder written = new LongAdder();
  final LongAdder removed = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder failures = new LongAdder();
  final LongAdder slow = new LongAdder();
  final LongAdder rebuilds = new LongAdder();

  Map<String, Long> asMap() {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put("indexFoundInCache", foundInCache.sum());
    values.put("indexFoundBeside", foundBeside.sum());
    values.put("indexFoundInStore", foundInStore.sum());
    values.put("indexNewByFilters", newByFilters.sum());
    values.put("indexNewByStore", newByStore.sum());
    values.put("indexNotLookedUp", notLookedUp.sum());
    values.put("indexKeysRead", keysRead.sum());
    values.put("indexUnconfirmed", unconfirmed.sum());
    values.put("indexEntriesWritten", written.sum());
    values.put("indexEntriesRemoved", removed.sum());
    values.put("indexEntriesDropped", dropped.sum());
    values.put("indexFailures", failures.sum());
    values.put("indexSlow", slow.sum());
    values.put("indexRebuilds", rebuilds.sum());
    return values;
  }
}
