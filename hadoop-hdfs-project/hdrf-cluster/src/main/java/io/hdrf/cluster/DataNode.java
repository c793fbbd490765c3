/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A DataNode of a {@link LocalCluster}. */
public final class DataNode extends Daemon {
  private static final String MAIN = "org.apache.hadoop.hdfs.server.datanode.DataNode";

  private final LocalCluster cluster;
  private final int index;
  private Optional<HadoopRuntime> otherRuntime = Optional.empty();

  DataNode(LocalCluster cluster, int index) {
    super("DataNode " + index, cluster.config().directory().resolve("datanode-" + index));
    this.cluster = cluster;
    this.index = index;
  }

  /** From 0. */
  public int index() {
    return index;
  }

  /** Where it runs. */
  public Host host() {
    return cluster.hosts().dataNode(index);
  }

  /** Its data directories, as in {@code dfs.datanode.data.dir}. */
  public List<Path> volumes() {
    return IntStream.range(0, cluster.config().volumes())
        .mapToObj(volume -> directory().resolve("data-" + volume))
        .toList();
  }

  /** What it runs on from its next start on, in the place of the cluster's. Not kept on disk. */
  public void runOn(HadoopRuntime runtime) {
    otherRuntime = Optional.of(runtime);
  }

  /** Starts it and returns before it has registered; see {@link LocalCluster#awaitReady}. */
  public void start() throws IOException {
    ClusterConfig config = cluster.config();
    HadoopRuntime runtime = otherRuntime.orElseGet(cluster::runtime);
    String key = "datanode-" + index;
    List<String> program = new ArrayList<>(List.of(MAIN));
    program.add(
        "-Ddfs.datanode.data.dir="
            + volumes().stream()
                .map(volume -> volume.toUri().toString())
                .collect(Collectors.joining(",")));
    program.add("-Ddfs.datanode.hostname=" + host().address());
    for (String service : List.of("data", "ipc", "http")) {
      program.add(
          "-Ddfs.datanode."
              + (service.equals("data") ? "" : service + ".")
              + "address="
              + host().address()
              + ":"
              + cluster.freePort(key + "." + service));
    }
    otherRuntime
        .flatMap(HadoopRuntime::plugins)
        .ifPresent(plugins -> program.add("-Dhdrf.plugins.dir=" + plugins));
    config.dataNodeSite(index).forEach((name, value) -> program.add("-D" + name + "=" + value));
    launch(
        host(),
        runtime,
        config.stock()
            ? runtime.classPath(cluster.conf())
            : runtime.dataNodeClassPath(cluster.conf()),
        List.of("-Xmx" + config.dataNodeHeap(), "-Dproc_datanode"),
        program);
  }

  /** Where it takes and gives blocks, as {@code address:port}. */
  public String dataAddress() throws IOException {
    return host().address() + ":" + cluster.port("datanode-" + index + ".data");
  }

  /** Where its IPC server listens. */
  public InetSocketAddress ipcAddress() throws IOException {
    return new InetSocketAddress(
        InetAddress.getByName(host().address()), cluster.port("datanode-" + index + ".ipc"));
  }

  public Jmx jmx() throws IOException {
    return new Jmx(host().address(), cluster.port("datanode-" + index + ".http"));
  }

  /** Whether it answers, has registered with the NameNode and has sent its block report. */
  public boolean isServing() {
    try {
      JsonNode actors =
          Jmx.embedded(
              jmx().bean("Hadoop:service=DataNode,name=DataNodeInfo").path("BPServiceActorInfo"));
      for (JsonNode actor : actors) {
        if (actor.path("ActorState").asText().equals("RUNNING")) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false;
    }
  }

  /** HDRF's metrics: the beans whose names begin with {@code Hdrf}; none on a stock DataNode. */
  public List<JsonNode> hdrfMetrics() throws IOException {
    return jmx().query("Hadoop:service=DataNode,name=Hdrf*");
  }

  /**
   * How many blocks wait to be reduced or are in work.
   *
   * @throws ClusterException if it does not run HDRF
   */
  public long pendingReductions() throws IOException {
    List<JsonNode> beans = hdrfMetrics();
    if (beans.isEmpty()) {
      throw new ClusterException(name() + " has no metrics of HDRF; see " + log());
    }
    return beans.stream().mapToLong(bean -> bean.path("Pending").asLong()).sum();
  }

  /** What its volumes hold now. */
  public DiskUsage diskUsage() throws IOException {
    return DiskUsage.of(volumes());
  }
}
