/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.admin.VolumeUse;
import io.hdrf.datanode.page.Status.Sample;
import io.hdrf.spi.thread.RepeatingThread;
import java.io.Closeable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What all blocks took in the past week, for people: every hour {@link SpaceUse} adds up, or less
 * often, so that it takes at most a hundredth of the time. In memory only. Thread-safe.
 */
final class SpaceHistory implements Closeable {

  private static final long FIRST_PAUSE_MILLIS = TimeUnit.MINUTES.toMillis(10);

  /** Where no block is reduced, adding up walks through the replica map. */
  private static final long PAUSE_MILLIS = TimeUnit.HOURS.toMillis(1);

  private static final int SELDOM = 99;
  private static final int MAX_SAMPLES = 7 * 24;
  private static final long CLOSE_MILLIS = 10_000;

  private final SpaceUse use;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final RepeatingThread thread = new RepeatingThread("hdrf-space", this::step);
  private final Deque<Sample> samples = new ArrayDeque<>();
  private List<VolumeUse> last = Collections.emptyList();
  private volatile long pauseMillis = FIRST_PAUSE_MILLIS;

  SpaceHistory(SpaceUse use) {
    this.use = use;
  }

  void start() {
    thread.start();
  }

  private void step() throws InterruptedException {
    if (!closed.await(pauseMillis, TimeUnit.MILLISECONDS)) {
      sample();
    }
  }

  /** Adds up now. */
  void sample() {
    long began = System.nanoTime();
    List<VolumeUse> all = use.all();
    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    long logical = 0;
    long stored = 0;
    boolean complete = true;
    for (VolumeUse one : all) {
      logical += one.all().logicalBytes();
      stored += one.all().fileBytes() + one.fileBytes();
      complete &= one.isWhole();
    }
    synchronized (this) {
      pauseMillis = Math.max(PAUSE_MILLIS, SELDOM * took);
      last = all;
      if (complete) {
        samples.addLast(new Sample(System.currentTimeMillis(), logical, stored));
      }
      if (samples.size() > MAX_SAMPLES) {
        samples.removeFirst();
      }
    }
  }

  /** The oldest first. */
  synchronized List<Sample> samples() {
    return new ArrayList<>(samples);
  }

  /** Who adds up. */
  SpaceUse use() {
    return use;
  }

  /** What was added up last; empty before the first time. */
  synchronized List<VolumeUse> last() {
    return last;
  }

  @Override
  public void close() {
    use.stop();
    closed.countDown();
    thread.stop();
    thread.join(CLOSE_MILLIS);
  }
}
