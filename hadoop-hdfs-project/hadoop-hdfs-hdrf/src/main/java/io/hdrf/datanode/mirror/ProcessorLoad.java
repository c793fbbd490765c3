/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** How busy the machine's processors are. Thread-safe. */
final class ProcessorLoad {

  /** The share of busy processors at which all count as busy. */
  private static final double BUSY = 0.9;

  /** The shortest time over which that is measured. */
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private long measuredAt = System.nanoTime() - INTERVAL_NANOS;
  private boolean busy;

  /** Returns whether all processors were busy since the last measurement; no if nobody knows. */
  synchronized boolean isBusy() {
    long now = System.nanoTime();
    if (system != null && now - measuredAt >= INTERVAL_NANOS) {
      measuredAt = now;
      busy = system.getSystemCpuLoad() >= BUSY;
    }
    return busy;
  }
}
