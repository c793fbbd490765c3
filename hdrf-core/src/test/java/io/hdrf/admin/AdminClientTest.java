/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.StandardSocketFactory;
import org.junit.jupiter.api.Test;

class AdminClientTest {

  private static final AtomicInteger TRIES = new AtomicInteger();

  /** To a host that swallows packets. */
  public static final class Swallowed extends StandardSocketFactory {
    @Override
    public Socket createSocket() {
      return new Socket() {
        @Override
        public void connect(SocketAddress endpoint, int timeout) throws IOException {
          TRIES.incrementAndGet();
          throw new SocketTimeoutException("connect timed out");
        }
      };
    }
  }

  /** The time-out is that of the question. */
  @Test
  void aHostThatDoesNotAnswerIsNotTriedAgain() throws IOException {
    Configuration conf = new Configuration();
    conf.set("hadoop.rpc.socket.factory.class.default", Swallowed.class.getName());
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    try (AdminClient client = AdminClient.connect(address, conf)) {
      assertThatThrownBy(client::volumes).isInstanceOf(SocketTimeoutException.class);
      assertThat(TRIES).hasValue(1);
    }
  }

  /** Thousands of DataNodes say them. */
  @Test
  void namesOfMetricsAreKeptOnce() throws IOException {
    String[] lines = MetricLines.encode(Map.of("Pending", 3L));
    Map<String, Long> one = MetricLines.decode(lines);
    Map<String, Long> other = MetricLines.decode(lines);
    assertThat(one).containsExactly(Map.entry("Pending", 3L));
    assertThat(one.keySet().iterator().next()).isSameAs(other.keySet().iterator().next());
  }
}
