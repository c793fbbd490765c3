/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A host for the NameNode and one for each DataNode, each with its own network namespace, joined by
 * links to a switch. Programs that use the cluster run on DataNode 0's host. This JVM has a port of
 * the switch too, so that it reaches all daemons.
 *
 * <p>Network N is named {@code hdrf-N}: an interface of this name here, with the address
 * 198.18.N.1, and the namespaces {@code hdrf-N-switch}, {@code hdrf-N-nn} and {@code hdrf-N-dn0},
 * {@code hdrf-N-dn1}, …, in which the interface is {@code eth0}. 198.18.0.0/15 is set aside for
 * benchmarks (RFC 2544). TCP's congestion control is {@code cubic} where namespaces may use it,
 * else this machine's own.
 *
 * <p>Closing it, or the end of the JVM, kills all processes that still run on its hosts and removes
 * everything. The next {@link #create} removes the networks of killed JVMs. Needs root, {@code ip}
 * and {@code tc}; see {@link #obstacle}. For one thread at a time.
 */
public final class NetworkHosts implements Hosts, Closeable {

  private static final Path LEASES = Path.of("/run/hdrf");
  private static final String PREFIX = "hdrf-";
  private static final String SWITCH = "switch";
  private static final String NAME_NODE = "nn";
  private static final String DATA_NODE = "dn";
  private static final String INTERFACE = "eth0";

  private static final int FIRST_DATA_NODE_ADDRESS = 10;
  private static final int MAX_DATA_NODES = 200;

  /** Numbers of CAP_NET_ADMIN and CAP_SYS_ADMIN. */
  private static final List<Integer> CAPABILITIES = List.of(12, 21);

  /** More than the largest frame, and some milliseconds at the rates in use. */
  private static final String BURST = "256kb";

  private static final String QUEUE = "50ms";
  private static final long MIN_RATE = 1_000_000;
  private static final long MAX_RATE = 100_000_000_000L;

  /** The algorithms that may be chosen in a namespace. */
  private static final Path CONGESTION_CONTROLS =
      Path.of("/proc/sys/net/ipv4/tcp_allowed_congestion_control");

  private static final String CONGESTION_CONTROL = "cubic";

  private static final Duration KILL_PATIENCE = Duration.ofSeconds(20);
  private static final Pattern OURS = Pattern.compile(PREFIX + "(\\d{1,3})(-.*)?");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final NetworkLease lease;
  private final int dataNodes;
  private final Thread hook = new Thread(this::onShutdown, "hdrf-network-shutdown");

  private NetworkHosts(NetworkLease lease, int dataNodes) {
    this.lease = lease;
    this.dataNodes = dataNodes;
  }

  /** Returns why {@link #create} can't work here, or empty. */
  public static Optional<String> obstacle() throws IOException {
    for (String program : List.of("ip", "tc")) {
      if (!SystemCommand.exists(program)) {
        return Optional.of(
            "Network namespaces need the program '" + program + "' (package iproute2)");
      }
    }
    if (!mayMakeNetworks(Files.readString(Path.of("/proc/self/status")))) {
      return Optional.of("Network namespaces need root (CAP_SYS_ADMIN and CAP_NET_ADMIN)");
    }
    return Optional.empty();
  }

  static boolean mayMakeNetworks(String status) {
    Matcher effective = Pattern.compile("(?m)^CapEff:\\s*(\\p{XDigit}+)$").matcher(status);
    if (!effective.find()) {
      return false;
    }
    long bits = Long.parseUnsignedLong(effective.group(1), 16);
    return CAPABILITIES.stream().allMatch(number -> (bits >>> number & 1) == 1);
  }

  /**
   * Creates hosts with links of unlimited rate, after removing the networks of killed JVMs.
   *
   * @param dataNodes 1 to 200
   * @throws ClusterException if that is impossible here
   */
  public static NetworkHosts create(int dataNodes) throws IOException {
    if (dataNodes < 1 || dataNodes > MAX_DATA_NODES) {
      throw new IllegalArgumentException("DataNodes: " + dataNodes + "; 1 to " + MAX_DATA_NODES);
    }
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      throw new ClusterException(obstacle.get());
    }
    removeLeftovers();
    NetworkHosts hosts = new NetworkHosts(lease(), dataNodes);
    Runtime.getRuntime().addShutdownHook(hosts.hook);
    try {
      hosts.build();
    } catch (IOException e) {
      try {
        hosts.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
    return hosts;
  }

  private static NetworkLease lease() throws IOException {
    for (int number = 0; number < NetworkLease.COUNT; number++) {
      if (!isInUse(subnet(number))) {
        Optional<NetworkLease> lease = NetworkLease.of(LEASES, number);
        if (lease.isPresent()) {
          return lease.get();
        }
      }
    }
    throw new ClusterException("All " + NetworkLease.COUNT + " networks are in use");
  }

  private static boolean isInUse(String subnet) throws IOException {
    return Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
        .flatMap(NetworkInterface::inetAddresses)
        .anyMatch(address -> address.getHostAddress().startsWith(subnet));
  }

  private static String subnet(int number) {
    return "198.18." + number + ".";
  }

  private static String name(int number, String host) {
    return PREFIX + number + "-" + host;
  }

  private String namespace(String host) {
    return name(lease.number(), host);
  }

  /** Returns the name of the interface here, with which the namespaces' names begin. */
  String name() {
    return PREFIX + lease.number();
  }

  private List<String> hostNames() {
    return Stream.concat(
            Stream.of(NAME_NODE), IntStream.range(0, dataNodes).mapToObj(i -> DATA_NODE + i))
        .toList();
  }

  private String address(String host) {
    int last =
        host.equals(NAME_NODE)
            ? 2
            : FIRST_DATA_NODE_ADDRESS + Integer.parseInt(host.substring(DATA_NODE.length()));
    return subnet(lease.number()) + last;
  }

  private void build() throws IOException {
    String hub = namespace(SWITCH);
    ip("netns add " + hub);
    ip("link add " + name() + " type veth peer name uplink netns " + hub);
    ip("link set " + name() + " addrgenmode none");
    ip("addr add " + subnet(lease.number()) + "1/24 dev " + name());
    ip("link set " + name() + " up");
    ip("-n " + hub + " link add bridge type bridge mcast_snooping 0");
    ip("-n " + hub + " link set bridge addrgenmode none up");
    ip("-n " + hub + " link set uplink master bridge addrgenmode none up");
    for (String host : hostNames()) {
      String space = namespace(host);
      ip("netns add " + space);
      ip(
          String.format(
              "link add %s netns %s type veth peer name %s netns %s", INTERFACE, space, host, hub));
      ip("-n " + hub + " link set " + host + " master bridge addrgenmode none up");
      ip("-n " + space + " link set lo up");
      ip("-n " + space + " link set " + INTERFACE + " addrgenmode none");
      ip("-n " + space + " addr add " + address(host) + "/24 dev " + INTERFACE);
      ip("-n " + space + " link set " + INTERFACE + " up");
      setCongestionControl(space);
    }
  }

  private static void setCongestionControl(String space) throws IOException {
    if (List.of(Files.readString(CONGESTION_CONTROLS).trim().split(" ", -1))
        .contains(CONGESTION_CONTROL)) {
      SystemCommand.run(
          List.of(
              "ip",
              "netns",
              "exec",
              space,
              "sh",
              "-c",
              "echo " + CONGESTION_CONTROL + " > /proc/sys/net/ipv4/tcp_congestion_control"));
    }
  }

  /**
   * Limits both directions of every link, with a queue of up to 50 ms; also for open connections.
   *
   * @param bitsPerSecond 1 Mbit/s to 100 Gbit/s
   */
  public void limitRate(long bitsPerSecond) throws IOException {
    if (bitsPerSecond < MIN_RATE || bitsPerSecond > MAX_RATE) {
      throw new IllegalArgumentException(
          "Rate: " + bitsPerSecond + " bit/s; " + MIN_RATE + " to " + MAX_RATE);
    }
    setQueues("tbf rate " + bitsPerSecond + "bit burst " + BURST + " latency " + QUEUE);
  }

  /** Ends the limit of {@link #limitRate}. */
  public void unlimitRate() throws IOException {
    setQueues("noqueue");
  }

  private void setQueues(String kind) throws IOException {
    for (String host : hostNames()) {
      tc("-n " + namespace(host) + " qdisc replace dev " + INTERFACE + " root " + kind);
      tc("-n " + namespace(SWITCH) + " qdisc replace dev " + host + " root " + kind);
    }
  }

  @Override
  public Host nameNode() {
    return host(NAME_NODE);
  }

  @Override
  public Host dataNode(int index) {
    if (index < 0 || index >= dataNodes) {
      throw new IndexOutOfBoundsException("DataNode " + index + " of " + dataNodes);
    }
    return host(DATA_NODE + index);
  }

  private Host host(String host) {
    return new Host(address(host), List.of("ip", "netns", "exec", namespace(host)));
  }

  /** Returns the traffic over the link of each DataNode's host, by index. */
  public List<LinkCounters> dataNodeLinks() throws IOException {
    List<LinkCounters> links = new ArrayList<>();
    for (int i = 0; i < dataNodes; i++) {
      links.add(link(DATA_NODE + i));
    }
    return links;
  }

  private LinkCounters link(String host) throws IOException {
    return counters(ip("-n " + namespace(host) + " -s -j link show dev " + INTERFACE));
  }

  static LinkCounters counters(String json) throws IOException {
    JsonNode link = MAPPER.readTree(json).path(0).path("stats64");
    if (!link.path("tx").path("bytes").isIntegralNumber()) {
      throw new ClusterException("No counters in what ip printed: " + json);
    }
    return new LinkCounters(
        link.path("tx").path("bytes").asLong(),
        link.path("rx").path("bytes").asLong(),
        link.path("tx").path("packets").asLong(),
        link.path("rx").path("packets").asLong());
  }

  /** Removes the networks of JVMs that have ended without doing so. */
  static void removeLeftovers() throws IOException {
    Set<Integer> numbers = new TreeSet<>();
    try (Stream<Path> interfaces = Files.list(Path.of("/sys/class/net"))) {
      Stream.concat(interfaces.map(path -> path.getFileName().toString()), namespaces().stream())
          .map(OURS::matcher)
          .filter(Matcher::matches)
          .map(name -> Integer.parseInt(name.group(1)))
          .filter(number -> number < NetworkLease.COUNT)
          .forEach(numbers::add);
    }
    for (int number : numbers) {
      Optional<NetworkLease> lease = NetworkLease.of(LEASES, number);
      if (lease.isPresent()) {
        try (NetworkLease held = lease.get()) {
          remove(held.number());
        }
      }
    }
  }

  private static List<String> namespaces() throws IOException {
    return ip("netns list").lines().map(line -> line.split(" ", 2)[0]).toList();
  }

  private static void remove(int number) throws IOException {
    List<String> spaces =
        namespaces().stream().filter(space -> space.startsWith(name(number, ""))).toList();
    for (String space : spaces) {
      kill(space);
    }
    // Both ends vanish at once; a namespace's end alone would vanish some time after it.
    if (Files.exists(Path.of("/sys/class/net", PREFIX + number))) {
      ip("link del " + PREFIX + number);
    }
    for (String space : spaces) {
      ip("netns del " + space);
    }
  }

  private static void kill(String space) throws IOException {
    Waiting.until(
        KILL_PATIENCE,
        () -> {
          List<Long> processes =
              ip("netns pids " + space)
                  .lines()
                  .filter(line -> !line.isBlank())
                  .map(line -> Long.valueOf(line.strip()))
                  .toList();
          processes.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
          return processes.isEmpty();
        },
        () -> "Processes in network namespace " + space + " can't be killed");
  }

  private static String ip(String arguments) throws IOException {
    return run("ip", arguments);
  }

  private static void tc(String arguments) throws IOException {
    run("tc", arguments);
  }

  private static String run(String program, String arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(Arrays.asList(arguments.split(" ", -1)));
    return SystemCommand.run(command);
  }

  private void onShutdown() {
    try {
      remove(lease.number());
    } catch (IOException | UncheckedIOException e) {
      System.err.println("Can't remove the network " + name() + ": " + e.getMessage());
    }
  }

  /** Leaves everything behind, like a killed JVM. */
  void abandon() throws IOException {
    Runtime.getRuntime().removeShutdownHook(hook);
    lease.close();
  }

  /** Kills processes that still run on the hosts, and removes the hosts. */
  @Override
  public void close() throws IOException {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending: the hook does it.
      return;
    }
    try (lease) {
      remove(lease.number());
    }
  }
}
