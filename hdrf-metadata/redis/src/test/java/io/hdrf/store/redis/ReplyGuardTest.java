/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.StoreUnreachableException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.RedisInputStream;

/** Limits of a server's announcements, and of the servers that it may name. */
class ReplyGuardTest {

  private static Object read(String reply) {
    return Protocol.read(
        new RedisInputStream(new ReplyGuard(new ByteArrayInputStream(reply.getBytes(ISO_8859_1)))));
  }

  @Test
  void whatRedisAnswersPasses() {
    assertThat(read("$5\r\nhello\r\n")).isEqualTo("hello".getBytes(ISO_8859_1));
    assertThat(read("$-1\r\n")).isNull();
    assertThat(read("*-1\r\n")).isNull();
    assertThat(read(":-17\r\n")).isEqualTo(-17L);
    assertThat((List<?>) read("*3\r\n*0\r\n:1\r\n*1\r\n$0\r\n\r\n")).hasSize(3);
    String value = "v".repeat(4096);
    assertThat((byte[]) read("$4096\r\n" + value + "\r\n")).hasSize(4096);
  }

  @Test
  void whatWouldExhaustTheHeapIsRefused() {
    for (String reply :
        List.of(
            "$2147483647\r\n",
            "$99999999999999999999\r\n",
            "$65537\r\n",
            "*2147483647\r\n",
            "*9000000\r\n",
            "*4294967297\r\n",
            "*1\r\n".repeat(100),
            "*1000000\r\n".repeat(9),
            "+" + "x".repeat(5000) + "\r\n",
            "$999-999999\r\n",
            "$-2\r\n",
            "$9:99999\r\n",
            "%2147483647\r\n",
            // Jedis sees a line, and then a string of 2 GiB.
            "+x\n$14\r\n$2147483647\r\n",
            "+x\r\r\n$2147483647\r\n")) {
      assertThatThrownBy(() -> read(reply))
          .as(reply)
          .isInstanceOf(JedisException.class)
          .hasMessageContaining("is not believed");
    }
  }

  @Test
  void noReplyTakesMoreThanItMay() {
    Random random = TestSeed.random("replies");
    String alphabet = "$*+-:%~>#_,(0123456789\r\n\r\n\r\nx";
    for (int i = 0; i < 200_000; i++) {
      StringBuilder reply = new StringBuilder();
      for (int length = random.nextInt(40); length > 0; length--) {
        reply.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      try {
        read(reply.toString());
      } catch (JedisException e) {
        assertThat(e).isNotNull();
      }
    }
  }

  /** Answers every command line with the same bytes, until it is closed. */
  private static void serve(ServerSocket server, byte[] answer, AtomicInteger connections) {
    serve(
        server,
        socket -> {
          connections.incrementAndGet();
          return answer;
        });
  }

  /** Answers every command line of a connection with the bytes chosen when it begins. */
  private static void serve(ServerSocket server, Function<Socket, byte[]> answers) {
    Thread thread =
        new Thread(
            () -> {
              while (true) {
                try (Socket socket = server.accept()) {
                  byte[] answer = answers.apply(socket);
                  InputStream in = socket.getInputStream();
                  byte[] buffer = new byte[8192];
                  while (in.read(buffer) > 0) {
                    socket.getOutputStream().write(answer);
                  }
                } catch (IOException e) {
                  if (server.isClosed()) {
                    return;
                  }
                }
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Test
  void oneServerIsNotFollowedElsewhere() throws Exception {
    try (ServerSocket thief = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      AtomicInteger stolen = new AtomicInteger();
      serve(thief, "+OK\r\n".getBytes(ISO_8859_1), stolen);
      AtomicInteger asked = new AtomicInteger();
      byte[] moved = ("-MOVED 1 127.0.0.1:" + thief.getLocalPort() + "\r\n").getBytes(ISO_8859_1);
      serve(server, moved, asked);
      Configuration conf =
          RedisStores.configuration("address", "127.0.0.1:" + server.getLocalPort());
      assertThatThrownBy(() -> RedisStores.open(conf))
          .isInstanceOf(StoreUnreachableException.class)
          .hasMessageContaining("MOVED")
          .hasMessageContaining("cluster.addresses");
      assertThat(asked).hasPositiveValue();
      assertThat(stolen).hasValue(0);
    }
  }

  @Test
  void hugeAndEndlessAnswersFailTheStoreAlone() throws Exception {
    for (String answer : List.of("$2147483647\r\n", "*9000000\r\n", ":1\r\n", "*1\r\n:1\r\n")) {
      try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
        serve(server, answer.getBytes(ISO_8859_1), new AtomicInteger());
        Configuration conf =
            RedisStores.configuration("address", "127.0.0.1:" + server.getLocalPort());
        assertThatThrownBy(() -> RedisStores.open(conf).close())
            .as(answer)
            .isInstanceOf(MetadataException.class);
      }
    }
  }

  @Test
  void onlyAFewNodesOfTheLastGoodAnswerAreAsked() throws Exception {
    // One server for all addresses of the loopback interface.
    try (ServerSocket server = new ServerSocket(0)) {
      String seed = "127.0.0.1:" + server.getLocalPort();
      Queue<String> answers = new ConcurrentLinkedQueue<>();
      answers.add(slots("127.1", 200, server.getLocalPort()));
      answers.add(slots("127.2", 200, server.getLocalPort()));
      Set<String> asked = ConcurrentHashMap.newKeySet();
      serve(
          server,
          socket -> {
            asked.add(socket.getLocalAddress().getHostAddress());
            String answer = answers.poll();
            return (answer == null ? "-ERR\r\n" : answer).getBytes(ISO_8859_1);
          });
      RedisSettings settings =
          new RedisSettings(
              new PluginSettings(
                  RedisStores.configuration("cluster.addresses", seed, "timeout", "10000"),
                  "metadata.redis"));
      Primary primary = new ClusterPrimary(settings, new Connector(settings), 0);
      for (String network : List.of("127.1", "127.2")) {
        assertThat(primary.address().getHost()).startsWith(network);
        primary.forget();
      }
      asked.clear();
      assertThatThrownBy(primary::address).isInstanceOf(JedisException.class);
      assertThat(asked).hasSize(1 + ClusterPrimary.MAX_NAMED).contains("127.0.0.1");
      asked.remove("127.0.0.1");
      assertThat(asked).allMatch(address -> address.startsWith("127.2"));
    }
  }

  /** Returns the answer of a cluster's node that has many other nodes. */
  private static String slots(String network, int nodes, int port) {
    StringBuilder answer = new StringBuilder("*" + nodes + "\r\n");
    for (int i = 0; i < nodes; i++) {
      String host = network + ".0." + (i + 1);
      answer.append("*3\r\n:" + i + "\r\n:" + i + "\r\n*2\r\n");
      answer.append("$" + host.length() + "\r\n" + host + "\r\n:" + port + "\r\n");
    }
    return answer.toString();
  }

  @Test
  void whoAnswersWhatNoClusterAndNoSentinelDoesIsOutOfReachAndOthersAreAsked() throws Exception {
    String slots = "*1\r\n*3\r\n:0\r\n:16383\r\n";
    for (String answer :
        List.of(
            "*-1\r\n",
            "*1\r\n*-1\r\n",
            "*1\r\n*1\r\n:0\r\n",
            slots + "*0\r\n",
            slots + "*2\r\n$1\r\nx\r\n:4294967296\r\n",
            slots + "*2\r\n:1\r\n:1\r\n",
            "-MOVED 1\r\n")) {
      assertOutOfReach(answer, "cluster.addresses");
    }
    for (String answer :
        List.of(
            "*0\r\n",
            ":1\r\n",
            "*2\r\n*-1\r\n*-1\r\n",
            "*2\r\n$1\r\nh\r\n$1\r\nx\r\n",
            "-MOVED 1\r\n")) {
      assertOutOfReach(answer, "sentinel.addresses", "sentinel.master", "m");
    }
  }

  private static void assertOutOfReach(String answer, String addresses, String... others)
      throws IOException {
    try (ServerSocket one = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        ServerSocket another = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      AtomicInteger asked = new AtomicInteger();
      AtomicInteger alsoAsked = new AtomicInteger();
      serve(one, answer.getBytes(ISO_8859_1), asked);
      serve(another, answer.getBytes(ISO_8859_1), alsoAsked);
      Configuration conf =
          RedisStores.configuration(
              addresses,
              "127.0.0.1:" + one.getLocalPort() + ",127.0.0.1:" + another.getLocalPort());
      assertThatThrownBy(() -> RedisStores.open(RedisStores.set(conf, others)))
          .as(answer)
          .isInstanceOf(StoreUnreachableException.class)
          .hasMessageContaining("answers what no Redis does");
      assertThat(asked).hasPositiveValue();
      assertThat(alsoAsked).hasPositiveValue();
    }
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void whatComesByteByByteEndsInTime() throws Exception {
    byte[] answer = "$60000\r\n".getBytes(ISO_8859_1);
    // The head of a handshake record of 16 KiB.
    byte[] handshake = {22, 3, 3, 0x40, 0};
    for (byte[] head : List.of(answer, handshake)) {
      try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
        dribble(server, head);
        Configuration conf =
            RedisStores.configuration(
                "address",
                "127.0.0.1:" + server.getLocalPort(),
                "tls",
                Boolean.toString(head == handshake),
                "timeout",
                "500");
        assertThatThrownBy(() -> RedisStores.open(conf))
            .isInstanceOf(StoreUnreachableException.class)
            .hasMessageContaining("did not answer within 500 ms");
      }
    }
  }

  /** Sends a head, and then a byte now and then. */
  private static void dribble(ServerSocket server, byte[] head) {
    Thread thread =
        new Thread(
            () -> {
              try (Socket socket = server.accept()) {
                socket.getOutputStream().write(head);
                while (true) {
                  Thread.sleep(20);
                  socket.getOutputStream().write('x');
                }
              } catch (IOException | InterruptedException e) {
                // The client has hung up.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }
}
