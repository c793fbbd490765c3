/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.gc.GarbageCollector;
import io.hdrf.codec.dedup.gc.GcSettings;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.io.RateThrottle;
import io.hdrf.thread.HdrfThreads;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three threads for what is done in the background: one each for the index, the collector and
 * containers that need mending.
 */
final class Keeper implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);

  private static final long TICK_MILLIS = 1000;

  private final ContainerStore containers;
  private final FingerprintIndex index;
  private final GarbageCollector collector;
  private final GcSettings gc;
  private final Semaphore wake = new Semaphore(0);
  private final Thread indexThread;
  private final Thread collectorThread;
  private final Thread mendingThread;
  private final RateThrottle throttle = new RateThrottle(RateThrottle.SYSTEM);
  private volatile boolean stopping;

  Keeper(
      String name,
      ContainerStore containers,
      FingerprintIndex index,
      GarbageCollector collector,
      GcSettings gc) {
    this.containers = containers;
    this.index = index;
    this.collector = collector;
    this.gc = gc;
    this.indexThread = HdrfThreads.create("hdrf-dedup-index-" + name, this::keepIndex);
    this.collectorThread = HdrfThreads.create("hdrf-dedup-gc-" + name, this::collect);
    this.mendingThread = HdrfThreads.create("hdrf-dedup-mend-" + name, this::mend);
    throttle.setRate(gc.bytesPerSecond());
  }

  void start() {
    indexThread.start();
    mendingThread.start();
    if (gc.intervalSeconds() > 0) {
      collectorThread.start();
    }
  }

  /** There is something for the index. */
  void wake() {
    wake.release();
  }

  private void keepIndex() {
    boolean failing = false;
    try {
      while (!stopping) {
        try {
          index.work(() -> stopping);
          failing = false;
        } catch (Throwable e) {
          failing = survive(failing, "The fingerprint index is not kept up", e);
        }
        if (wake.tryAcquire(TICK_MILLIS, TimeUnit.MILLISECONDS)) {
          wake.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void collect() {
    boolean failing = false;
    try {
      while (!stopping) {
        Thread.sleep(TimeUnit.SECONDS.toMillis(gc.intervalSeconds()));
        try {
          LOG.info("Collected {}", collector.collect(LOG::debug).asMap());
          failing = false;
        } catch (IOException e) {
          if (!stopping) {
            LOG.warn("Nothing is collected this time: {}", e.getMessage(), e);
          }
        } catch (Throwable e) {
          failing = survive(failing, "Nothing is collected", e);
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("The collector ends");
    }
  }

  /** The threads go on after any error: nobody would begin them again before the next start. */
  private static boolean survive(boolean failing, String what, Throwable failure) {
    try {
      if (!failing) {
        LOG.error(
            "{}; it is tried again and again, and this is logged once. Where memory is short, give"
                + " the DataNode more heap; otherwise restart it",
            what,
            failure);
      }
    } catch (Throwable e) {
      // There may be no memory even for that.
      return failing;
    }
    return true;
  }

  private void mend() {
    try {
      while (!stopping) {
        Thread.sleep(TICK_MILLIS);
        try {
          containers.mend(System.nanoTime(), this::pace);
        } catch (RuntimeException | Error e) {
          LOG.error("Containers are not mended", e);
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("Nothing is mended any more");
    }
  }

  private void pace(long bytes) throws InterruptedIOException {
    if (!throttle.take(bytes, () -> stopping)) {
      throw new InterruptedIOException("the store is being closed");
    }
  }

  @Override
  public void close() {
    stopping = true;
    wake.release();
    collectorThread.interrupt();
    mendingThread.interrupt();
    join(mendingThread);
    join(indexThread);
    join(collectorThread);
  }

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
