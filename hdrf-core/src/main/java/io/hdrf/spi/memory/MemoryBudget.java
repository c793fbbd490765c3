/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.memory;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One bound for the memory that the parts of a DataNode keep: no reservation takes the sum beyond
 * what it allows. (Where that was raised to the sum of all leasts, and falls since a share closes,
 * more may be reserved until the next {@link #balance}.) Each user has a {@link MemoryShare}, which
 * may have what others leave. Its part in any case is the least that it works well with. Its fair
 * part is that, and of the rest what its own bound makes of the bounds of all that want more. Who
 * wants more than there is, and has less than its fair part, gets it from those that have more than
 * theirs, at the next {@link #balance}; caches that were of no use for a while have no fair part
 * beyond their least.
 *
 * <p>Thread-safe. Users are called by {@link #balance} and {@link #open} alone, without a lock.
 */
public final class MemoryBudget {

  /** The value for no bound: everything fits, and is counted. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** How many turns of the balance a cache keeps its fair part without being used. */
  static final int IDLE_TURNS = 60;

  private static final MemoryBudget NONE = new MemoryBudget(UNLIMITED);

  private final long configured;
  private final Set<MemoryShare> shares = new LinkedHashSet<>();

  /** The sum of what all shares have in any case. */
  private long least;

  private long used;

  /** Of each share what it uses, or its least, if that is more. */
  private long committed;

  /** What is left free for shares below their fair part that were declined lately. */
  private long kept;

  private long declined;
  private long reclaimed;

  /**
   * @param bytes at least 1
   */
  public MemoryBudget(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(bytes + " bytes");
    }
    configured = bytes;
  }

  /** The budget of those outside a DataNode, without a bound. It does not keep its users alive. */
  public static MemoryBudget unlimited() {
    return NONE;
  }

  /**
   * Gives a user its share, for which others may have to give way.
   *
   * @param user what it keeps, in the plural and without blanks, for metrics; others may have the
   *     same
   * @param least bytes that it has in any case once others have given way; the bound is raised to
   *     the sum of all these
   * @param most bytes beyond which it never reserves by itself; the fair part depends on it
   * @param holder null where it can't give back before it is done
   * @return to be closed
   */
  public MemoryShare open(
      String user, MemoryShare.Kind kind, long least, long most, MemoryShare.Holder holder) {
    if (least < 0 || most < least) {
      throw new IllegalArgumentException(least + " to " + most + " bytes");
    }
    MemoryShare share = new MemoryShare(this, user, kind, least, most, holder);
    if (this == NONE) {
      return share;
    }
    synchronized (this) {
      shares.add(share);
      this.least += least;
      committed += least;
    }
    makeRoom();
    return share;
  }

  synchronized void close(MemoryShare share) {
    if (!share.closed) {
      release(share, share.used);
      share.closed = true;
      if (shares.remove(share)) {
        least -= share.least;
        committed -= share.least;
        divide();
      }
    }
  }

  synchronized boolean tryReserve(MemoryShare share, long bytes) {
    share.idle = 0;
    if (bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes");
    }
    if (share.closed || !fits(share, bytes)) {
      declined++;
      share.wanted = Math.max(share.wanted, wish(share, bytes));
      return false;
    }
    committed += Math.max(share.used + bytes, share.least) - Math.max(share.used, share.least);
    share.used += bytes;
    used += bytes;
    return true;
  }

  /**
   * What a share wants in addition now that it was declined: as much again as it has at most, since
   * what is declined again and again may be the same buffer each time.
   */
  private long wish(MemoryShare share, long bytes) {
    long most = Math.min(limit(), Math.max(bytes, Math.max(share.used, share.least)));
    return most - share.wanted < bytes ? most : share.wanted + bytes;
  }

  private boolean fits(MemoryShare share, long bytes) {
    if (bytes > limit() - used) {
      return false;
    }
    long more = Math.max(share.used + bytes, share.least) - Math.max(share.used, share.least);
    long forOthers = share.used + bytes > share.fair ? kept : 0;
    return more == 0 || more <= limit() - committed - forOthers;
  }

  synchronized void release(MemoryShare share, long bytes) {
    if (share.closed) {
      return;
    }
    long given = Math.min(bytes, share.used);
    committed -= Math.max(share.used, share.least) - Math.max(share.used - given, share.least);
    share.used -= given;
    used -= given;
  }

  /**
   * Computes the fair parts: what is left beyond all leasts is divided in proportion to the bounds,
   * and what a share does not want of its part among the others. Guarded by this object.
   */
  private void divide() {
    List<MemoryShare> open = new ArrayList<>(shares);
    double rest = limit() - least;
    double weights = open.stream().mapToDouble(this::weight).sum();
    boolean satisfied = true;
    while (satisfied) {
      satisfied = false;
      double perWeight = rest / weights;
      for (Iterator<MemoryShare> left = open.iterator(); left.hasNext(); ) {
        MemoryShare share = left.next();
        double demand = demand(share);
        if (demand <= perWeight * weight(share)) {
          share.fair = share.least + (long) demand;
          rest -= demand;
          weights -= weight(share);
          left.remove();
          satisfied = true;
        }
      }
    }
    for (MemoryShare share : open) {
      share.fair = share.least + (long) (rest / weights * weight(share));
    }
  }

  /** What a share wants beyond its least. */
  private double demand(MemoryShare share) {
    boolean idle = share.kind == MemoryShare.Kind.CACHE && share.idle >= IDLE_TURNS;
    return idle ? 0 : Math.max(0, Math.min(share.used + share.wanted, share.most) - share.least);
  }

  private double weight(MemoryShare share) {
    return Math.min(share.most, limit()) - Math.min(share.least, limit());
  }

  /**
   * Takes from those that have more than their fair part what those want that have less. To be
   * called about once a second.
   */
  public void balance() {
    synchronized (this) {
      for (MemoryShare share : shares) {
        share.idle = Math.min(share.idle + 1, IDLE_TURNS);
      }
    }
    makeRoom();
  }

  /** Returns whether anybody was asked to give way. */
  boolean makeRoom() {
    Map<MemoryShare, Long> victims = new LinkedHashMap<>();
    long before;
    synchronized (this) {
      divide();
      kept = 0;
      for (MemoryShare share : shares) {
        kept += Math.max(0, Math.min(share.wanted, share.fair - share.used));
        share.wanted = 0;
      }
      before = used;
      long lacking = kept - (limit() - committed);
      List<MemoryShare> holders = new ArrayList<>(shares);
      holders.removeIf(share -> share.holder == null || share.used <= share.fair);
      holders.sort((a, b) -> Long.compare(b.used - b.fair, a.used - a.fair));
      for (MemoryShare share : holders) {
        long some = Math.min(lacking, share.used - share.fair);
        if (some > 0) {
          victims.put(share, some);
          lacking -= some;
        }
      }
    }
    victims.forEach((share, bytes) -> share.holder.shrink(bytes));
    if (!victims.isEmpty()) {
      synchronized (this) {
        reclaimed += Math.max(0, before - used);
      }
    }
    return !victims.isEmpty();
  }

  /** The bytes that may be reserved: the given ones, or what all users need at the least. */
  public synchronized long limit() {
    return Math.max(configured, least);
  }

  /** Returns the reserved bytes. */
  public synchronized long used() {
    return used;
  }

  /** Returns the reserved bytes by user. */
  public synchronized Map<String, Long> usedByUser() {
    Map<String, Long> all = new TreeMap<>();
    shares.forEach(share -> all.merge(share.user, share.used, Long::sum));
    return all;
  }

  /** Returns how many reservations were declined. */
  public synchronized long declined() {
    return declined;
  }

  /** Returns about how many bytes users gave back because others needed them. */
  public synchronized long reclaimed() {
    return reclaimed;
  }
}
