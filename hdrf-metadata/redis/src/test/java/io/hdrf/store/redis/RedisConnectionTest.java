/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Bytes beside answers, such as TLS tickets, which no reader above TLS sees. */
@Timeout(60)
class RedisConnectionTest {

  private static final int TIMEOUT_MILLIS = 20_000;

  /** Keeps the first bytes to itself, as a socket of TLS does. */
  private static Socket hiding(Socket plain, long hidden) throws IOException {
    InputStream in = plain.getInputStream();
    return new RedisConnection.GuardedSocket(
        plain,
        new InputStream() {
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
        });
  }

  /** Returns a connection that has got one answer after so many hidden bytes. */
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
              return hiding(plain, hidden);
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
