/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The ports of one cluster, kept in a file so that a restart finds them again. They are chosen
 * below Linux's range for outgoing connections, so that no client's socket takes one while its
 * daemon is down. Each JVM draws from a range of its own: a port is free until its daemon binds it,
 * seconds later.
 */
public final class Ports {
  private static final int FIRST = 20_000;
  private static final int RANGE = 500;
  private static final int RANGES = 24;

  /** The range of this JVM, which it has until it ends. */
  private static final class Own {
    static final NetworkLease LEASE = lease();

    private static NetworkLease lease() {
      Path leases =
          Path.of(
              System.getProperty("java.io.tmpdir"),
              "hdrf-ports-" + System.getProperty("user.name"));
      try {
        for (int i = 0; i < RANGES; i++) {
          Optional<NetworkLease> lease = NetworkLease.of(leases, i);
          if (lease.isPresent()) {
            return lease.get();
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      throw new IllegalStateException(RANGES + " other JVMs run clusters; see " + leases);
    }
  }

  private final Path file;
  private final Properties kept = new Properties();

  Ports(Path file) throws IOException {
    this.file = file;
    if (Files.exists(file)) {
      try (InputStream in = Files.newInputStream(file)) {
        kept.load(in);
      }
    }
  }

  /** Returns the port kept under {@code name}, or -1. */
  int get(String name) {
    try {
      return Integer.parseInt(kept.getProperty(name, "-1"));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Returns the port kept under {@code name} if it is free, else a new one, which is then kept. */
  int free(String name) throws IOException {
    int port = get(name);
    if (port > 0 && isFree(port)) {
      return port;
    }
    Set<Integer> taken = new HashSet<>();
    for (String other : kept.stringPropertyNames()) {
      taken.add(get(other));
    }
    port = draw(taken);
    kept.setProperty(name, Integer.toString(port));
    ClusterConfig.store(kept, file, "Ports on 127.0.0.1");
    return port;
  }

  /** Returns a free port of this JVM's range that is not in {@code taken}. */
  public static int draw(Set<Integer> taken) throws IOException {
    int first = FIRST + Own.LEASE.number() * RANGE;
    for (int attempt = 0; attempt < 10 * RANGE; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(first, first + RANGE);
      if (!taken.contains(port) && isFree(port)) {
        return port;
      }
    }
    throw new ClusterException(
        "No free port on 127.0.0.1 between " + first + " and " + (first + RANGE - 1));
  }

  static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
