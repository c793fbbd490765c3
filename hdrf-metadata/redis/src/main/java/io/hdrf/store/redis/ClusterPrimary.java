/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** The node of a Redis Cluster that serves a slot. */
final class ClusterPrimary extends Primary {

  /**
   * The maximum number of nodes kept from answers of other nodes: as many as one look-up can ask in
   * its time. A node may invent any number.
   */
  static final int MAX_NAMED = 32;

  private final RedisSettings settings;
  private final Connector connector;
  private final int slot;

  ClusterPrimary(RedisSettings settings, Connector connector, int slot) {
    super(settings);
    this.settings = settings;
    this.connector = connector;
    this.slot = slot;
  }

  @Override
  HostAndPort ask(HostAndPort node) {
    try (RedisConnection connection = connector.connect(node)) {
      connection.sendCommand(Protocol.Command.CLUSTER, "SLOTS");
      return connection.read(() -> primary((List<?>) connection.getOne(), node));
    }
  }

  private HostAndPort primary(List<?> ranges, HostAndPort asked) {
    HostAndPort found = null;
    Set<HostAndPort> named = new LinkedHashSet<>();
    for (Object range : ranges) {
      List<?> parts = (List<?>) range;
      HostAndPort primary = address((List<?>) parts.get(2), asked);
      if (named.size() < MAX_NAMED) {
        named.add(primary);
      }
      if ((Long) parts.get(0) <= slot && slot <= (Long) parts.get(1)) {
        found = primary;
      }
    }
    if (found == null) {
      throw new JedisConnectionException("slot " + slot + " is served by no node");
    }
    setNamed(named);
    return found;
  }

  /**
   * Returns a node's address; a node that does not know its own host gets the host by which it was
   * reached.
   */
  private static HostAndPort address(List<?> parts, HostAndPort asked) {
    Object host = parts.get(0);
    String name = host == null ? "" : new String((byte[]) host, UTF_8);
    int port = Math.toIntExact((Long) parts.get(1));
    return new HostAndPort(name.isEmpty() || name.equals("?") ? asked.getHost() : name, port);
  }

  /**
   * Any node of a cluster may name any other: every member of the cluster is trusted with all of
   * it.
   */
  @Override
  boolean mayMove() {
    return true;
  }

  @Override
  String describe() {
    return "Redis Cluster " + settings.addresses();
  }
}
