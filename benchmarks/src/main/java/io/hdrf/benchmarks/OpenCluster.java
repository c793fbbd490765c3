/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.ProcessGuard;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A fresh cluster that runs until it is closed, and a client of it. For one thread. */
final class OpenCluster implements Closeable {

  private final ProcessGuard guard;
  private final LocalCluster cluster;
  private final FileSystem fileSystem;

  /**
   * Starts the cluster.
   *
   * @param config its directory is emptied, and what still runs there is killed
   */
  OpenCluster(ClusterConfig config, HadoopRuntime runtime) throws IOException {
    LocalCluster.killLeftovers(config.directory());
    Directories.delete(config.directory());
    guard = new ProcessGuard(List.of(config.directory()));
    cluster = LocalCluster.create(config, runtime);
    cluster.start();
    cluster.awaitReady();
    Configuration conf = new Configuration();
    conf.addResource(new Path(cluster.conf().resolve("core-site.xml").toUri()));
    conf.addResource(new Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    fileSystem = FileSystem.newInstance(URI.create(cluster.uri()), conf);
  }

  LocalCluster cluster() {
    return cluster;
  }

  FileSystem fileSystem() {
    return fileSystem;
  }

  void awaitReduced() throws IOException {
    cluster.awaitReduced(LocalCluster.PATIENCE, pending -> {});
  }

  /** Has all blocks reduced, containers sealed and the index written. */
  void settle() throws IOException {
    awaitReduced();
    cluster.restartDataNodes();
    cluster.awaitReady();
    awaitReduced();
  }

  @Override
  public void close() throws IOException {
    try {
      fileSystem.close();
      cluster.stop();
    } finally {
      guard.close();
    }
  }
}
