/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the work of a codec since it was opened. Thread-safe. */
final class DedupCounters {
  final LongAdder blocks = new LongAdder();
  final LongAdder bytes = new LongAdder();
  final LongAdder chunksNew = new LongAdder();
  final LongAdder bytesNew = new LongAdder();
  final LongAdder chunksFound = new LongAdder();
  final LongAdder bytesFound = new LongAdder();
  final LongAdder chunksStoredAgain = new LongAdder();
  final LongAdder recipeBytes = new LongAdder();
  final LongAdder runs = new LongAdder();
  final LongAdder containersTouched = new LongAdder();
  final LongAdder forceNanos = new LongAdder();
  final LongAdder damagedReads = new LongAdder();
  final LongAdder runsPrefetched = new LongAdder();
  final LongAdder chunksAsDifferences = new LongAdder();
  final LongAdder bytesAsDifferences = new LongAdder();
  final LongAdder bytesOfDifferences = new LongAdder();
  final LongAdder basesRead = new LongAdder();
  final LongAdder basesRefused = new LongAdder();

  Map<String, Long> asMap() {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put("blocks", blocks.sum());
    values.put("bytes", bytes.sum());
    values.put("chunksNew", chunksNew.sum());
    values.put("bytesNew", bytesNew.sum());
    values.put("chunksFound", chunksFound.sum());
    values.put("bytesFound", bytesFound.sum());
    values.put("chunksStoredAgain", chunksStoredAgain.sum());
    values.put("recipeBytes", recipeBytes.sum());
    values.put("recipeRuns", runs.sum());
    values.put("containersTouched", containersTouched.sum());
    values.put("forceNanos", forceNanos.sum());
    values.put("damagedReads", damagedReads.sum());
    values.put("runsPrefetched", runsPrefetched.sum());
    values.put("chunksAsDifferences", chunksAsDifferences.sum());
    values.put("bytesAsDifferences", bytesAsDifferences.sum());
    values.put("bytesOfDifferences", bytesOfDifferences.sum());
    values.put("basesRead", basesRead.sum());
    values.put("basesRefused", basesRefused.sum());
    return values;
  }
}
