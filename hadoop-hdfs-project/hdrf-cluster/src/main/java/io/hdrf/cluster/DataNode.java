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

  /** Returns the index, from 0. */
  public int index() {
    return index;
  }

  /** Returns the host where it runs. */
  public Host host() {
    return cluster.hosts().dataNode(index);
  }

  /** Returns its data directories, as in {@code dfs.datanode.data.dir}. */
  public List<Path> volumes() {
    return IntStream.range(0, cluster.config().volumes())
        .mapToObj(volume -> directory().resolve("data-" + volume))
        .toList();
  }

  /** Sets the runtime to use from its next start on, instead of the cluster's. Not kept on disk. */
  public void runOn(HadoopRuntime runtime) {
    otherRuntime = Optional.of(runtime);
  }

  /**
   * Starts it; returns before it has registered; see {@link LocalCluster#awaitReady}.
   *
   * @param options of its command line, such as {@code -rollback}
   */
  public void start(String... options) throws IOException {
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
    program.addAll(List.of(options));
    launch(
        host(),
        runtime,
        config.stock()
            ? runtime.classPath(cluster.conf())
            : runtime.dataNodeClassPath(cluster.conf()),
        List.of("-Xmx" + config.dataNodeHeap(), "-Dproc_datanode"),
        program);
  }

  /** Returns the address for block transfers, as {@code address:port}. */
  public String dataAddress() throws IOException {
    return host().address() + ":" + cluster.port("datanode-" + index + ".data");
  }

  /** Returns the address of its IPC server. */
  public InetSocketAddress ipcAddress() throws IOException {
    return new InetSocketAddress(
        InetAddress.getByName(host().address()), cluster.port("datanode-" + index + ".ipc"));
  }

  public Jmx jmx() throws IOException {
    return new Jmx(host().address(), cluster.port("datanode-" + index + ".http"));
  }

  /** Returns whether it answers, has registered with the NameNode and has sent its block report. */
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

  /**
   * Returns HDRF's metrics: the beans whose names begin with {@code Hdrf}; none on a stock
   * DataNode.
   */
  public List<JsonNode> hdrfMetrics() throws IOException {
    return jmx().query("Hadoop:service=DataNode,name=Hdrf*");
  }

  /**
   * Returns the number of blocks that wait to be reduced or are being reduced.
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

  /** Returns the present disk usage of its volumes. */
  public DiskUsage diskUsage() throws IOException {
    return DiskUsage.of(volumes());
  }
}
