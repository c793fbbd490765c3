/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The servers that a cluster's metadata stores need: a Redis for each DataNode where {@code
 * hdrf.metadata.store} is {@code redis}, below the cluster's directory, where {@link ProcessGuard}
 * finds them; else none. They listen on loopback, so they are not for {@link NetworkHosts}. For one
 * thread.
 */
public final class MetadataServers {
  private static final String STORE = "hdrf.metadata.store";
  private static final String REDIS = "redis";
  private static final String REDIS_ADDRESS = "hdrf.metadata.redis.address";

  private final ClusterConfig config;
  private final List<RedisServer> servers = new ArrayList<>();

  public MetadataServers(ClusterConfig config) {
    this.config = config;
  }

  /** Returns the number of servers needed. */
  public int count() {
    boolean redis = REDIS.equals(config.site().get(STORE));
    return redis && !config.stock() ? config.dataNodes() : 0;
  }

  /** Starts the servers, and returns the cluster's configuration with their addresses. */
  public ClusterConfig start() throws IOException {
    ClusterConfig changed = config;
    for (int i = 0; i < count(); i++) {
      RedisServer server = new RedisServer(config.directory().resolve(REDIS + "-" + i));
      servers.add(server);
      server.start();
      changed = changed.withDataNodeProperty(i, REDIS_ADDRESS, server.address());
    }
    return changed;
  }

  public void stop() throws IOException {
    for (RedisServer server : servers) {
      server.stop();
    }
  }
}
