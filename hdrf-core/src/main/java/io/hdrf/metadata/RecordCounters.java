/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Counters of records, for all volumes of a DataNode. Safe for use by many threads. */
public final class RecordCounters {
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong deleted = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final AtomicLong rebuilds = new AtomicLong();
  private final AtomicLong overflows = new AtomicLong();
  private final AtomicLong cpuNanos = new AtomicLong();

  void written(long count) {
    written.addAndGet(count);
  }

  void deleted(long count) {
    deleted.addAndGet(count);
  }

  void failure() {
    failures.incrementAndGet();
  }

  void rebuild() {
    rebuilds.incrementAndGet();
  }

  void overflow() {
    overflows.incrementAndGet();
  }

  void cpu(long nanos) {
    cpuNanos.addAndGet(nanos);
  }

  /** Returns all values by name. */
  public Map<String, Long> values() {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put("metadataRecordsWritten", written.get());
    values.put("metadataRecordsDeleted", deleted.get());
    values.put("metadataFailures", failures.get());
    values.put("metadataRebuilds", rebuilds.get());
    values.put("metadataOverflows", overflows.get());
    values.put("metadataCpuMillis", cpuNanos.get() / 1_000_000);
    return values;
  }
}
