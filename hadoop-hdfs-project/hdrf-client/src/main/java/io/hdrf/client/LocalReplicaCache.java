/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.spi.thread.HdrfThreads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicas of this host that were opened lately, and those that are known not to be there in
 * reduced form. An entry ends a fixed time after it was made: a DataNode can't take descriptors
 * back, and they hold the space of deleted blocks. Thread-safe.
 */
final class LocalReplicaCache {

  private static final Logger LOG = LoggerFactory.getLogger(LocalReplicaCache.class);

  /** Of those that are not there: more take little room, and spare the DataNode questions. */
  private static final int MAX_ABSENT = 10_000;

  private static final long MAX_MILLIS = TimeUnit.DAYS.toMillis(1);

  /** While there are any replicas, so often those are looked for that have ended. */
  private static final long CLEANING_MILLIS = 1_000;

  private static final class Entry {
    /** Null where the replica is not there in reduced form. */
    final LocalReplica replica;

    final long endNanos;

    Entry(LocalReplica replica, long endNanos) {
      this.replica = replica;
      this.endNanos = endNanos;
    }

    boolean isOver() {
      return System.nanoTime() - endNanos > 0;
    }
  }

  private final Map<String, Entry> present = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, Entry> absent = new LinkedHashMap<>();
  private final ScheduledThreadPoolExecutor cleaner =
      new ScheduledThreadPoolExecutor(1, HdrfThreads.factory("hdrf-local-replicas"));

  /** Whether {@link #removeEnded} is going to run. */
  private boolean cleaning;

  LocalReplicaCache() {
    cleaner.setKeepAliveTime(1, TimeUnit.SECONDS);
    cleaner.allowCoreThreadTimeOut(true);
  }

  /** The replica with the caller as another user, or null. */
  synchronized LocalReplica acquire(String key) {
    Entry entry = present.get(key);
    if (entry == null || entry.isOver()) {
      return null;
    }
    entry.replica.retain();
    return entry.replica;
  }

  synchronized boolean isAbsent(String key) {
    Entry entry = absent.get(key);
    return entry != null && !entry.isOver();
  }

  synchronized void putAbsent(String key, long millis) {
    absent.remove(key);
    absent.put(key, new Entry(null, end(millis)));
    Iterator<Entry> eldest = absent.values().iterator();
    while (eldest.hasNext()) {
      if (!eldest.next().isOver() && absent.size() <= MAX_ABSENT) {
        break;
      }
      eldest.remove();
    }
  }

  /**
   * Keeps a replica, of which the cache becomes a user.
   *
   * @param most how many are kept; 0 keeps none
   */
  void put(String key, LocalReplica replica, int most, long millis) {
    if (most < 1 || millis < 1) {
      return;
    }
    List<LocalReplica> ended = new ArrayList<>();
    synchronized (this) {
      replica.retain();
      Entry entry = new Entry(replica, end(millis));
      add(ended, present.put(key, entry));
      Iterator<Entry> eldest = present.values().iterator();
      while (present.size() > most) {
        ended.add(eldest.next().replica);
        eldest.remove();
      }
    }
    release(ended);
    cleanLater();
  }

  private synchronized void cleanLater() {
    if (!cleaning && !present.isEmpty()) {
      ScheduledFuture<?> unused =
          cleaner.schedule(this::removeEnded, CLEANING_MILLIS, TimeUnit.MILLISECONDS);
      cleaning = true;
    }
  }

  /** Forgets a replica that can't be read. */
  void remove(String key, LocalReplica replica) {
    List<LocalReplica> ended = new ArrayList<>();
    synchronized (this) {
      Entry entry = present.get(key);
      if (entry != null && entry.replica == replica) {
        present.remove(key);
        ended.add(replica);
      }
    }
    release(ended);
  }

  private void removeEnded() {
    List<LocalReplica> ended = new ArrayList<>();
    synchronized (this) {
      cleaning = false;
      Iterator<Entry> all = present.values().iterator();
      while (all.hasNext()) {
        Entry entry = all.next();
        if (entry.isOver()) {
          ended.add(entry.replica);
          all.remove();
        }
      }
    }
    release(ended);
    cleanLater();
  }

  private static void add(List<LocalReplica> ended, Entry entry) {
    if (entry != null) {
      ended.add(entry.replica);
    }
  }

  private static void release(List<LocalReplica> ended) {
    for (LocalReplica replica : ended) {
      try {
        replica.release();
      } catch (IOException e) {
        LOG.debug("Closing a replica failed", e);
      }
    }
  }

  private static long end(long millis) {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.min(millis, MAX_MILLIS));
  }
}
