/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.ProcessGuard;
import io.hdrf.cluster.Yarn;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** A cluster that applications run on. For one thread. */
final class Bed implements Closeable {

  private static final Pattern ERROR =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\S+ (?:ERROR|FATAL) (\\S+: .*)");

  private final ProcessGuard guard;
  private final LocalCluster cluster;
  private final Yarn yarn;
  private final DistributedFileSystem fs;
  private List<String> options = List.of();
  private int jobs;

  /**
   * @param withYarn whether jobs can be submitted to it
   */
  Bed(ClusterConfig config, HadoopRuntime runtime, boolean withYarn) throws IOException {
    guard = new ProcessGuard(List.of(config.directory()));
    cluster = LocalCluster.create(config, runtime);
    cluster.start();
    Configuration conf = new Configuration();
    conf.addResource(new Path(cluster.conf().resolve("core-site.xml").toUri()));
    conf.addResource(new Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    fs = (DistributedFileSystem) DistributedFileSystem.newInstance(URI.create(cluster.uri()), conf);
    yarn = withYarn ? new Yarn(cluster) : null;
    if (withYarn) {
      yarn.start();
    }
  }

  DistributedFileSystem fs() {
    return fs;
  }

  String uri() throws IOException {
    return cluster.uri();
  }

  /** Where the cluster's configuration is. */
  java.nio.file.Path conf() {
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
    return cluster.diskUsage().physicalBytes();
  }

  /** Waits until nothing is left to reduce. */
  void awaitReduced() throws IOException {
    cluster.awaitReduced(LocalCluster.PATIENCE, pending -> {});
  }

  /**
   * Errors in the logs of NameNode and DataNodes, without numbers and names, so that they can be
   * compared.
   */
  Set<String> errors() throws IOException {
    List<java.nio.file.Path> logs = new ArrayList<>();
    logs.add(cluster.nameNode().log());
    cluster.dataNodes().forEach(dataNode -> logs.add(dataNode.log()));
    Set<String> errors = new TreeSet<>();
    for (java.nio.file.Path log : logs) {
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
      fs.close();
      cluster.stop();
    } finally {
      guard.close();
    }
  }
}
