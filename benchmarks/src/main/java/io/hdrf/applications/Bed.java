/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import io.hdrf.benchmarks.BenchmarkCluster;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.Host;
import io.hdrf.cluster.Hosts;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Yarn;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** A cluster that applications run on. For one thread. */
final class Bed implements Closeable {

  private static final Pattern ERROR =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\S+ (?:ERROR|FATAL) (\\S+: .*)");

  private final BenchmarkCluster own;
  private final LocalCluster cluster;
  private final Yarn yarn;
  private List<String> options = List.of();
  private int jobs;

  /**
   * @param hosts stay the caller's, who keeps them until this is closed
   * @param withYarn whether jobs can be submitted to it
   */
  Bed(ClusterConfig config, Hosts hosts, boolean withYarn) throws IOException {
    own = new BenchmarkCluster(config, hosts);
    cluster = own.cluster();
    yarn = withYarn ? new Yarn(cluster) : null;
    if (withYarn) {
      yarn.start();
    }
  }

  DistributedFileSystem fs() {
    return own.fileSystem();
  }

  String uri() throws IOException {
    return cluster.uri();
  }

  /** Where its jobs are submitted. */
  Host client() {
    return cluster.hosts().client();
  }

  /** Where the cluster's configuration is. */
  Path conf() {
    return cluster.conf();
  }

  /** Gives all jobs from now on these generic options. */
  void setOptions(List<String> generic) {
    options = List.copyOf(generic);
  }

  /**
   * Runs a Hadoop program to its end.
   *
   * @throws IOException with its last words if it failed
   */
  void run(String name, String mainClass, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    // The driver's first argument is the program's name.
    all.addAll(mainClass.equals(Applications.EXAMPLES) ? 1 : 0, options);
    cluster.submit(name + "-" + jobs++, "384m", mainClass, all).awaitSuccess(line -> {});
  }

  /** Bytes of block files and of HDRF's own on all DataNodes, once nothing is left to reduce. */
  long physicalBytes() throws IOException {
    awaitReduced();
    return own.physicalBytes();
  }

  /**
   * Bytes of blocks that its DataNodes have sent; what clients read by short circuit is not sent.
   */
  long bytesSent() throws IOException {
    long bytes = 0;
    for (DataNode dataNode : cluster.dataNodes()) {
      bytes +=
          dataNode
              .jmx()
              .bean("Hadoop:service=DataNode,name=DataNodeActivity-*")
              .path("BytesRead")
              .asLong();
    }
    return bytes;
  }

  /** HDRF's jars for clients, or empty where clients need none. */
  Optional<Path> clientJars() {
    return own.needsClientJars() ? Optional.of(BenchmarkCluster.clientJars()) : Optional.empty();
  }

  /** Waits until nothing is left to reduce. */
  void awaitReduced() throws IOException {
    own.awaitReduced();
  }

  /**
   * Errors in the logs of NameNode and DataNodes, without numbers and names, so that they can be
   * compared.
   */
  Set<String> errors() throws IOException {
    List<Path> logs = new ArrayList<>();
    logs.add(cluster.nameNode().log());
    cluster.dataNodes().forEach(dataNode -> logs.add(dataNode.log()));
    Set<String> errors = new TreeSet<>();
    for (Path log : logs) {
      for (String line : Files.readAllLines(log)) {
        Matcher matcher = ERROR.matcher(line);
        if (matcher.matches()) {
          errors.add(matcher.group(1).replaceAll("[0-9a-f]{8,}|\\d+|/\\S+", "#"));
        }
      }
    }
    return errors;
  }

  @Override
  public void close() throws IOException {
    try {
      if (yarn != null) {
        yarn.stop();
      }
    } finally {
      own.close();
    }
  }
}
