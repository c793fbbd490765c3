/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The memory for what a collection knows of the containers of a range: as much as there is, and
 * some in any case. For one thread.
 */
final class CollectionMemory implements Closeable {

  /** Bytes that a budget leaves for a collection in any case: any container is a range. */
  private static final long MIN_BYTES = 512 << 10;

  /** How long a collection waits for these where others are to give way first. */
  private static final int WAIT_SECONDS = 60;

  private final long most;
  private final BooleanSupplier stopping;
  private final MemoryShare share;

  /**
   * @param most bytes at most
   */
  CollectionMemory(MemoryBudget budget, long most, BooleanSupplier stopping) {
    this.most = most;
    this.stopping = stopping;
    share =
        budget.open("Collections", MemoryShare.Kind.CACHE, Math.min(most, MIN_BYTES), most, null);
  }

  /**
   * Reserves memory, as much as there is.
   *
   * @param wanted bytes for all containers at once
   * @return bytes, to be released
   * @throws IOException if there is not even the least
   */
  long reserve(long wanted) throws IOException {
    long bytes = Math.min(most, wanted);
    while (bytes > MIN_BYTES) {
      // At once: when others have given way later, nobody would ask for it.
      if (share.reserve(bytes)) {
        return bytes;
      }
      bytes /= 2;
    }
    long least = Math.min(most, MIN_BYTES);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!share.tryReserve(least)) {
      if (stopping.getAsBoolean() || System.nanoTime() - end > 0) {
        throw new IOException("there is no memory for a collection now: see hdrf.memory");
      }
      try {
        TimeUnit.MILLISECONDS.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw (InterruptedIOException) new InterruptedIOException().initCause(e);
      }
    }
    return least;
  }

  void release(long bytes) {
    share.release(bytes);
  }

  @Override
  public void close() {
    share.close();
  }
}
