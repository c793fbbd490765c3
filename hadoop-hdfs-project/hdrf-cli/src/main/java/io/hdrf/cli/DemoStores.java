/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.RedisServer;
import io.hdrf.conf.HdrfKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The servers that a demo's metadata stores need: a Redis for each DataNode, below the cluster's
 * directory, where {@link ProcessGuard} finds them. For one thread.
 */
final class DemoStores {
  private static final String REDIS = "redis";
  private static final String REDIS_ADDRESS = "hdrf.metadata.redis.address";

  private final ClusterConfig config;
  private final List<RedisServer> servers = new ArrayList<>();

  DemoStores(ClusterConfig config) {
    this.config = config;
  }

  /** How many servers are needed. */
  int count() {
    boolean redis = REDIS.equals(config.site().get(HdrfKeys.METADATA_STORE));
    return redis && !config.stock() ? config.dataNodes() : 0;
  }

  /** Starts the servers, and returns the cluster's configuration with their addresses. */
  ClusterConfig start() throws IOException {
    ClusterConfig changed = config;
    for (int i = 0; i < count(); i++) {
      RedisServer server = new RedisServer(config.directory().resolve(REDIS + "-" + i));
      servers.add(server);
      server.start();
      changed = changed.withDataNodeProperty(i, REDIS_ADDRESS, server.address());
    }
    return changed;
  }

  void stop() throws IOException {
    for (RedisServer server : servers) {
      server.stop();
    }
  }
}
