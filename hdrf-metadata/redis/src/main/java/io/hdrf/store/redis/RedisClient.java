/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.StoreUnreachableException;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/**
 * Sends commands to the server that holds a namespace, over a few connections that it keeps. Safe
 * for use by many threads.
 *
 * <p>A call fails about one time-out after the server stopped answering, or immediately during a
 * {@link Backoff}. It follows a namespace that has moved to another node of a cluster.
 */
final class RedisClient implements Closeable {

  /** The server may have closed a connection that was idle for longer. */
  private static final long TRUSTED_IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MAX_REDIRECTIONS = 4;

  private final RedisSettings settings;
  private final Connector connector;
  private final Primary primary;
  private final RedisErrors errors;
  private final Backoff backoff = new Backoff(System::nanoTime);
  private final Semaphore free;
  private final ConcurrentLinkedDeque<Link> idle = new ConcurrentLinkedDeque<>();
  private final ReadWriteLock running = new ReentrantReadWriteLock();
  private volatile boolean closed;

  /** Makes a client; connects to nothing yet. */
  RedisClient(RedisSettings settings, Connector connector, Primary primary) {
    this.settings = settings;
    this.connector = connector;
    this.primary = primary;
    this.errors = new RedisErrors(settings);
    this.free = new Semaphore(settings.connections(), true);
  }

  /** Reads; returns one answer for each command, of the types of {@link Link#exchange}. */
  List<Object> read(List<Command> commands) throws MetadataException {
    return call(new SeparateCommands(commands, false));
  }

  /** Like {@link #read}, but returns an error from the server as an answer. */
  List<Object> tryRead(List<Command> commands) throws MetadataException {
    return call(link -> link.exchange(commands, false));
  }

  /** Makes changes, each atomic by itself; returns one answer for each command. */
  List<Object> change(List<Command> commands) throws MetadataException {
    return call(new SeparateCommands(commands, true));
  }

  /**
   * Makes changes all together or not at all.
   *
   * @param before commands to send before, outside the transaction
   * @return the answers to {@code before}
   */
  List<Object> changeTogether(List<Command> before, List<Command> changes)
      throws MetadataException {
    if (changes.size() == 1) {
      // A full server refuses every transaction, but accepts deletes.
      List<Command> all = new ArrayList<>(before);
      all.addAll(changes);
      return call(new SeparateCommands(all, true)).subList(0, before.size());
    }
    return call(new Transaction(before, changes));
  }

  /** Runs work on a connection; if the namespace has moved, repeats it on the right one. */
  private List<Object> call(Exchange work) throws MetadataException {
    running.readLock().lock();
    try {
      if (closed) {
        throw new StoreUnreachableException(primary + ": the store was closed");
      }
      long entered = backoff.enter();
      boolean decided = false;
      try {
        acquire(entered);
        try {
          List<Object> answers = attempt(work);
          decided = true;
          backoff.succeeded();
          return answers;
        } catch (StoreUnreachableException e) {
          decided = true;
          discardIdle();
          primary.forget();
          backoff.failed(entered, e.getMessage());
          throw e;
        } catch (MetadataException e) {
          decided = true;
          backoff.succeeded();
          throw e;
        } finally {
          free.release();
        }
      } finally {
        if (!decided) {
          backoff.abandoned(entered);
        }
      }
    } finally {
      running.readLock().unlock();
    }
  }

  private void acquire(long entered) throws StoreUnreachableException {
    try {
      if (!free.tryAcquire(settings.timeoutMillis(), TimeUnit.MILLISECONDS)) {
        throw new StoreUnreachableException(
            primary
                + ": all connections were busy for "
                + settings.timeoutMillis()
                + " ms; see "
                + settings.key(RedisSettings.CONNECTIONS));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnreachableException(primary + ": interrupted", e);
    }
    try {
      backoff.recheck(entered);
    } catch (StoreUnreachableException e) {
      free.release();
      throw e;
    }
  }

  private List<Object> attempt(Exchange work) throws MetadataException {
    Link link = null;
    try {
      for (int redirections = 0; ; redirections++) {
        link = borrow();
        try {
          List<Object> answers = work.on(link);
          keep(link);
          link = null;
          return answers;
        } catch (JedisMovedDataException e) {
          if (redirections == MAX_REDIRECTIONS || !primary.mayMove()) {
            throw e;
          }
          primary.moved(target(e, link));
          link.close();
          link = null;
        }
      }
    } catch (JedisException e) {
      MetadataException translated =
          errors.translate(e, primary.toString(), link != null && link.outcomeUnknown());
      if (link != null && !(translated instanceof StoreUnreachableException)) {
        keep(link);
        link = null;
      }
      throw translated;
    } finally {
      if (link != null) {
        link.close();
      }
    }
  }

  private void keep(Link link) {
    if (link.isWorn()) {
      link.close();
    } else {
      idle.addFirst(link);
    }
  }

  /** Returns the target of a redirection; a node that does not know its own host leaves it out. */
  private static HostAndPort target(JedisMovedDataException moved, Link link) {
    HostAndPort target = moved.getTargetNode();
    return target.getHost().isEmpty()
        ? new HostAndPort(link.address().getHost(), target.getPort())
        : target;
  }

  private Link borrow() {
    HostAndPort address = primary.address();
    for (Link link = idle.pollFirst(); link != null; link = idle.pollFirst()) {
      if (link.address().equals(address) && isUsable(link)) {
        return link;
      }
      link.close();
    }
    RedisConnection connection = connector.connect(address);
    try {
      primary.check(connection);
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
    return new Link(connection, address, settings.timeoutMillis());
  }

  private static boolean isUsable(Link link) {
    if (link.idleNanos() < TRUSTED_IDLE_NANOS) {
      return true;
    }
    try {
      link.ping();
      return true;
    } catch (JedisException e) {
      if (RedisErrors.isTimeout(e)) {
        link.close();
        throw e;
      }
      return false;
    }
  }

  private void discardIdle() {
    for (Link link = idle.pollFirst(); link != null; link = idle.pollFirst()) {
      link.close();
    }
  }

  /** Waits for running calls. Later calls throw. */
  @Override
  public void close() {
    running.writeLock().lock();
    try {
      closed = true;
      discardIdle();
    } finally {
      running.writeLock().unlock();
    }
  }

  @Override
  public String toString() {
    return primary.toString();
  }
}
