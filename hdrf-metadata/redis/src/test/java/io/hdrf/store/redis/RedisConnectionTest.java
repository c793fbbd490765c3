/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** What comes beside answers, as the tickets of TLS do, which nobody here sees. */
@Timeout(60)
class RedisConnectionTest {

  private static final int TIMEOUT_MILLIS = 20_000;

  /** Keeps the first bytes to itself, as a socket of TLS does. */
  private static final class Hiding extends Socket {
    private final Socket plain;
    private final long hidden;

    Hiding(Socket plain, long hidden) {
      this.plain = plain;
      this.hidden = hidden;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      InputStream in = plain.getInputStream();
      return new InputStream() {
        private long left = hidden;

        @Override
        public int read() {
          throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
          byte[] dropped = new byte[1 << 16];
          while (left > 0) {
            left -= in.read(dropped, 0, (int) Math.min(left, dropped.length));
          }
          return in.read(bytes, offset, length);
        }
      };
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
      return plain.getOutputStream();
    }

    @Override
    public synchronized void setSoTimeout(int millis) throws SocketException {
      plain.setSoTimeout(millis);
    }

    @Override
    public boolean isBound() {
      return plain.isBound();
    }

    @Override
    public boolean isConnected() {
      return plain.isConnected();
    }

    @Override
    public boolean isClosed() {
      return plain.isClosed();
    }
  }

  /** A connection that has got one answer behind so many bytes. */
  private static RedisConnection behind(ServerSocket server, long hidden) {
    Thread serving =
        new Thread(
            () -> {
              try (Socket socket = server.accept()) {
                byte[] some = new byte[1 << 16];
                for (long sent = 0; sent < hidden; sent += some.length) {
                  socket.getOutputStream().write(some);
                }
                socket.getOutputStream().write("+PONG\r\n".getBytes(US_ASCII));
                socket.getInputStream().readAllBytes();
              } catch (IOException e) {
                // Closed by the other side.
              }
            });
    serving.setDaemon(true);
    serving.start();
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    RedisConnection connection =
        RedisConnection.to(
            plain -> {
              plain.connect(address, TIMEOUT_MILLIS);
              return new Hiding(plain, hidden);
            },
            TIMEOUT_MILLIS);
    connection.beginExchange();
    connection.read(connection::ping);
    return connection;
  }

  @Test
  void whoSendsMuchBesideItsAnswersIsLeft() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      RedisConnection some = behind(server, RedisConnection.MAX_BESIDE_ANSWERS);
      assertThat(some.isWorn()).isFalse();
      some.disconnect();
      RedisConnection much = behind(server, RedisConnection.MAX_BESIDE_ANSWERS + (1 << 16));
      assertThat(much.isWorn()).isTrue();
      much.disconnect();
      assertThatThrownBy(() -> behind(server, 1L << 30))
          .isInstanceOf(JedisConnectionException.class)
          .hasMessageContaining("come at once");
    }
  }
}
