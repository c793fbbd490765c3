/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import redis.clients.jedis.HostAndPort;

/** The one server that the settings name. */
final class FixedPrimary extends Primary {

  private final HostAndPort address;

  FixedPrimary(RedisSettings settings) {
    super(settings);
    this.address = settings.addresses().get(0);
  }

  @Override
  HostAndPort ask(HostAndPort server) {
    return server;
  }

  @Override
  String describe() {
    return "Redis " + address;
  }
}
