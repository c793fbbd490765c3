/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** One connection. For one thread at a time. */
final class Link {

  private final RedisConnection connection;
  private final HostAndPort address;
  private final int timeoutMillis;
  private long lastUsed = System.nanoTime();
  private boolean outcomeUnknown;

  Link(RedisConnection connection, HostAndPort address, int timeoutMillis) {
    this.connection = connection;
    this.address = address;
    this.timeoutMillis = timeoutMillis;
  }

  HostAndPort address() {
    return address;
  }

  /**
   * Sends commands and reads their answers, each a {@code Long}, {@code byte[]}, list of answers,
   * null, or a {@link JedisDataException}.
   *
   * @param commands within the limits of {@link Pipeline}
   * @param changes whether commands may change what is stored
   * @throws JedisConnectionException if not all answers come within the time-out; then this
   *     connection can no longer be read
   */
  List<Object> exchange(List<Command> commands, boolean changes) {
    outcomeUnknown |= changes;
    connection.beginExchange();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    for (Command command : commands) {
      connection.sendCommand(command.toJedis());
    }
    List<Object> answers = new ArrayList<>(commands.size());
    while (answers.size() < commands.size()) {
      try {
        answers.add(connection.read(connection::getOne));
      } catch (JedisDataException e) {
        answers.add(e);
      }
      if (System.nanoTime() - deadline > 0 && answers.size() < commands.size()) {
        connection.setBroken();
        throw new JedisConnectionException(new SocketTimeoutException("Read timed out"));
      }
    }
    outcomeUnknown = false;
    lastUsed = System.nanoTime();
    return answers;
  }

  /** Returns whether changes were sent without an answer that shows whether they were made. */
  boolean outcomeUnknown() {
    return outcomeUnknown;
  }

  /** See {@link RedisConnection#isWorn}. */
  boolean isWorn() {
    return connection.isWorn();
  }

  long idleNanos() {
    return System.nanoTime() - lastUsed;
  }

  /** Checks that the server answers. */
  void ping() {
    connection.beginExchange();
    connection.read(connection::ping);
  }

  void close() {
    try {
      connection.disconnect();
    } catch (JedisException e) {
      connection.setBroken();
    }
  }
}
