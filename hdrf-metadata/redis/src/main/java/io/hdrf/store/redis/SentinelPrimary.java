/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** The server that the Sentinels have made primary. */
final class SentinelPrimary extends Primary {

  private final RedisSettings settings;
  private final Connector connector;

  SentinelPrimary(RedisSettings settings, Connector connector) {
    super(settings);
    this.settings = settings;
    this.connector = connector;
  }

  @Override
  HostAndPort ask(HostAndPort sentinel) {
    try (RedisConnection connection = connector.connectToSentinel(sentinel)) {
      connection.sendCommand(
          Protocol.Command.SENTINEL, "GET-MASTER-ADDR-BY-NAME", settings.master());
      return connection.read(() -> address(connection.getOne(), sentinel));
    }
  }

  private HostAndPort address(Object answer, HostAndPort sentinel) {
    if (answer == null) {
      throw new JedisConnectionException(
          "Sentinel "
              + sentinel
              + " knows no "
              + settings.master()
              + " ("
              + settings.key(RedisSettings.SENTINEL_MASTER)
              + ")");
    }
    List<?> parts = (List<?>) answer;
    return new HostAndPort(text(parts.get(0)), Integer.parseInt(text(parts.get(1))));
  }

  /** Neither the Sentinels nor the server itself may know yet that it was replaced. */
  @Override
  void check(RedisConnection connection) {
    connection.sendCommand(Protocol.Command.ROLE);
    String role = connection.read(() -> text(((List<?>) connection.getOne()).get(0)));
    if (!role.equals("master")) {
      throw new JedisConnectionException("the Sentinels name a server whose role is " + role);
    }
  }

  private static String text(Object answer) {
    return new String((byte[]) answer, UTF_8);
  }

  @Override
  String describe() {
    return "Redis " + settings.master() + " of the Sentinels " + settings.addresses();
  }
}
