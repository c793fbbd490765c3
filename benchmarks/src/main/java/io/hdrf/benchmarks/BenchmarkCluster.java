/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.Hosts;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.MetadataServers;
import io.hdrf.cluster.ProcessGuard;
import io.hdrf.cluster.Waiting;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * A cluster that begins without data, with a Redis for each DataNode that needs one, and a client
 * of it. What it leaves below its directory stays there until the next one. For one thread.
 */
public final class BenchmarkCluster implements Closeable {

  /** Stock HDFS, where a chain can be named. */
  public static final String STOCK = "stock";

  /** The clients' key for readers of replicas, whose jars they need then. */
  static final String READERS = "dfs.client.replica.accessor.builder.classes";

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final ProcessGuard guard;
  private final MetadataServers servers;
  private final LocalCluster cluster;
  private final DistributedFileSystem fileSystem;

  /**
   * The settings that benchmarks share.
   *
   * @param variant {@link #STOCK}, a chain, or a chain and a metadata store as {@code lz4@redis}
   */
  public static ClusterConfig config(
      java.nio.file.Path directory, String variant, int dataNodes, int replication) {
    ClusterConfig config =
        ClusterConfig.in(directory)
            .withDataNodes(dataNodes)
            .withReplication(replication)
            .withHeaps("512m", "1g")
            // Between two rounds the blocks of the first are deleted.
            .with("dfs.heartbeat.interval", "1")
            .with("dfs.namenode.redundancy.interval.seconds", "1");
    if (variant.equals(STOCK)) {
      return config.withStock(true);
    }
    String[] chainAndStore = variant.split("@", 2);
    config = config.withSchemes(chainAndStore[0]);
    return chainAndStore.length < 2 ? config : config.with("hdrf.metadata.store", chainAndStore[1]);
  }

  /**
   * Has clients on the DataNode's host read by short circuit, those of a cluster with a chain with
   * HDRF's client; {@code LD_LIBRARY_PATH} has to name the directory of Hadoop's native library.
   *
   * @param config of one DataNode
   * @param socket the DataNode's domain socket; HDFS wants a directory that only its owner can
   *     write to, and so on up to the root
   */
  public static ClusterConfig withLocalReads(ClusterConfig config, java.nio.file.Path socket) {
    ClusterConfig local =
        config
            .with("dfs.client.read.shortcircuit", "true")
            .with("dfs.domain.socket.path", socket.toString());
    return config.stock()
        ? local
        : local
            .with("hdrf.read.short-circuit.pass", "true")
            .with(READERS, "io.hdrf.client.HdrfReplicaAccessorBuilder");
  }

  /** More settings. */
  static ClusterConfig with(ClusterConfig config, Map<String, String> settings) {
    ClusterConfig changed = config;
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      changed = changed.with(setting.getKey(), setting.getValue());
    }
    return changed;
  }

  /** A client of the cluster whose configuration is in a directory. */
  static DistributedFileSystem client(java.nio.file.Path conf) throws IOException {
    Configuration configuration = new Configuration();
    for (String file : List.of("core-site.xml", "hdfs-site.xml")) {
      configuration.addResource(new Path(conf.resolve(file).toUri()));
    }
    return (DistributedFileSystem) FileSystem.newInstance(configuration);
  }

  /** Starts a cluster on loopback. */
  public BenchmarkCluster(ClusterConfig config) throws IOException {
    this(config, Hosts.LOOPBACK);
  }

  /**
   * Starts a cluster.
   *
   * @param config its directory is emptied, and what still runs there is killed
   * @param hosts stay the caller's, who keeps them until the cluster is closed
   */
  public BenchmarkCluster(ClusterConfig config, Hosts hosts) throws IOException {
    guard = new ProcessGuard(List.of(config.directory()));
    try {
      guard.killLeftovers();
      Directories.delete(config.directory());
      servers = new MetadataServers(config);
      cluster = LocalCluster.create(servers.start(), runtime(config), hosts);
      cluster.start();
      fileSystem = client(cluster.conf());
    } catch (IOException | RuntimeException e) {
      guard.close();
      throw e;
    }
  }

  private static HadoopRuntime runtime(ClusterConfig config) throws IOException {
    HadoopRuntime runtime = runtime(config.hadoop());
    return needsClientJars(config) ? runtime.withJars(clientJars()) : runtime;
  }

  private static boolean needsClientJars(ClusterConfig config) {
    return config.site().containsKey(READERS);
  }

  /** Whether clients need HDRF's jars. */
  public boolean needsClientJars() {
    return needsClientJars(cluster.config());
  }

  /** HDRF's jars for clients. */
  public static java.nio.file.Path clientJars() {
    return Directories.dist().resolve("client");
  }

  private static HadoopRuntime runtime(String version) throws IOException {
    if (version.isEmpty()) {
      return HadoopRuntime.ofDist(Directories.dist());
    }
    java.nio.file.Path jars = Directories.work("hadoop-" + version);
    if (!Files.isDirectory(jars)) {
      throw new IOException(
          "Hadoop " + version + " is not in " + jars + ": 'bin/hdrf demo --hadoop' fetches it");
    }
    return HadoopRuntime.ofJars(jars, Directories.dist());
  }

  public LocalCluster cluster() {
    return cluster;
  }

  public DistributedFileSystem fileSystem() {
    return fileSystem;
  }

  /** Waits until nothing is left to reduce. */
  public void awaitReduced() throws IOException {
    cluster.awaitReduced(LocalCluster.PATIENCE, pending -> {});
  }

  /** Has all blocks reduced, containers sealed and the index written. */
  void settle() throws IOException {
    awaitReduced();
    cluster.restartDataNodes();
    awaitReduced();
  }

  /** Waits until the DataNodes have as many blocks. */
  void awaitBlocks(long count) throws IOException {
    Waiting.until(
        PATIENCE,
        () -> cluster.diskUsage().blocks() == count,
        () -> "There were not " + count + " blocks after " + PATIENCE);
  }

  /** Bytes of block files and of HDRF's own on all DataNodes, as they are now. */
  public long physicalBytes() throws IOException {
    return cluster.diskUsage().physicalBytes();
  }

  @Override
  public void close() throws IOException {
    try {
      fileSystem.close();
      cluster.stop();
      servers.stop();
    } finally {
      guard.close();
    }
  }
}
