/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.RedisInputStream;

/**
 * Reads any bytes as answers of a Redis server. Runs on the kept inputs; with {@code JAZZER_FUZZ=1}
 * and one method chosen, it looks for new ones.
 */
class ReplyFuzzTest {

  private static final long MAX_HEAP = 1 << 20;
  private static final int MAX_REPLIES = 100;

  private static final Server SERVER = new Server();

  /** Single replies: too large ones are refused before they take memory. */
  @FuzzTest(maxDuration = "1m")
  void anyReply(byte[] bytes) {
    // An exchange may take ReplyGuard.MAX_EXCHANGE; each null of a list takes two bytes of it.
    long bound = ReplyGuard.MAX_EXCHANGE + MAX_HEAP;
    boolean suspect = taken(bytes) > bound;
    if (suspect && taken(bytes) > bound) {
      throw new AssertionError("too much memory for " + bytes.length + " bytes");
    }
  }

  private static long taken(byte[] bytes) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    RedisInputStream in = new RedisInputStream(new ReplyGuard(new ByteArrayInputStream(bytes)));
    try {
      for (int i = 0; i < MAX_REPLIES; i++) {
        Object reply = Protocol.read(in);
        if (reply != null
            && !(reply instanceof byte[])
            && !(reply instanceof Long)
            && !(reply instanceof List)) {
          throw new AssertionError("a reply of " + reply.getClass());
        }
      }
    } catch (JedisException expected) {
      // Refused, an error of the server, or the end.
    }
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
  }

  /** A store whose server answers anything fails only in the ways that stores may. */
  @FuzzTest(maxDuration = "1m")
  void anyServer(byte[] replies) {
    SERVER.replies = replies;
    int port = SERVER.socket.getLocalPort();
    // A connection to any other place is a finding.
    BugDetectors.allowNetworkConnections((host, asked) -> asked == port);
    Configuration conf = RedisStores.configuration("address", "127.0.0.1:" + port);
    List<Use> uses =
        List.of(
            store -> {
              for (byte[] value : store.get(Table.BLOCKS, List.of(KEY, KEY))) {
                check(value == null || value.length <= MetadataStore.MAX_VALUE_LENGTH);
              }
            },
            store -> store.write(new StoreBatch().put(Table.BLOCKS, KEY, KEY)),
            store ->
                store.write(new StoreBatch().put(Table.BLOCKS, KEY, KEY).delete(Table.STATE, KEY)),
            store ->
                store.scan(
                    Table.STATE,
                    new byte[0],
                    (key, value) -> {
                      check(value.length <= MetadataStore.MAX_VALUE_LENGTH);
                      return true;
                    }),
            store -> store.estimatedCount(Table.STATE),
            MetadataStore::mayForget);
    for (Use use : uses) {
      try (MetadataStore store = RedisStores.open(conf)) {
        use.of(store);
      } catch (MetadataException expected) {
        // Expected when the server is down, or damaged.
      } catch (IOException other) {
        throw new AssertionError("no orderly refusal", other);
      }
    }
  }

  /** Servers that are asked for the primary, or are to be one, answer anything. */
  @FuzzTest(maxDuration = "1m")
  void anyLookUp(byte[] reply) throws IOException {
    SERVER.replies = reply;
    int port = SERVER.socket.getLocalPort();
    BugDetectors.allowNetworkConnections((host, asked) -> asked == port);
    HostAndPort server = new HostAndPort("127.0.0.1", port);
    RedisSettings settings =
        settings("sentinel.addresses", server.toString(), "sentinel.master", "m");
    Connector connector = new Connector(settings);
    Primary ofSentinels = new SentinelPrimary(settings, connector);
    Primary ofCluster =
        new ClusterPrimary(settings("cluster.addresses", server.toString()), connector, 0);
    Connector toDatabase = new Connector(settings("address", server.toString(), "database", "1"));
    List<Runnable> uses =
        List.of(
            () -> check(ofSentinels.ask(server) != null),
            () -> check(ofCluster.ask(server) != null),
            () -> {
              try (RedisConnection connection = connector.connect(server)) {
                ofSentinels.check(connection);
              }
            },
            () -> toDatabase.connect(server).close());
    for (Runnable use : uses) {
      try {
        use.run();
      } catch (JedisException expected) {
        // Expected when the server is down.
      }
    }
  }

  private static RedisSettings settings(String... namesAndValues) throws IOException {
    return new RedisSettings(
        new PluginSettings(RedisStores.configuration(namesAndValues), "metadata.redis"));
  }

  private static final byte[] KEY = {'k'};

  private interface Use {
    void of(MetadataStore store) throws IOException;
  }

  private static void check(boolean right) {
    if (!right) {
      throw new AssertionError();
    }
  }

  /** Sends its bytes on each connection, whatever the client asks, and then listens. */
  private static final class Server implements Runnable {
    private final ServerSocket socket;
    private volatile byte[] replies;

    Server() {
      try {
        socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      Thread thread = new Thread(this, "hostile-redis");
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void run() {
      byte[] buffer = new byte[8192];
      while (true) {
        try (Socket client = socket.accept()) {
          client.getOutputStream().write(replies);
          client.shutdownOutput();
          InputStream in = client.getInputStream();
          while (in.read(buffer) >= 0) {
            // The request does not matter.
          }
        } catch (IOException e) {
          // The client has hung up.
        }
      }
    }
  }
}
