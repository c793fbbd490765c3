/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A {@code redis-server} on loopback, or a Sentinel. It keeps its port and its data in its
 * directory: {@link #stop} saves them, {@link #kill} does not. Needs {@code redis-server} and
 * {@code redis-cli} on the path. For one thread at a time.
 */
public final class RedisServer extends Daemon {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String CONFIGURATION = "redis.conf";

  private final boolean sentinel;
  private final List<String> directives = new ArrayList<>();
  private final Map<String, String> cliEnvironment = new LinkedHashMap<>();
  private final List<String> cliLogin = new ArrayList<>();
  private final Ports ports;
  private int port;

  private RedisServer(String name, Path directory, boolean sentinel) throws IOException {
    super(name, directory);
    this.sentinel = sentinel;
    Files.createDirectories(directory());
    this.ports = new Ports(directory().resolve("ports"));
    this.port = ports.get("redis");
  }

  /** Makes a server, not started; or finds the one that was started in this directory before. */
  public RedisServer(Path directory) throws IOException {
    this("Redis in " + directory, directory, false);
  }

  /** Makes a Sentinel, not started, that watches a server and decides alone that it is down. */
  public static RedisServer sentinel(Path directory, String masterName, RedisServer master)
      throws IOException {
    RedisServer sentinel = new RedisServer("Sentinel in " + directory, directory, true);
    return sentinel
        .with("sentinel", "monitor", masterName, "127.0.0.1", Integer.toString(master.port()), "1")
        .with("sentinel", "down-after-milliseconds", masterName, "1000")
        .with("sentinel", "failover-timeout", masterName, "5000");
  }

  /** Adds a line of {@code redis.conf} for the next start. */
  public RedisServer with(String directive, String... values) {
    directives.add(
        directive
            + Stream.of(values)
                .map(value -> value.isEmpty() ? " \"\"" : " " + value)
                .collect(Collectors.joining()));
    return this;
  }

  /** Sets the login of {@link #cli}. */
  public RedisServer loginAs(String user, String password) {
    cliLogin.clear();
    cliLogin.addAll(List.of("--user", user));
    cliEnvironment.put("REDISCLI_AUTH", password);
    return this;
  }

  /** Chooses a free port once, and keeps it. */
  public int freePort(String name) throws IOException {
    int known = ports.get(name);
    return known > 0 ? known : ports.free(name);
  }

  /** Returns the port of the last start. */
  public int port() {
    return port;
  }

  /** Returns the address in the form of {@code hdrf.metadata.redis.address}. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** Returns whether a server was ever started in a directory. */
  static boolean livesIn(Path directory) {
    return Files.exists(directory.resolve(CONFIGURATION));
  }

  private Path configuration() {
    return directory().resolve(CONFIGURATION);
  }

  /** Returns the directory where it saves its data. */
  public Path data() {
    return directory().resolve("data");
  }

  @Override
  String mark() {
    return configuration().toString();
  }

  /** Starts it and waits until it serves the saved data. */
  public void start() throws IOException {
    startUnready();
    Waiting.until(
        PATIENCE,
        () -> {
          if (!isAlive()) {
            throw new ClusterException(name() + " ended at once:\n" + lastWords());
          }
          return cliOutput("ping").contains("PONG");
        },
        () -> name() + " does not answer; see " + out());
  }

  private void startUnready() throws IOException {
    port = ports.free("redis");
    Files.createDirectories(data());
    List<String> lines = new ArrayList<>();
    lines.add("bind 127.0.0.1");
    lines.add("port " + port);
    lines.add("dir " + data());
    lines.add("set-proc-title no");
    if (!sentinel) {
      lines.add("save 3600 1");
    }
    lines.addAll(directives);
    Files.write(configuration(), lines);
    List<String> program = new ArrayList<>(List.of("redis-server", mark()));
    if (sentinel) {
      program.add("--sentinel");
    }
    launch(program);
  }

  /** Ends it; it saves its data. */
  public void stop() throws IOException {
    stop(PATIENCE);
  }

  /** Deletes all data, whether it runs or not. */
  public void empty() throws IOException {
    if (isAlive()) {
      cli("flushall", "sync");
      return;
    }
    if (Files.exists(data())) {
      try (Stream<Path> files = Files.walk(data())) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /**
   * Sends a command by {@code redis-cli}.
   *
   * @return the answer as text, without the last line end
   * @throws ClusterException if it is an error
   */
  public String cli(String... command) throws IOException {
    String output = cliOutput(command);
    if (output.matches("(?s)(\\(error\\) |ERR |[A-Z]{4,} |Could not connect).*")
        && !output.startsWith("PONG")) {
      throw new ClusterException(name() + ": " + String.join(" ", command) + ": " + output);
    }
    return output;
  }

  private String cliOutput(String... command) throws IOException {
    List<String> program = new ArrayList<>(List.of("redis-cli", "-p", Integer.toString(port)));
    program.addAll(cliLogin);
    program.addAll(Arrays.asList(command));
    return run(program, cliEnvironment);
  }

  /** Makes a Redis Cluster of running, empty servers; waits until all of them report it whole. */
  public static void joinToCluster(List<RedisServer> servers) throws IOException {
    List<String> program = new ArrayList<>(List.of("redis-cli", "--cluster", "create"));
    servers.forEach(server -> program.add(server.address()));
    program.add("--cluster-yes");
    String output = run(program, Map.of());
    for (RedisServer server : servers) {
      Waiting.until(
          PATIENCE,
          () -> server.cli("cluster", "info").contains("cluster_state:ok"),
          () -> "no cluster was made:\n" + output);
    }
  }

  private static String run(List<String> program, Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(program).redirectErrorStream(true);
    builder.redirectInput(Path.of("/dev/null").toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
        .stripTrailing();
  }
}
