/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** A connection that closes without a message to the server, which may not answer. */
final class RedisConnection extends Connection {

  /**
   * The maximum number of bytes in a connection's life that are not part of answers. A TLS record
   * around a small answer has some 30, so honest connections last for a hundred thousand exchanges.
   */
  static final long MAX_BESIDE_ANSWERS = 4 << 20;

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
    private final int timeoutMillis;
    private TimedSocket plain;
    private ReplyGuard guard;

    Factory(Sockets sockets, int timeoutMillis) {
      this.sockets = sockets;
      this.timeoutMillis = timeoutMillis;
    }

    @Override
    public Socket createSocket() {
      plain = new TimedSocket(timeoutMillis);
      try {
        Socket socket = sockets.connect(plain);
        guard = new ReplyGuard(socket.getInputStream());
        plain.begin();
        return new GuardedSocket(socket, guard);
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

  /** A socket whose replies are checked; all other calls of Jedis go to the wrapped socket. */
  static final class GuardedSocket extends Socket {
    private final Socket socket;
    private final InputStream replies;

    GuardedSocket(Socket socket, InputStream replies) {
      this.socket = socket;
      this.replies = replies;
    }

    @Override
    public InputStream getInputStream() {
      return replies;
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
      return socket.getOutputStream();
    }

    @Override
    public synchronized void setSoTimeout(int millis) throws SocketException {
      socket.setSoTimeout(millis);
    }

    @Override
    public synchronized int getSoTimeout() throws SocketException {
      return socket.getSoTimeout();
    }

    @Override
    public boolean isBound() {
      return socket.isBound();
    }

    @Override
    public boolean isConnected() {
      return socket.isConnected();
    }

    @Override
    public boolean isClosed() {
      return socket.isClosed();
    }

    @Override
    public boolean isInputShutdown() {
      return socket.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
      return socket.isOutputShutdown();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
      return socket.getRemoteSocketAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
      return socket.getLocalSocketAddress();
    }

    @Override
    public synchronized void close() throws IOException {
      socket.close();
    }
  }

  /**
   * Returns whether so many bytes came beside answers that the connection should be replaced: TLS
   * keeps each ticket that a server sends for as long as the connection lives.
   */
  boolean isWorn() {
    return factory.plain.received() - factory.guard.passed() > MAX_BESIDE_ANSWERS;
  }

  /** Begins a new budget of memory and time for the answers to the next commands. */
  void beginExchange() {
    factory.plain.begin();
    factory.guard.begin();
  }

  /**
   * Reads and parses answers.
   *
   * @throws JedisConnectionException if they can't be parsed; then this connection can no longer be
   *     read
   */
  <T> T read(Supplier<T> reader) {
    try {
      return reader.get();
    } catch (JedisException e) {
      throw e;
    } catch (RuntimeException e) {
      // Jedis itself throws this at an error that it can't parse, such as a MOVED without a port.
      setBroken();
      JedisConnectionException broken =
          new JedisConnectionException("it answers what no Redis does");
      // As the cause, its message would replace that of the exception.
      broken.addSuppressed(e);
      throw broken;
    }
  }

  /**
   * Connects.
   *
   * @param timeoutMillis the limit for the connection with its handshake, and then for all answers
   *     to commands sent at once
   */
  static RedisConnection to(Sockets sockets, int timeoutMillis) {
    RedisConnection connection = new RedisConnection(new Factory(sockets, timeoutMillis));
    connection.connect();
    return connection;
  }

  /** Closes without waiting: a TLS socket would wait for the other side's farewell. */
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
