/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.scrub;

import io.hdrf.codec.dedup.container.CheckedContainer;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.spi.io.RateThrottle;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads every sealed container once a cycle, in the order of their ids and at a set rate, and has
 * found damage treated as if a reader had found it. HDFS's block scanner can't do that: its rate
 * counts the bytes of blocks, so that it reads a chunk as often as blocks have it, and never what
 * lies beside chunks. Goes on after a restart where it was. Steps are for one thread.
 */
public final class Scrubber {

  private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

  /** A store of which no cycle ended for so long counts as overdue. */
  static final long OVERDUE_MILLIS = TimeUnit.DAYS.toMillis(90);

  /** The shortest time between two writes of the state, where containers are small. */
  private static final long STORE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** So often a container is tried that can't be read for a reason that may pass. */
  private static final int ATTEMPTS = 3;

  private final ContainerStore containers;
  private final ScrubFile file;
  private final boolean mendsHeaders;

  /** The shortest time between the beginnings of two cycles: a small store is not read all day. */
  private final long cycleMillis;

  private final RateThrottle throttle = new RateThrottle(RateThrottle.SYSTEM);
  private final BooleanSupplier stopping;
  private final LongSupplier currentTimeMillis;
  private final LongSupplier collections;

  /**
   * The last container of the cycle, as far as this process knows: those that come meanwhile must
   * not keep it from beginning again. The thread's that steps, as are the next ones.
   */
  private long last;

  /** Attempts left; others than the first one that fails have no more than one. */
  private int attempts = ATTEMPTS;

  /**
   * Damaged containers of which no collection has told. What is known of them is in memory alone:
   * they are read again after a restart, whatever else comes. Of more the next cycle tells.
   */
  private final Set<Long> untold = new LinkedHashSet<>();

  /** Those of an earlier process that are to be read again. */
  private final Queue<Long> again = new ArrayDeque<>();

  /** Those of which no collection of this process knows, as they could not be read. */
  private final Set<Long> unread = new HashSet<>();

  /** The number of collections by which they are told. */
  private long toldBy;

  /** When the state was kept last; the thread's that steps. */
  private long storedAt = System.nanoTime() - STORE_NANOS;

  /** Null before the first step; written by the thread that steps. */
  private volatile ScrubState state;

  /** Since start; guarded by this object. */
  private long containersRead;

  private long bytesRead;
  private long containersDamaged;

  /**
   * @param file keeps how far it has come
   * @param mendsHeaders whether containers are rewritten in which a header is damaged
   * @param bytesPerSecond 0 for none at all
   * @param cycleMillis the shortest time from the beginning of a cycle to that of the next one
   * @param stopping returns true to end a step
   * @param currentTimeMillis as {@link System#currentTimeMillis}
   * @param collections returns how many have come to their end; each has blocks examined that need
   *     chunks of which damage was found before it began
   */
  public Scrubber(
      ContainerStore containers,
      ScrubFile file,
      boolean mendsHeaders,
      int bytesPerSecond,
      long cycleMillis,
      BooleanSupplier stopping,
      LongSupplier currentTimeMillis,
      LongSupplier collections) {
    this.containers = containers;
    this.file = file;
    this.mendsHeaders = mendsHeaders;
    this.cycleMillis = cycleMillis;
    this.stopping = stopping;
    this.currentTimeMillis = currentTimeMillis;
    this.collections = collections;
    throttle.setRate(bytesPerSecond);
  }

  /** Returns whether there is anything to do at all. */
  public boolean isWanted() {
    return throttle.rate() > 0;
  }

  /**
   * Reads the next container, or begins or ends a cycle.
   *
   * @return false if nothing is to be done now, or it is better done later
   * @throws InterruptedIOException if it is to end; the container is read again the next time
   */
  public boolean step() throws InterruptedIOException {
    long now = currentTimeMillis.getAsLong();
    if (state == null) {
      ScrubState kept = file.load();
      state = kept == null ? ScrubState.first(now) : kept;
      last = containers.last();
      for (long id : state.untold()) {
        untold.add(id);
        again.add(id);
      }
      toldBy = collections.getAsLong() + 2;
    }
    if (!again.isEmpty()) {
      long id = again.element();
      boolean read = check(id) >= 0;
      again.remove();
      if (!read) {
        unread.add(id);
      }
      return read;
    }
    if (collections.getAsLong() >= toldBy && untold.retainAll(unread)) {
      store();
    }
    if (!state.isUnderWay()) {
      // A clock that was ahead must not keep it from beginning.
      if (now >= state.began() && now - state.began() < cycleMillis) {
        return false;
      }
      state = state.next(now);
      last = containers.last();
    }
    long id = containers.next(state.position());
    if (id < 0 || id > last) {
      state = state.end(now);
      store();
      LOG.info(
          "Scrubbed {} containers, {} bytes, in {} h",
          state.containers(),
          state.bytes(),
          TimeUnit.MILLISECONDS.toHours(now - state.began()));
      return false;
    }
    long read = check(id);
    boolean failed = read < 0;
    attempts = failed ? attempts - 1 : ATTEMPTS;
    if (failed && attempts > 0) {
      return false;
    }
    state = state.after(id, Math.max(0, read));
    if (System.nanoTime() - storedAt > STORE_NANOS) {
      storedAt = System.nanoTime();
      store();
    }
    // What lasts a minute must not cost all containers their turn.
    return !failed;
  }

  private void store() {
    file.store(state.withUntold(untold));
  }

  /** Returns how many bytes were read; -1 if it can't be read for a reason that may pass. */
  private long check(long id) throws InterruptedIOException {
    CheckedContainer checked;
    try {
      checked = containers.check(id, this::pace);
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      if (stopping.getAsBoolean() || Thread.currentThread().isInterrupted()) {
        InterruptedIOException ended = new InterruptedIOException("the scrub ends");
        ended.initCause(e);
        throw ended;
      }
      LOG.warn(
          "{} can't be scrubbed now, but {}",
          containers.file(id),
          attempts > 1 ? "in some seconds" : "in the next cycle",
          e);
      return -1;
    }
    unread.remove(id);
    if (checked == null) {
      untold.remove(id);
      return 0;
    }
    if (checked.isSound()) {
      untold.remove(id);
    } else {
      if (untold.size() < ScrubState.MAX_UNTOLD) {
        untold.add(id);
      }
      // One may be under way, which does not know of it.
      toldBy = collections.getAsLong() + 2;
      LOG.error(
          "{} is damaged: {} chunks{}. The next collection heals them, or has the blocks examined that"
              + " need them",
          containers.file(id),
          checked.damagedChunks(),
          checked.damageBeside() == null ? "" : ", " + checked.damageBeside());
    }
    if (mendsHeaders && checked.isHeaderDamaged()) {
      containers.mendHeaders(id);
    }
    synchronized (this) {
      containersRead++;
      bytesRead += checked.bytesRead();
      containersDamaged += checked.isSound() ? 0 : 1;
    }
    return checked.bytesRead();
  }

  private void pace(long bytes) throws InterruptedIOException {
    if (!throttle.take(bytes, stopping)) {
      throw new InterruptedIOException("the scrub ends");
    }
  }

  /** Sums since start, how far the cycle has come, when the last one ended, and if long ago. */
  public Map<String, Long> metrics() {
    Map<String, Long> values = new LinkedHashMap<>();
    synchronized (this) {
      values.put("scrubContainers", containersRead);
      values.put("scrubBytes", bytesRead);
      values.put("scrubContainersDamaged", containersDamaged);
    }
    ScrubState now = state;
    // What a clock said that was far ahead counts as long ago.
    boolean overdue =
        now != null
            && Math.abs(
                    currentTimeMillis.getAsLong() - (now.ended() > 0 ? now.ended() : now.began()))
                > OVERDUE_MILLIS;
    values.put("scrubOverdue", overdue ? 1L : 0L);
    values.put("scrubCycleDone", now == null ? 0 : now.containers());
    values.put("scrubCycleOf", (long) containers.count());
    values.put("scrubEndedAt", now == null ? 0 : now.ended());
    return values;
  }
}
