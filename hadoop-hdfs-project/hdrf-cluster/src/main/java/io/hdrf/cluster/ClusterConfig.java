/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * The configuration of a {@link LocalCluster}. Immutable: each {@code with…} returns a changed
 * copy. Kept in {@code cluster.properties} in the cluster's directory.
 */
public final class ClusterConfig {
  /** The file below the cluster's directory. */
  static final String FILE = "cluster.properties";

  private static final String METRICS_PERIOD = "metrics.period.millis";
  private static final int MAX_DATANODES = 100;
  private static final Pattern ONE_DATANODE = Pattern.compile("datanode-\\d+:");

  private final Path directory;

  // Changed only in a copy that no caller has yet.
  private int dataNodes = 3;
  private int volumes = 1;
  private int replication = 3;
  private boolean stock;
  private String schemes = "lz4";
  private String hadoop = "";
  private String nameNodeHeap = "512m";
  private String dataNodeHeap = "1g";
  private Duration metricsPeriod = LocalCluster.METRICS_PERIOD;
  private Map<String, String> site = Map.of();

  private ClusterConfig(Path directory) {
    this.directory = directory;
  }

  private ClusterConfig(ClusterConfig other) {
    directory = other.directory;
    dataNodes = other.dataNodes;
    volumes = other.volumes;
    replication = other.replication;
    stock = other.stock;
    schemes = other.schemes;
    hadoop = other.hadoop;
    nameNodeHeap = other.nameNodeHeap;
    dataNodeHeap = other.dataNodeHeap;
    metricsPeriod = other.metricsPeriod;
    site = other.site;
  }

  private ClusterConfig changed(Consumer<ClusterConfig> change) {
    ClusterConfig copy = new ClusterConfig(this);
    change.accept(copy);
    return copy;
  }

  /**
   * Returns a configuration with three DataNodes of one volume each, replication 3, scheme {@code
   * lz4}.
   */
  public static ClusterConfig in(Path directory) {
    return new ClusterConfig(directory.toAbsolutePath().normalize());
  }

  /** Sets the number of DataNodes, 1 to 100. */
  public ClusterConfig withDataNodes(int count) {
    if (count < 1 || count > MAX_DATANODES) {
      throw new IllegalArgumentException("DataNodes: " + count + "; 1 to " + MAX_DATANODES);
    }
    return changed(copy -> copy.dataNodes = count);
  }

  /** Sets the number of volumes (data directories) of each DataNode, at least 1. */
  public ClusterConfig withVolumes(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("Volumes: " + count + "; at least 1");
    }
    return changed(copy -> copy.volumes = count);
  }

  /**
   * Sets the replicas of each block, at least 1; never more than DataNodes ({@link
   * #replication()}).
   */
  public ClusterConfig withReplication(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("Replication: " + count + "; at least 1");
    }
    return changed(copy -> copy.replication = count);
  }

  /** Sets whether DataNodes run without HDRF. */
  public ClusterConfig withStock(boolean value) {
    return changed(copy -> copy.stock = value);
  }

  /** Sets the value of {@code hdrf.schemes}; may be empty. */
  public ClusterConfig withSchemes(String value) {
    return changed(copy -> copy.schemes = value);
  }

  /** Sets the version of Hadoop to run, or empty for that of the caller's runtime. */
  public ClusterConfig withHadoop(String version) {
    return changed(copy -> copy.hadoop = version);
  }

  /** Sets heap limits in the form of {@code -Xmx}. */
  public ClusterConfig withHeaps(String nameNode, String dataNode) {
    return changed(
        copy -> {
          copy.nameNodeHeap = nameNode;
          copy.dataNodeHeap = dataNode;
        });
  }

  /**
   * Sets the greatest age of the values at {@code /jmx}, at least 1 ms: {@link
   * LocalCluster#METRICS_PERIOD} unless something shorter is to be timed by it.
   */
  public ClusterConfig withMetricsPeriod(Duration period) {
    if (period.toMillis() < 1) {
      throw new IllegalArgumentException("Metrics period: " + period + "; at least 1 ms");
    }
    return changed(copy -> copy.metricsPeriod = period);
  }

  /**
   * Sets a property for the cluster's {@code hdfs-site.xml}; it overrides HDRF's value. A name
   * {@code datanode-N:name} sets the property {@code name} of one DataNode only.
   */
  public ClusterConfig with(String name, String value) {
    Map<String, String> more = new TreeMap<>(site);
    more.put(name, value);
    return changed(copy -> copy.site = Collections.unmodifiableMap(more));
  }

  /**
   * Sets a property for one DataNode only; it overrides the cluster's. The same as {@link #with}
   * for the name {@code datanode-N:name}.
   *
   * @param index of the DataNode, from 0
   */
  public ClusterConfig withDataNodeProperty(int index, String name, String value) {
    return with(dataNodePrefix(index) + name, value);
  }

  private static String dataNodePrefix(int index) {
    return "datanode-" + index + ":";
  }

  public Path directory() {
    return directory;
  }

  public int dataNodes() {
    return dataNodes;
  }

  public int volumes() {
    return volumes;
  }

  /** Returns the replicas of each block: as requested, but at most the number of DataNodes. */
  public int replication() {
    return Math.min(replication, dataNodes);
  }

  public boolean stock() {
    return stock;
  }

  public String schemes() {
    return schemes;
  }

  /** Returns the version of Hadoop, or empty. */
  public String hadoop() {
    return hadoop;
  }

  public String nameNodeHeap() {
    return nameNodeHeap;
  }

  public String dataNodeHeap() {
    return dataNodeHeap;
  }

  public Duration metricsPeriod() {
    return metricsPeriod;
  }

  /** Returns the properties given by {@link #with}, sorted; not those for one DataNode. */
  public Map<String, String> site() {
    Map<String, String> shared = new TreeMap<>(site);
    shared.keySet().removeIf(name -> ONE_DATANODE.matcher(name).lookingAt());
    return shared;
  }

  /** Returns the properties for one DataNode only, sorted. */
  public Map<String, String> dataNodeSite(int index) {
    String prefix = dataNodePrefix(index);
    Map<String, String> own = new TreeMap<>();
    site.forEach(
        (name, value) -> {
          if (name.startsWith(prefix)) {
            own.put(name.substring(prefix.length()), value);
          }
        });
    return own;
  }

  /** Returns whether {@code directory} holds a cluster. */
  public static boolean exists(Path directory) {
    return Files.isRegularFile(directory.resolve(FILE));
  }

  /**
   * Reads the configuration kept in {@code directory}.
   *
   * @throws ClusterException if there is none or it can't be understood
   */
  public static ClusterConfig load(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      throw new ClusterException("No cluster in " + directory + " (no " + FILE + ")");
    }
    Properties kept = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      kept.load(in);
    }
    try {
      ClusterConfig config =
          in(directory)
              .withDataNodes(Integer.parseInt(kept.getProperty("datanodes")))
              .withVolumes(Integer.parseInt(kept.getProperty("volumes")))
              .withReplication(Integer.parseInt(kept.getProperty("replication")))
              .withStock(Boolean.parseBoolean(kept.getProperty("stock")))
              .withSchemes(kept.getProperty("schemes", ""))
              .withHadoop(kept.getProperty("hadoop", ""))
              .withHeaps(
                  kept.getProperty("heap.namenode", "512m"),
                  kept.getProperty("heap.datanode", "1g"))
              .withMetricsPeriod(
                  Duration.ofMillis(
                      Long.parseLong(
                          kept.getProperty(
                              METRICS_PERIOD, "" + LocalCluster.METRICS_PERIOD.toMillis()))));
      for (String name : kept.stringPropertyNames()) {
        if (name.startsWith("site.")) {
          config = config.with(name.substring("site.".length()), kept.getProperty(name));
        }
      }
      return config;
    } catch (IllegalArgumentException e) {
      throw new ClusterException("Can't understand " + file + ": " + e.getMessage(), e);
    }
  }

  void save() throws IOException {
    store(toProperties(), directory.resolve(FILE), "HDRF local cluster");
  }

  private Properties toProperties() {
    Properties kept = new Properties();
    kept.setProperty("datanodes", Integer.toString(dataNodes));
    kept.setProperty("volumes", Integer.toString(volumes));
    kept.setProperty("replication", Integer.toString(replication));
    kept.setProperty("stock", Boolean.toString(stock));
    kept.setProperty("schemes", schemes);
    kept.setProperty("hadoop", hadoop);
    kept.setProperty("heap.namenode", nameNodeHeap);
    kept.setProperty("heap.datanode", dataNodeHeap);
    kept.setProperty(METRICS_PERIOD, Long.toString(metricsPeriod.toMillis()));
    site.forEach((name, value) -> kept.setProperty("site." + name, value));
    return kept;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClusterConfig config
        && directory.equals(config.directory)
        && toProperties().equals(config.toProperties());
  }

  @Override
  public int hashCode() {
    return directory.hashCode();
  }

  @Override
  public String toString() {
    return directory + " " + toProperties();
  }

  /** Writes a properties file so that an interrupt leaves the old one or the new one. */
  static void store(Properties properties, Path file, String comment) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try (OutputStream out = Files.newOutputStream(fresh)) {
      properties.store(out, comment);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
