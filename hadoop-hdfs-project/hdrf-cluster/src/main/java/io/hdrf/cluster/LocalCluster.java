/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A NameNode and DataNodes as separate processes, on loopback or on {@link NetworkHosts}, with all
 * their files below one directory:
 *
 * <pre>
 * cluster.properties  ports.properties  conf/  web/  tmp/
 * namenode/     pid  log  out  data/
 * datanode-0/   pid  log  out  data-0/  data-1/ …
 * job-…/        pid  log  out
 * redis-…/      pid  out  redis.conf  data/    where the caller starts a RedisServer
 * </pre>
 *
 * On loopback, daemons outlive this object and this JVM: {@link #stop} ends them, {@link #open}
 * finds them again. For one thread at a time.
 */
public final class LocalCluster {
  /** The class that a DataNode's {@code dfs.datanode.fsdataset.factory} names. */
  public static final String FACTORY =
      "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasetFactory";

  /** Long enough for a machine that builds something else at the same time. */
  public static final Duration PATIENCE = Duration.ofMinutes(3);

  /** The greatest age of HDRF's values at {@code /jmx}. */
  public static final Duration METRICS_PERIOD = Duration.ofMillis(500);

  private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);

  private final ClusterConfig config;
  private final HadoopRuntime runtime;
  private final Hosts hosts;
  private final Ports ports;
  private final NameNode nameNode;
  private final List<DataNode> dataNodes;

  private LocalCluster(ClusterConfig config, HadoopRuntime runtime, Hosts hosts)
      throws IOException {
    this.config = config;
    this.runtime = runtime;
    this.hosts = hosts;
    Files.createDirectories(config.directory());
    this.ports = new Ports(config.directory().resolve("ports.properties"));
    this.nameNode = new NameNode(this);
    this.dataNodes =
        IntStream.range(0, config.dataNodes()).mapToObj(i -> new DataNode(this, i)).toList();
  }

  /** {@link #create(ClusterConfig, HadoopRuntime, Hosts)} on loopback. */
  public static LocalCluster create(ClusterConfig config, HadoopRuntime runtime)
      throws IOException {
    return create(config, runtime, Hosts.LOOPBACK);
  }

  /**
   * Creates a cluster by {@code config}, on the data in its directory, if any. Starts nothing.
   *
   * @param hosts stay the caller's, who keeps them for as long as the cluster runs
   * @throws ClusterException if the directory holds a cluster that ran with HDRF and {@code config}
   *     is stock: a stock DataNode would report every reduced block corrupt; or if it ran another
   *     version of Hadoop, which HDFS changes by an upgrade only
   */
  public static LocalCluster create(ClusterConfig config, HadoopRuntime runtime, Hosts hosts)
      throws IOException {
    if (ClusterConfig.exists(config.directory())) {
      ClusterConfig before = ClusterConfig.load(config.directory());
      if (config.stock() && !before.stock()) {
        throw new ClusterException(
            "The cluster in "
                + config.directory()
                + " has run with HDRF: a stock DataNode would report its reduced blocks corrupt."
                + " Use another directory for a stock cluster.");
      }
      if (!config.hadoop().equals(before.hadoop())) {
        throw new ClusterException(
            "The cluster in "
                + config.directory()
                + " has run on "
                + (before.hadoop().isEmpty() ? "another Hadoop" : "Hadoop " + before.hadoop())
                + ". Use another directory for another version.");
      }
      if (config.volumes() < before.volumes()) {
        throw new ClusterException(
            "The cluster in " + config.directory() + " has " + before.volumes() + " volumes");
      }
    }
    LocalCluster cluster = new LocalCluster(config, runtime, hosts);
    config.save();
    return cluster;
  }

  /** Opens the cluster on loopback in a directory, running or not. */
  public static LocalCluster open(Path directory, HadoopRuntime runtime) throws IOException {
    return new LocalCluster(
        ClusterConfig.load(directory.toAbsolutePath().normalize()), runtime, Hosts.LOOPBACK);
  }

  /**
   * Kills processes that still run in a cluster's directory, whatever is left of its files; for a
   * run that itself was killed.
   */
  public static void killLeftovers(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    List<Path> children;
    try (Stream<Path> list = Files.list(directory)) {
      children = list.toList();
    }
    for (Path child : children) {
      if (Files.exists(child.resolve("pid"))) {
        daemonIn(child).kill();
      }
    }
  }

  private static Daemon daemonIn(Path directory) throws IOException {
    return RedisServer.livesIn(directory)
        ? new RedisServer(directory)
        : new Daemon(directory.getFileName().toString(), directory);
  }

  public ClusterConfig config() {
    return config;
  }

  public HadoopRuntime runtime() {
    return runtime;
  }

  /** Returns the hosts of its processes. */
  public Hosts hosts() {
    return hosts;
  }

  /**
   * Returns the directory with {@code core-site.xml} and {@code hdfs-site.xml}, for any Hadoop
   * client.
   */
  public Path conf() {
    return config.directory().resolve("conf");
  }

  public NameNode nameNode() {
    return nameNode;
  }

  public List<DataNode> dataNodes() {
    return dataNodes;
  }

  /** Returns {@code hdfs://ADDRESS:PORT}; known once the cluster has been started. */
  public String uri() throws IOException {
    return nameNode.uri();
  }

  int port(String name) throws IOException {
    int port = ports.get(name);
    if (port < 0) {
      throw new ClusterException("The cluster in " + config.directory() + " was never started");
    }
    return port;
  }

  int freePort(String name) throws IOException {
    return ports.free(name);
  }

  /** Starts the daemons that don't run, and returns once the cluster can be written to. */
  public void start() throws IOException {
    if (!nameNode.isAlive()) {
      freePort("namenode.rpc");
      freePort("namenode.http");
    }
    writeConf();
    if (!nameNode.isAlive()) {
      nameNode.start();
    }
    for (DataNode dataNode : dataNodes) {
      if (!dataNode.isAlive()) {
        dataNode.start();
      }
    }
    awaitReady();
  }

  /** Returns once all daemons run, all DataNodes are registered, and safe mode is over. */
  public void awaitReady() throws IOException {
    Waiting.until(
        PATIENCE,
        () -> {
          for (Daemon daemon : daemons()) {
            if (!daemon.isAlive()) {
              throw new ClusterException(
                  daemon.name() + " ended while it was starting:\n" + daemon.lastWords());
            }
          }
          return nameNode.isServing()
              && nameNode.liveDataNodes() >= config.dataNodes()
              && dataNodes.stream().allMatch(DataNode::isServing);
        },
        () -> "The cluster was not ready in " + PATIENCE.toSeconds() + " s; see " + directory());
  }

  private Path directory() {
    return config.directory();
  }

  private List<Daemon> daemons() {
    List<Daemon> all = new ArrayList<>(dataNodes);
    all.add(nameNode);
    return all;
  }

  /** Returns whether any daemon runs. */
  public boolean isRunning() throws IOException {
    for (Daemon daemon : daemons()) {
      if (daemon.isAlive()) {
        return true;
      }
    }
    return false;
  }

  /** Ends all daemons in order, and kills those that won't end. */
  public void stop() throws IOException {
    stopDataNodes();
    nameNode.stop(STOP_PATIENCE);
  }

  /** Ends the DataNodes, all at the same time. */
  public void stopDataNodes() throws IOException {
    for (DataNode dataNode : dataNodes) {
      dataNode.signal();
    }
    for (DataNode dataNode : dataNodes) {
      dataNode.stop(STOP_PATIENCE);
    }
  }

  /** Stops all DataNodes, starts them again and returns once they serve. */
  public void restartDataNodes() throws IOException {
    stopDataNodes();
    for (DataNode dataNode : dataNodes) {
      dataNode.start();
    }
    awaitReady();
  }

  /** Sends SIGKILL to all processes in the directory, jobs too. */
  public void kill() throws IOException {
    killLeftovers(directory());
  }

  /** Returns the present disk usage of all DataNodes. */
  public DiskUsage diskUsage() throws IOException {
    DiskUsage sum = DiskUsage.NONE;
    for (DataNode dataNode : dataNodes) {
      sum = sum.plus(dataNode.diskUsage());
    }
    return sum;
  }

  /**
   * Returns once no block waits for a Reducer or is being reduced, on any DataNode; at once on a
   * stock cluster. Values at {@code /jmx} are up to {@link ClusterConfig#metricsPeriod} old, so
   * this returns one to two periods after the last block was done.
   *
   * @param pending receives the number of remaining blocks, repeatedly
   */
  public void awaitReduced(Duration limit, LongConsumer pending) throws IOException {
    if (config.stock()) {
      return;
    }
    // System.nanoTime() may be negative: empty means busy.
    OptionalLong[] idleSince = {OptionalLong.empty()};
    Waiting.until(
        limit,
        () -> {
          long left = 0;
          for (DataNode dataNode : dataNodes) {
            left += dataNode.pendingReductions();
          }
          pending.accept(left);
          long now = System.nanoTime();
          if (left > 0) {
            idleSince[0] = OptionalLong.empty();
          } else if (idleSince[0].isEmpty()) {
            idleSince[0] = OptionalLong.of(now);
          }
          return idleSince[0].isPresent()
              && now - idleSince[0].getAsLong() > 2 * config.metricsPeriod().toNanos();
        },
        () -> "Blocks were still being reduced after " + limit.toSeconds() + " s");
  }

  /**
   * Starts a Hadoop program on this cluster, on the host for clients.
   *
   * @param name names the directory {@code job-NAME} for its log and output
   * @param mainClass for instance {@code org.apache.hadoop.examples.ExampleDriver}
   */
  public Job submit(String name, String heap, String mainClass, List<String> arguments)
      throws IOException {
    Job job = new Job(name, directory().resolve("job-" + name), this);
    job.start(hosts.client(), List.of("-Xmx" + heap), mainClass, arguments);
    return job;
  }

  /** Returns a Hadoop program to be run on this cluster with the caller's terminal. */
  public ProcessBuilder command(String mainClass, List<String> arguments) {
    List<String> command =
        runtime.javaCommand(List.of("-Xmx512m", "-cp", runtime.classPath(conf()), mainClass));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(hosts.client().commandFor(command)).inheritIO();
    Environment.clean(builder.environment());
    return builder;
  }

  private void writeConf() throws IOException {
    Files.createDirectories(conf());
    for (String application : List.of("hdfs", "datanode")) {
      Files.createDirectories(
          directory().resolve(HadoopRuntime.WEB).resolve("webapps").resolve(application));
    }
    Map<String, String> core = new TreeMap<>();
    core.put("fs.defaultFS", uri());
    core.put("hadoop.tmp.dir", directory().resolve("tmp").toString());
    HadoopXml.write(conf().resolve("core-site.xml"), core);

    Map<String, String> hdfs = new TreeMap<>();
    String nameNodeAddress = hosts.nameNode().address();
    hdfs.put("dfs.namenode.name.dir", nameNode.storage().toUri().toString());
    hdfs.put("dfs.namenode.rpc-address", nameNodeAddress + ":" + port("namenode.rpc"));
    hdfs.put("dfs.namenode.http-address", nameNodeAddress + ":" + port("namenode.http"));
    hdfs.put("dfs.namenode.safemode.extension", "1000");
    hdfs.put("dfs.namenode.datanode.registration.ip-hostname-check", "false");
    hdfs.put("dfs.replication", Integer.toString(config.replication()));
    if (!config.stock()) {
      hdfs.put("dfs.datanode.fsdataset.factory", FACTORY);
      hdfs.put("hdrf.schemes", config.schemes().isEmpty() ? "none" : config.schemes());
      runtime.plugins().ifPresent(plugins -> hdfs.put("hdrf.plugins.dir", plugins.toString()));
    }
    hdfs.putAll(config.site());
    HadoopXml.write(conf().resolve("hdfs-site.xml"), hdfs);

    // /jmx shows values up to a period old; the default is 10 seconds.
    Files.writeString(
        conf().resolve("hadoop-metrics2.properties"),
        "*.period=1\n*.periodMillis=" + config.metricsPeriod().toMillis() + "\n");

    Map<String, String> mapReduce = new TreeMap<>();
    mapReduce.put("mapreduce.framework.name", "local");
    mapReduce.put("mapreduce.local.map.tasks.maximum", "2");
    HadoopXml.write(conf().resolve("mapred-site.xml"), mapReduce);

    try (InputStream in = LocalCluster.class.getResourceAsStream("daemon-log4j.properties")) {
      Files.copy(in, conf().resolve("log4j.properties"), StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
