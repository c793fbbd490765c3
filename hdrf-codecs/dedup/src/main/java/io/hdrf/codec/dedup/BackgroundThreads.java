/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.gc.GarbageCollector;
import io.hdrf.codec.dedup.gc.GcResult;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.codec.dedup.scrub.Scrubber;
import io.hdrf.spi.io.RateThrottle;
import io.hdrf.spi.thread.RepeatingThread;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background threads: for the index, the collector, the repair of containers and what is known of
 * bases, and the scrub.
 */
final class BackgroundThreads implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundThreads.class);

  private static final long TICK_MILLIS = 1000;

  /** How often a scrub that has nothing to do looks whether it has, or more often if it is to. */
  private static final int SCRUB_SECONDS = 10;

  private final ContainerStore containers;
  private final FingerprintIndex index;
  private final GarbageCollector collector;
  private final boolean collects;
  private final long scrubMillis;
  private final Semaphore wake = new Semaphore(0);

  /** Used by the collector's thread alone. */
  private final CollectionSchedule schedule;

  private final RepeatingThread indexThread;
  private final RepeatingThread collectorThread;
  private final RepeatingThread mendingThread;
  private final RepeatingThread scrubThread;
  private final Scrubber scrubber;

  /** Null if no differences are made. */
  private final OlderBases olderBases;

  private final BooleanSupplier leaving;
  private final RateThrottle throttle = new RateThrottle(RateThrottle.SYSTEM);

  /**
   * @param olderBases null if no differences are made
   * @param leaving whether work is to end, though the threads go on
   */
  BackgroundThreads(
      String name,
      ContainerStore containers,
      FingerprintIndex index,
      GarbageCollector collector,
      DedupSettings settings,
      Scrubber scrubber,
      OlderBases olderBases,
      BooleanSupplier leaving) {
    this.olderBases = olderBases;
    this.leaving = leaving;
    this.containers = containers;
    this.index = index;
    this.collector = collector;
    this.collects = settings.gc().intervalSeconds() > 0;
    this.scrubMillis =
        TimeUnit.SECONDS.toMillis(Math.min(settings.scrubIntervalSeconds(), SCRUB_SECONDS));
    this.indexThread = new RepeatingThread("hdrf-dedup-index-" + name, this::keepIndex);
    this.collectorThread = new RepeatingThread("hdrf-dedup-gc-" + name, this::collect);
    this.mendingThread = new RepeatingThread("hdrf-dedup-mend-" + name, this::mend);
    this.scrubber = scrubber;
    this.scrubThread = new RepeatingThread("hdrf-dedup-scrub-" + name, this::scrub);
    throttle.setRate(settings.gc().bytesPerSecond());
    this.schedule =
        new CollectionSchedule(
            TimeUnit.SECONDS.toMillis(settings.gc().intervalSeconds()),
            TimeUnit.SECONDS.toMillis(settings.gc().minAgeSeconds()),
            Math.random());
  }

  void start() {
    indexThread.start();
    mendingThread.start();
    if (collects) {
      collectorThread.start();
    }
    if (scrubber.isWanted()) {
      scrubThread.start();
    }
  }

  /** Wakes the index's thread. */
  void wake() {
    wake.release();
  }

  private void keepIndex() throws InterruptedException {
    if (!leaving.getAsBoolean()) {
      // What waits is written when the index is closed.
      index.work(() -> indexThread.isStopping() || leaving.getAsBoolean());
    }
    if (wake.tryAcquire(TICK_MILLIS, TimeUnit.MILLISECONDS)) {
      wake.drainPermits();
    }
  }

  private void collect() throws InterruptedException {
    Thread.sleep(schedule.next());
    if (leaving.getAsBoolean()) {
      return;
    }
    boolean hasMore = false;
    try {
      GcResult result = collector.collect(LOG::debug);
      LOG.info("Collected {}", result.asMap());
      hasMore = result.hasMore();
    } catch (IOException e) {
      if (!collectorThread.isStopping() && !leaving.getAsBoolean()) {
        LOG.warn("Nothing is collected this time: {}", e.getMessage(), e);
      }
    }
    schedule.ended(hasMore);
  }

  private void mend() throws InterruptedException {
    Thread.sleep(TICK_MILLIS);
    if (leaving.getAsBoolean()) {
      return;
    }
    containers.mend(System.nanoTime(), this::pace);
    if (olderBases != null) {
      // So much each second.
      olderBases.step();
    }
  }

  private void scrub() throws InterruptedException {
    Thread.sleep(scrubMillis);
    boolean more = true;
    while (more && !scrubThread.isStopping()) {
      try {
        more = scrubber.step();
      } catch (InterruptedIOException e) {
        LOG.debug("The scrub goes on later", e);
        more = false;
      }
    }
  }

  private void pace(long bytes) throws InterruptedIOException {
    if (!throttle.take(bytes, () -> mendingThread.isStopping() || leaving.getAsBoolean())) {
      throw new InterruptedIOException("the store is being closed");
    }
  }

  @Override
  public void close() {
    indexThread.stop();
    collectorThread.stop();
    mendingThread.stop();
    scrubThread.stop();
    // The index thread is not interrupted: that would close the files it is reading.
    wake.release();
    collectorThread.interrupt();
    mendingThread.interrupt();
    scrubThread.interrupt();
    scrubThread.join();
    mendingThread.join();
    indexThread.join();
    collectorThread.join();
  }
}
