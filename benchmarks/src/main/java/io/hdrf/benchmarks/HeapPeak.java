/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * How much of the heap is in use after collections of the JVM, at most, above what was in use at
 * the start of a phase. Short peaks between collections are not seen.
 */
final class HeapPeak {

  private static final Set<String> NOT_HEAP =
      Set.of("Metaspace", "Compressed Class Space", "CodeCache");

  private final AtomicLong highest = new AtomicLong();
  private long before;

  HeapPeak() {
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) bean)
          .addNotificationListener(
              (notification, handback) -> {
                if (notification
                    .getType()
                    .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
                  long used =
                      used(
                          GarbageCollectionNotificationInfo.from(
                                  (CompositeData) notification.getUserData())
                              .getGcInfo()
                              .getMemoryUsageAfterGc());
                  highest.accumulateAndGet(used, Math::max);
                }
              },
              null,
              null);
    }
  }

  private static long used(Map<String, MemoryUsage> pools) {
    return pools.entrySet().stream()
        .filter(pool -> !NOT_HEAP.contains(pool.getKey()) && !pool.getKey().startsWith("CodeHeap"))
        .mapToLong(pool -> pool.getValue().getUsed())
        .sum();
  }

  private static long used() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Begins a phase. */
  void begin() {
    before = used();
    highest.set(before);
  }

  /** Ends a phase; returns bytes. */
  long end() {
    long now = used();
    return Math.max(now, highest.get()) - before;
  }
}
