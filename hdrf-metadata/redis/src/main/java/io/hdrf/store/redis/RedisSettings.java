/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import redis.clients.jedis.HostAndPort;

/** The keys {@code hdrf.metadata.redis.*}, read and checked. Immutable. */
final class RedisSettings {

  /** The way to find the server that holds a namespace. */
  enum Kind {
    STANDALONE,
    SENTINEL,
    CLUSTER
  }

  static final String ADDRESS = "address";
  static final String SENTINEL_MASTER = "sentinel.master";
  static final String SENTINEL_ADDRESSES = "sentinel.addresses";
  static final String CLUSTER_ADDRESSES = "cluster.addresses";
  static final String DATABASE = "database";
  static final String USER = "user";
  static final String PASSWORD = "password";
  static final String TLS = "tls";
  static final String TLS_CA_FILE = "tls.ca.file";
  static final String TIMEOUT = "timeout";
  static final String CONNECTIONS = "connections";
  static final String BUCKETS = "buckets";

  private static final String DEFAULT_ADDRESS = "127.0.0.1:6379";
  private static final int DEFAULT_TIMEOUT_MILLIS = 2000;
  private static final int DEFAULT_CONNECTIONS = 4;
  private static final int DEFAULT_BUCKETS = 65536;
  private static final int LAST_PORT = 65535;

  private final PluginSettings settings;
  private final Kind kind;
  private final List<HostAndPort> addresses;
  private final int database;
  private final String user;
  private final char[] password;
  private final boolean tls;
  private final int timeoutMillis;
  private final int connections;
  private final int buckets;

  /**
   * @throws BadSettingException if a setting is wrong, with its key
   * @throws IOException if the credential provider can't be read
   */
  RedisSettings(PluginSettings settings) throws IOException {
    this.settings = settings;
    kind = kindOf(settings);
    switch (kind) {
      case SENTINEL:
        addresses = addresses(SENTINEL_ADDRESSES, settings.getString(SENTINEL_ADDRESSES, ""));
        break;
      case CLUSTER:
        addresses = addresses(CLUSTER_ADDRESSES, settings.getString(CLUSTER_ADDRESSES, ""));
        break;
      default:
        addresses =
            Collections.singletonList(
                address(ADDRESS, orDefault(settings.getString(ADDRESS, ""), DEFAULT_ADDRESS)));
        break;
    }
    database = settings.getInt(DATABASE, 0, 0, Integer.MAX_VALUE);
    if (kind == Kind.CLUSTER && database != 0) {
      throw bad(DATABASE, "0 or not set where " + key(CLUSTER_ADDRESSES) + " is set");
    }
    user = settings.getString(USER, "");
    password = readPassword(settings);
    if (!user.isEmpty() && password == null) {
      throw bad(USER, "empty where there is no password " + key(PASSWORD));
    }
    tls = settings.getBoolean(TLS, false);
    if (!tls && !caFile().isEmpty()) {
      throw bad(TLS_CA_FILE, "empty where " + key(TLS) + " is not true");
    }
    timeoutMillis = settings.getInt(TIMEOUT, DEFAULT_TIMEOUT_MILLIS, 10, 600_000);
    connections = settings.getInt(CONNECTIONS, DEFAULT_CONNECTIONS, 1, 256);
    buckets =
        settings.getInt(
            BUCKETS, DEFAULT_BUCKETS, RedisNamespace.MIN_BUCKETS, RedisNamespace.MAX_BUCKETS);
    if (Integer.bitCount(buckets) != 1) {
      throw bad(
          BUCKETS,
          "a power of two from "
              + RedisNamespace.MIN_BUCKETS
              + " to "
              + RedisNamespace.MAX_BUCKETS);
    }
  }

  private Kind kindOf(PluginSettings settings) throws BadSettingException {
    boolean master = !settings.getString(SENTINEL_MASTER, "").isEmpty();
    boolean sentinels = !settings.getString(SENTINEL_ADDRESSES, "").isEmpty();
    boolean cluster = !settings.getString(CLUSTER_ADDRESSES, "").isEmpty();
    boolean address = !settings.getString(ADDRESS, "").isEmpty();
    if (sentinels && !master) {
      throw bad(SENTINEL_MASTER, "set where " + key(SENTINEL_ADDRESSES) + " is set");
    }
    if (master && !sentinels) {
      throw bad(SENTINEL_ADDRESSES, "set where " + key(SENTINEL_MASTER) + " is set");
    }
    if (address && master) {
      throw bad(ADDRESS, "empty where " + key(SENTINEL_MASTER) + " is set");
    }
    if (address && cluster) {
      throw bad(ADDRESS, "empty where " + key(CLUSTER_ADDRESSES) + " is set");
    }
    if (master && cluster) {
      throw bad(CLUSTER_ADDRESSES, "empty where " + key(SENTINEL_MASTER) + " is set");
    }
    return master ? Kind.SENTINEL : cluster ? Kind.CLUSTER : Kind.STANDALONE;
  }

  /** Returns the password, or null; never one from a file that everybody may read. */
  private static char[] readPassword(PluginSettings settings) throws IOException {
    Configuration configuration = settings.configuration();
    String key = settings.key(PASSWORD);
    String plain = configuration.get(key);
    if (plain != null && !plain.isEmpty()) {
      throw new BadSettingException(
          key,
          "(not shown)",
          "kept out of the configuration files: store it with \"hadoop credential create "
              + key
              + "\" and set hadoop.security.credential.provider.path");
    }
    char[] password = configuration.getPassword(key);
    return password == null || password.length == 0 ? null : password;
  }

  private List<HostAndPort> addresses(String name, String value) throws BadSettingException {
    List<HostAndPort> all = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      all.add(address(name, part.trim()));
    }
    return Collections.unmodifiableList(all);
  }

  private HostAndPort address(String name, String text) throws BadSettingException {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      host = "";
    }
    int port = port(text.substring(colon + 1));
    if (host.isEmpty() || port < 0) {
      throw bad(
          name,
          name.equals(ADDRESS)
              ? "host:port"
              : "one or more of host:port, separated by commas; not \"" + text + "\"");
    }
    return new HostAndPort(host, port);
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      return port >= 1 && port <= LAST_PORT ? port : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static String orDefault(String value, String defaultValue) {
    return value.isEmpty() ? defaultValue : value;
  }

  private BadSettingException bad(String name, String accepted) {
    return new BadSettingException(key(name), settings.getString(name, ""), accepted);
  }

  /** Returns the full key of a setting. */
  String key(String name) {
    return settings.key(name);
  }

  Kind kind() {
    return kind;
  }

  /** Returns the server, the Sentinels or nodes of the cluster; at least one. */
  List<HostAndPort> addresses() {
    return addresses;
  }

  /** Returns the name by which Sentinels know the server; empty without Sentinels. */
  String master() {
    return settings.getString(SENTINEL_MASTER, "");
  }

  int database() {
    return database;
  }

  /** Returns the name to log in with, or null. */
  String user() {
    return user.isEmpty() ? null : user;
  }

  /** Returns the password, which the caller must not change, or null. */
  char[] password() {
    return password;
  }

  boolean tls() {
    return tls;
  }

  /** Returns the PEM file with the trusted certificates; empty for those that the JVM trusts. */
  String caFile() {
    return settings.getString(TLS_CA_FILE, "");
  }

  /** Returns the limit for connecting, and for the answers to one pipeline. */
  int timeoutMillis() {
    return timeoutMillis;
  }

  /** Returns the maximum number of connections of one store. */
  int connections() {
    return connections;
  }

  /** Returns the number of buckets for new namespaces; a power of two. */
  int buckets() {
    return buckets;
  }
}
