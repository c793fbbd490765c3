/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static io.hdrf.store.redis.RedisStores.batch;
import static io.hdrf.store.redis.RedisStores.bytes;
import static io.hdrf.store.redis.RedisStores.configuration;
import static io.hdrf.store.redis.RedisStores.count;
import static io.hdrf.store.redis.RedisStores.eventually;
import static io.hdrf.store.redis.RedisStores.get;
import static io.hdrf.store.redis.RedisStores.open;
import static io.hdrf.store.redis.RedisStores.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.cluster.RedisServer;
import io.hdrf.cluster.Waiting;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Redis Cluster of three servers. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterTest {

  private static final List<RedisServer> SERVERS = new ArrayList<>();

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException {
    for (int i = 0; i < 3; i++) {
      RedisServer server = new RedisServer(directory.resolve("redis-" + i));
      SERVERS.add(server);
      server
          .with("cluster-enabled", "yes")
          .with("cluster-config-file", "nodes.conf")
          .with("cluster-node-timeout", "1000")
          .with("cluster-port", Integer.toString(server.freePort("cluster")))
          .start();
    }
    RedisServer.joinToCluster(SERVERS);
  }

  @AfterAll
  static void stop() throws IOException {
    for (RedisServer server : SERVERS) {
      server.kill();
    }
  }

  private static Configuration cluster() {
    return configuration(
        "cluster.addresses",
        SERVERS.stream().map(RedisServer::address).collect(Collectors.joining(", ")));
  }

  /** Returns the server that has a pool's entries. */
  private static RedisServer homeOf(String pool) throws IOException {
    List<RedisServer> homes = new ArrayList<>();
    for (RedisServer server : SERVERS) {
      if (!server.cli("--scan", "--pattern", "hdrf:1:{DS-1/" + pool + "}:*").isEmpty()) {
        homes.add(server);
      }
    }
    assertThat(homes).as("servers that have entries of " + pool).hasSize(1);
    return homes.get(0);
  }

  @Test
  void aNamespaceLiesOnOneServerAndSeveralSpread() throws IOException {
    List<RedisServer> homes = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String pool = "BP-spread-" + i;
      try (MetadataStore store = open(cluster(), pool)) {
        StoreBatch batch = batch("c", 300, 10);
        for (Table table : Table.values()) {
          batch.put(table, bytes("k"), bytes("v"));
        }
        store.write(batch);
        assertThat(get(store, "k")).isEqualTo("v");
        assertThat(count(store, Table.CHUNKS)).isEqualTo(301);
        homes.add(homeOf(pool));
        store.clear();
        assertThat(count(store, Table.CHUNKS)).isZero();
      }
    }
    assertThat(homes).containsAll(SERVERS);
  }

  @Test
  void oneAddressThatAnswersIsEnough() throws IOException {
    Configuration configuration =
        configuration("cluster.addresses", "127.0.0.1:1," + SERVERS.get(0).address());
    for (int i = 0; i < 4; i++) {
      try (MetadataStore store = open(configuration, "BP-seed-" + i)) {
        put(store, "k", "v");
      }
    }
  }

  @Test
  void followsANamespaceThatMoves() throws Exception {
    String pool = "BP-moves";
    try (MetadataStore store = open(cluster(), pool)) {
      put(store, "k", "v");
      store.write(batch("c", 50, 10));
      RedisServer from = homeOf(pool);
      RedisServer to = next(from);
      String slot = Integer.toString(new RedisNamespace("DS-1", pool).slot());
      beginMove(slot, from, to);
      assertThatThrownBy(() -> store.get(Table.BLOCKS, List.of(bytes("absent"))))
          .isInstanceOf(StoreUnreachableException.class)
          .hasMessageContaining("is moving the store's slot");
      endMove(slot, from, to);
      assertThat(eventually(() -> get(store, "k"))).isEqualTo("v");

      move(slot, pool);
      List<byte[]> keys = new ArrayList<>();
      for (int i = 0; i < 3000; i++) {
        keys.add(bytes("c" + i));
      }
      List<byte[]> values = store.get(Table.CHUNKS, keys);
      assertThat(values.subList(0, 50)).doesNotContainNull();
      assertThat(values.subList(50, 3000)).containsOnlyNulls();

      move(slot, pool);
      store.write(batch("d", 2000, 10));
      move(slot, pool);
      assertThat(count(store, Table.CHUNKS)).isEqualTo(2050);
      move(slot, pool);
      store.clear();
      assertThat(count(store, Table.CHUNKS)).isZero();
    }
  }

  /** Moves a slot, which no client uses meanwhile. */
  private static void move(String slot, String pool) throws IOException {
    RedisServer from = homeOf(pool);
    beginMove(slot, from, next(from));
    endMove(slot, from, next(from));
  }

  private static RedisServer next(RedisServer server) {
    return SERVERS.get((SERVERS.indexOf(server) + 1) % SERVERS.size());
  }

  private static void beginMove(String slot, RedisServer from, RedisServer to) throws IOException {
    to.cli("cluster", "setslot", slot, "importing", from.cli("cluster", "myid"));
    from.cli("cluster", "setslot", slot, "migrating", to.cli("cluster", "myid"));
  }

  private static void endMove(String slot, RedisServer from, RedisServer to) throws IOException {
    List<String> keys = from.cli("cluster", "getkeysinslot", slot, "100000").lines().toList();
    from.cli(
        Stream.concat(
                Stream.of(
                    "migrate", "127.0.0.1", Integer.toString(to.port()), "", "0", "5000", "keys"),
                keys.stream())
            .toArray(String[]::new));
    for (RedisServer server : List.of(to, from)) {
      server.cli("cluster", "setslot", slot, "node", to.cli("cluster", "myid"));
    }
  }

  @Test
  void aDeadNodeIsFoundAgain() throws Exception {
    String pool = "BP-dead";
    try (MetadataStore store = open(cluster(), pool)) {
      put(store, "k", "v");
      RedisServer home = homeOf(pool);
      home.stop();
      assertThatThrownBy(() -> get(store, "k"))
          .isInstanceOf(StoreUnreachableException.class)
          .hasMessageContaining(home.address());
      home.start();
      assertThat(eventually(() -> get(store, "k"))).isEqualTo("v");
    }
    for (RedisServer server : SERVERS) {
      Waiting.until(
          Duration.ofSeconds(30),
          () -> server.cli("cluster", "info").contains("cluster_state:ok"),
          () -> "the cluster is not whole again");
    }
  }
}
