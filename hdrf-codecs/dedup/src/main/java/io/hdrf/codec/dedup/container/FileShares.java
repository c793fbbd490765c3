/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.Closeable;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Divides the descriptors that containers may keep among all stores of the process: a part of what
 * the system gives it, for the DataNode needs them for its clients, and one without any serves
 * nobody. Thread-safe.
 */
final class FileShares {

  /** All containers together keep one of so many. */
  private static final int PART = 4;

  private static final long LIMIT = limit();
  private static final AtomicInteger STORES = new AtomicInteger();

  private FileShares() {}

  private static long limit() {
    OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    return system instanceof UnixOperatingSystemMXBean
        ? ((UnixOperatingSystemMXBean) system).getMaxFileDescriptorCount()
        : Long.MAX_VALUE;
  }

  /** A store that counts until this is closed, for the first time. */
  interface Share extends Closeable {
    @Override
    void close();
  }

  static Share open() {
    STORES.incrementAndGet();
    AtomicBoolean isOpen = new AtomicBoolean(true);
    return () -> {
      if (isOpen.compareAndSet(true, false)) {
        STORES.decrementAndGet();
      }
    };
  }

  /** How many files a store may keep open now, at least 1. */
  static int now() {
    return of(LIMIT, STORES.get());
  }

  static int of(long limit, int stores) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, limit / PART / Math.max(1, stores)));
  }
}
