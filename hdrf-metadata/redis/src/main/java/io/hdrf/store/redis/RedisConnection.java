/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import java.io.Closeable;
import java.io.IOException;
import java.net.Socket;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A connection that is closed without a word to a server that may not answer. */
final class RedisConnection extends Connection {

  /** Makes a connected socket, for plain text or around one for plain text. */
  interface Sockets {

    /**
     * Connects.
     *
     * @param plain not connected
     */
    Socket connect(Socket plain) throws IOException;
  }

  private static final class Factory implements JedisSocketFactory, Closeable {
    private final Sockets sockets;
    private Socket plain;

    Factory(Sockets sockets) {
      this.sockets = sockets;
    }

    @Override
    public Socket createSocket() {
      plain = new Socket();
      try {
        return sockets.connect(plain);
      } catch (IOException | RuntimeException e) {
        try {
          plain.close();
        } catch (IOException suppressed) {
          e.addSuppressed(suppressed);
        }
        throw e instanceof JedisConnectionException
            ? (JedisConnectionException) e
            : new JedisConnectionException(e);
      }
    }

    @Override
    public void close() throws IOException {
      if (plain != null) {
        plain.close();
      }
    }
  }

  private final Factory factory;

  private RedisConnection(Factory factory) {
    super(factory);
    this.factory = factory;
  }

  /** Connects. */
  static RedisConnection to(Sockets sockets) {
    RedisConnection connection = new RedisConnection(new Factory(sockets));
    connection.connect();
    return connection;
  }

  /** A TLS socket would wait for the other side's farewell. */
  @Override
  public void disconnect() {
    setBroken();
    try {
      factory.close();
    } catch (IOException e) {
      throw new JedisConnectionException(e);
    }
  }
}
