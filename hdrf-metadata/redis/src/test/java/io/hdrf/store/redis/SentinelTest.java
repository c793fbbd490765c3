/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static io.hdrf.store.redis.RedisStores.configuration;
import static io.hdrf.store.redis.RedisStores.eventually;
import static io.hdrf.store.redis.RedisStores.get;
import static io.hdrf.store.redis.RedisStores.open;
import static io.hdrf.store.redis.RedisStores.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.cluster.RedisServer;
import io.hdrf.cluster.Waiting;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreUnreachableException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A primary, a replica and a Sentinel. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SentinelTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;

  private RedisServer first;
  private RedisServer second;
  private RedisServer sentinel;

  @BeforeEach
  void start() throws IOException {
    first = new RedisServer(directory.resolve("first"));
    first.start();
    second =
        new RedisServer(directory.resolve("second"))
            .with("replicaof", "127.0.0.1", Integer.toString(first.port()));
    second.start();
    Waiting.until(
        PATIENCE,
        () -> second.cli("info", "replication").contains("master_link_status:up"),
        () -> "the replica gets nothing");
    sentinel = RedisServer.sentinel(directory.resolve("sentinel"), "main", first);
    sentinel.start();
    Waiting.until(
        PATIENCE,
        () -> sentinel.cli("sentinel", "replicas", "main").contains(second.address()),
        () -> "the Sentinel knows no replica");
  }

  @AfterEach
  void stop() throws IOException {
    for (RedisServer server : new RedisServer[] {sentinel, first, second}) {
      server.kill();
    }
  }

  @Test
  void goesOnWithTheServerThatTheSentinelChooses() throws Exception {
    try (MetadataStore store =
        open(
            configuration(
                "sentinel.master",
                "main",
                "sentinel.addresses",
                "127.0.0.1:1," + sentinel.address()))) {
      put(store, "k", "v");
      assertThat(first.cli("wait", "1", "10000")).isEqualTo("1");
      first.kill();
      assertThatThrownBy(() -> get(store, "k"))
          .isInstanceOf(StoreUnreachableException.class)
          .hasMessageContaining("main")
          .hasMessageContaining(first.address());
      assertThat(eventually(() -> get(store, "k"))).isEqualTo("v");
      put(store, "k", "w");
      assertThat(second.cli("info", "replication")).contains("role:master");

      second.suspend();
      assertThatThrownBy(() -> get(store, "k")).isInstanceOf(StoreUnreachableException.class);
      second.resume();
      assertThat(eventually(() -> get(store, "k"))).isEqualTo("w");
    }
  }

  /** As one does that was cut off before the others chose another server. */
  @Test
  void aSentinelThatNamesADeadServerIsNotAskedForEver() throws Exception {
    RedisServer dead = new RedisServer(directory.resolve("dead"));
    dead.start();
    dead.kill();
    RedisServer cutOff = RedisServer.sentinel(directory.resolve("cut-off"), "main", dead);
    cutOff.start();
    try (MetadataStore store =
        eventually(
            () ->
                open(
                    configuration(
                        "sentinel.master",
                        "main",
                        "sentinel.addresses",
                        cutOff.address() + "," + sentinel.address())))) {
      put(store, "k", "v");
      assertThat(get(store, "k")).isEqualTo("v");
    } finally {
      cutOff.kill();
    }
  }

  @Test
  void aServerThatTheSentinelDoesNotKnowNamesTheKey() {
    assertThatThrownBy(
            () ->
                open(
                    configuration(
                        "sentinel.master", "another", "sentinel.addresses", sentinel.address())))
        .isInstanceOf(StoreUnreachableException.class)
        .hasMessageContaining("another")
        .hasMessageContaining("hdrf.metadata.redis.sentinel.master");
  }
}
