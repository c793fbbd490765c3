/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The ports of one cluster, kept in a file so that a restart finds them again. They are chosen
 * below Linux's range for outgoing connections, so that no client's socket takes one while its
 * daemon is down.
 */
final class Ports {
  private static final int FIRST = 20_000;
  private static final int LAST = 32_000;

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
    for (int attempt = 0; attempt < LAST - FIRST; attempt++) {
      port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      if (!taken.contains(port) && isFree(port)) {
        kept.setProperty(name, Integer.toString(port));
        ClusterConfig.store(kept, file, "Ports on 127.0.0.1");
        return port;
      }
    }
    throw new ClusterException("No free port on 127.0.0.1 between " + FIRST + " and " + LAST);
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
