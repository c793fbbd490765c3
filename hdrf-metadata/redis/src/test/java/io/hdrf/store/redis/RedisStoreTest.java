/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import io.hdrf.cluster.RedisServer;
import io.hdrf.spi.store.BaseMetadataStoreTestCase;
import io.hdrf.spi.store.MetadataStoreProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class RedisStoreTest extends BaseMetadataStoreTestCase {

  private static RedisServer server;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException {
    server = new RedisServer(directory);
    server.start();
  }

  @AfterAll
  static void stop() throws IOException {
    server.kill();
  }

  @Override
  protected MetadataStoreProvider provider() {
    return new RedisStoreProvider();
  }

  /** Few buckets, so that the many scans of the tests are short and buckets have entries. */
  @Override
  protected Configuration configuration() {
    Configuration configuration = new Configuration(false);
    configuration.set("hdrf.metadata.redis.address", server.address());
    configuration.set("hdrf.metadata.redis.buckets", "256");
    configuration.set("hdrf.metadata.redis.timeout", "20000");
    return configuration;
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    Map<String, List<String>> bad = new HashMap<>();
    bad.put(
        "hdrf.metadata.redis.address",
        List.of("host", "host:", ":6379", "host:0", "host:65536", "host:x", "a:b:1", "[]:1"));
    bad.put("hdrf.metadata.redis.sentinel.master", List.of("main"));
    bad.put("hdrf.metadata.redis.sentinel.addresses", List.of("a:1", "a"));
    bad.put("hdrf.metadata.redis.cluster.addresses", List.of("a:1"));
    bad.put("hdrf.metadata.redis.database", List.of("-1", "x"));
    bad.put("hdrf.metadata.redis.user", List.of("without-a-password"));
    bad.put("hdrf.metadata.redis.password", List.of("secret"));
    bad.put("hdrf.metadata.redis.tls", List.of("yes"));
    bad.put("hdrf.metadata.redis.tls.ca.file", List.of("/no/such/file"));
    bad.put("hdrf.metadata.redis.timeout", List.of("9", "600001", "1s"));
    bad.put("hdrf.metadata.redis.connections", List.of("0", "257"));
    bad.put("hdrf.metadata.redis.buckets", List.of("128", "1000", "2097152", "x"));
    return bad;
  }
}
