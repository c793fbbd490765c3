/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Finds the server that holds a namespace and accepts its changes; if there are several servers,
 * asks others for it. Safe for use by many threads.
 */
abstract class Primary {

  private final List<HostAndPort> configured;

  /** In any order: one that answers wrongly must not come first for every store that is opened. */
  private final List<HostAndPort> askable;

  private final long timeoutNanos;
  private final ReentrantLock asking = new ReentrantLock();
  private volatile HostAndPort known;

  Primary(RedisSettings settings) {
    configured = settings.addresses();
    askable = new ArrayList<>(configured);
    Collections.shuffle(askable);
    timeoutNanos = TimeUnit.MILLISECONDS.toNanos(settings.timeoutMillis());
  }

  /** Returns the kind of primary that the settings choose. */
  static Primary of(RedisSettings settings, Connector connector, RedisNamespace namespace) {
    switch (settings.kind()) {
      case SENTINEL:
        return new SentinelPrimary(settings, connector);
      case CLUSTER:
        return new ClusterPrimary(settings, connector, namespace.slot());
      default:
        return new FixedPrimary(settings);
    }
  }

  /**
   * Returns the server's address.
   *
   * @throws JedisException if no server asked within about the time-out knows it
   */
  HostAndPort address() {
    HostAndPort address = known;
    return address != null ? address : find();
  }

  private HostAndPort find() {
    long deadline = System.nanoTime() + timeoutNanos;
    try {
      if (!asking.tryLock(timeoutNanos, TimeUnit.NANOSECONDS)) {
        throw new JedisConnectionException("nobody tells where it is");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JedisConnectionException("interrupted", e);
    }
    try {
      if (known == null) {
        known = askAll(deadline);
      }
      return known;
    } finally {
      asking.unlock();
    }
  }

  private HostAndPort askAll(long deadline) {
    JedisException last = null;
    for (int left = askable.size(); left > 0; left--) {
      if (last != null && System.nanoTime() - deadline > 0) {
        break;
      }
      // The others come first next time, also where the answer turns out to be wrong.
      HostAndPort first = askable.remove(0);
      askable.add(first);
      try {
        return ask(first);
      } catch (JedisException e) {
        if (last != null) {
          e.addSuppressed(last);
        }
        last = e;
      }
    }
    throw last;
  }

  /**
   * Sets the servers that may be asked beside those of the settings. Only called from {@link #ask}.
   *
   * @param named few, since they are searched
   */
  final void setNamed(Collection<HostAndPort> named) {
    // The other servers keep their order, in which failed ones come last.
    askable.removeIf(address -> !configured.contains(address) && !named.contains(address));
    for (HostAndPort address : named) {
      if (!askable.contains(address)) {
        askable.add(address);
      }
    }
  }

  /** Asks one server for the primary's address. */
  abstract HostAndPort ask(HostAndPort address);

  /**
   * Checks that a new connection leads to a primary.
   *
   * @throws JedisException if not
   */
  void check(RedisConnection connection) {}

  /**
   * Returns whether to follow a server that says the namespace is elsewhere. The password is sent
   * there.
   */
  boolean mayMove() {
    return false;
  }

  /** Records the server's new address. */
  final void moved(HostAndPort address) {
    known = address;
  }

  /** Forgets the address, so that the next call asks again. */
  final void forget() {
    known = null;
  }

  /** Returns a description for messages. */
  abstract String describe();

  @Override
  public String toString() {
    HostAndPort address = known;
    return describe() + (address == null || this instanceof FixedPrimary ? "" : " at " + address);
  }
}
