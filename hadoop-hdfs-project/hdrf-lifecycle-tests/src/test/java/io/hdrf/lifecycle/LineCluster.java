/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.admin.AdminClient;
import io.hdrf.admin.ReferenceReport;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.ClusterException;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.NameNode;
import io.hdrf.cluster.Waiting;
import io.hdrf.io.LiveFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.params.provider.Arguments;

/**
 * A cluster with HDRF whose daemons change their line of Hadoop. The lines are those whose jars
 * Maven has: 3.1 and 3.4, and with the profile {@code lines} 3.3 and 3.5 too. For one thread.
 */
final class LineCluster implements Closeable {

  private static final List<String> LINES = List.of("3.1", "3.3", "3.4", "3.5");
  private static final Duration STOP = Duration.ofSeconds(60);

  /** The position of the number of blocks in a comparison of records. */
  private static final int BLOCKS = 0;

  private static final int UNREADABLE = 4;
  private static final int PARTS = 1000;
  private static final int FILES_OF_PART = 60;
  private static final long LOOK_NANOS = 1_000_000;

  private final Path directory;
  private final LocalCluster cluster;
  private DistributedFileSystem client;

  private LineCluster(Path directory, LocalCluster cluster) {
    this.directory = directory;
    this.cluster = cluster;
  }

  /**
   * Starts a new cluster, whose blocks have a length of 1 MiB.
   *
   * @param name of its directory
   * @param settings of {@code hdfs-site.xml}, besides those for all
   */
  static LineCluster start(
      String name, int dataNodes, String chain, String line, Map<String, String> settings)
      throws IOException {
    Path directory = Path.of(System.getProperty("hdrf.test.directory"), name);
    LocalCluster.killLeftovers(directory);
    FileUtil.fullyDelete(directory.toFile());
    ClusterConfig config =
        ClusterConfig.in(directory)
            .withDataNodes(dataNodes)
            .withReplication(dataNodes)
            .withSchemes(chain)
            .withHeaps("256m", "384m")
            .with("hdrf.reduce.delay", "100")
            .with("hdrf.reduce.scan.interval", "1")
            .with("hdrf.mirror.enabled", "true")
            // A peer that closed a connection as it stopped is asked again so soon.
            .with("hdrf.mirror.peer.expiry", "2")
            .with("hdrf.dedup.container.size", "1m")
            .with("hdrf.dedup.gc.interval", "0")
            .with("hdrf.dedup.gc.min.age", "0")
            .with("hdrf.dedup.gc.live.percent", "100")
            .with("hdrf.dedup.gc.rate", "0")
            .with("dfs.blocksize", "1048576")
            .with("dfs.heartbeat.interval", "1")
            .with("dfs.namenode.heartbeat.recheck-interval", "2000")
            .with("dfs.namenode.redundancy.interval.seconds", "1")
            .with("dfs.namenode.safemode.extension", "0")
            .with("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      config = config.with(setting.getKey(), setting.getValue());
    }
    LineCluster started =
        new LineCluster(directory, LocalCluster.create(config, runtime(line).orElseThrow()));
    boolean ready = false;
    try {
      started.cluster.start();
      ready = true;
      return started;
    } finally {
      if (!ready) {
        started.cluster.kill();
      }
    }
  }

  /** Returns the runtime of a line, if its jars are there. */
  static Optional<HadoopRuntime> runtime(String line) throws IOException {
    Path dist = Path.of(System.getProperty("hdrf.test.dist")).toAbsolutePath().normalize();
    return AssembledHome.hadoopJars(line)
        .map(
            jars ->
                HadoopRuntime.ofClassPath(
                    jars.stream().map(Path::toString).toList(),
                    List.of(dist.resolve("datanode") + "/*"),
                    Optional.of(dist.resolve("plugins"))));
  }

  /** Returns the lines whose jars are there, the oldest first: 3.1 and 3.4 at least. */
  static List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (String line : LINES) {
      try {
        if (runtime(line).isPresent()) {
          lines.add(line);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    assertThat(lines).contains("3.1", "3.4");
    return lines;
  }

  LocalCluster cluster() {
    return cluster;
  }

  List<DataNode> dataNodes() {
    return cluster.dataNodes();
  }

  /**
   * Pairs of lines, the older first, each with a chain: one pair, or with the profile {@code lines}
   * neighbours, and the oldest with the newest.
   */
  static Stream<Arguments> pairs() {
    List<String> lines = lines();
    List<Arguments> pairs = new ArrayList<>();
    pairs.add(Arguments.of(lines.get(0), lines.get(lines.size() - 1), "dedup,zstd"));
    for (int i = 1; i < lines.size() && lines.size() > 2; i++) {
      for (String chain : List.of("lz4", "dedup,zstd")) {
        pairs.add(Arguments.of(lines.get(i - 1), lines.get(i), chain));
      }
    }
    return pairs.stream();
  }

  /** A client that lasts until the NameNode is stopped. */
  DistributedFileSystem client() throws IOException {
    if (client == null) {
      client = newClient();
    }
    return client;
  }

  /** A client of the caller's own. */
  DistributedFileSystem newClient() throws IOException {
    return (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.uri()), conf());
  }

  private Configuration conf() {
    Configuration conf = new Configuration();
    for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
      conf.addResource(new org.apache.hadoop.fs.Path(cluster.conf().resolve(name).toUri()));
    }
    return conf;
  }

  /** Stops all daemons in order. */
  void stop() throws IOException {
    closeClient();
    cluster.stop();
  }

  /** A connection to a NameNode that is stopped fails the first call to the next one. */
  private void closeClient() throws IOException {
    if (client != null) {
      client.close();
      client = null;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      closeClient();
    } finally {
      cluster.kill();
    }
  }

  /** Starts the stopped NameNode; it may not serve yet. */
  void startNameNode(String line, String... options) throws IOException {
    NameNode nameNode = cluster.nameNode();
    nameNode.runOn(runtime(line).orElseThrow());
    nameNode.start(options);
  }

  /** Starts the stopped DataNodes; returns once all serve, and the NameNode. */
  void startDataNodes(String line, String... options) throws IOException {
    for (DataNode dataNode : cluster.dataNodes()) {
      dataNode.runOn(runtime(line).orElseThrow());
      dataNode.start(options);
    }
    cluster.awaitReady();
  }

  /** Restarts the NameNode under running DataNodes. */
  void restartNameNode(String line, String... options) throws IOException {
    closeClient();
    cluster.nameNode().stop(STOP);
    startNameNode(line, options);
    cluster.awaitReady();
  }

  /** Restarts a DataNode. */
  void restart(DataNode dataNode, String line) throws IOException {
    dataNode.stop(STOP);
    dataNode.runOn(runtime(line).orElseThrow());
    dataNode.start();
    cluster.awaitReady();
  }

  /**
   * Fills a directory that a DataNode deletes when an upgrade is finalized, so that this takes long
   * enough for a kill to hit it.
   */
  static void fill(Path directory) throws IOException {
    for (int i = 0; i < PARTS; i++) {
      Path part = Files.createDirectories(directory.resolve("finalized/fill-" + i));
      for (int j = 0; j < FILES_OF_PART; j++) {
        Files.createFile(part.resolve(Integer.toString(j)));
      }
    }
  }

  /** Returns how much there is of what {@link #fill} made, in directories. */
  static int filled(Path directory) {
    String[] parts = directory.resolve("finalized").toFile().list();
    return parts == null
        ? 0
        : (int) Arrays.stream(parts).filter(name -> name.startsWith("fill-")).count();
  }

  /**
   * Kills a DataNode once it has deleted some, but not all, of what {@link #fill} made.
   *
   * @param before how many parts of it there were, as {@link #filled} counts them
   * @param directory where they lie when they are deleted; may not exist yet
   */
  static void killWhileDeleting(DataNode dataNode, int before, Path directory) throws IOException {
    ProcessHandle process = dataNode.process().orElseThrow();
    long deadline = System.nanoTime() + LocalCluster.PATIENCE.toNanos();
    int parts = 0;
    while (parts == 0 || parts == before) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(directory + ": " + parts + " of " + before + " parts are left");
      }
      LockSupport.parkNanos(LOOK_NANOS);
      parts = filled(directory);
    }
    process.destroyForcibly();
    dataNode.kill();
    int left = filled(directory);
    System.out.println(dataNode.name() + " was killed with " + left + " of " + before);
    assertThat(left).as("parts that are left in " + directory).isBetween(1, before - 1);
  }

  /** Rolls the stopped NameNode back to what {@code -upgrade} kept, with the first line. */
  void rollBackNameNode() throws IOException, InterruptedException {
    Path answer = Files.writeString(directory.resolve("answer"), "Y\n");
    Path output = directory.resolve("rollback");
    Process rollback =
        cluster
            .command("org.apache.hadoop.hdfs.server.namenode.NameNode", List.of("-rollback"))
            .redirectInput(answer.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(rollback.waitFor()).as(output.toString()).isZero();
  }

  /** The finalized block files of a DataNode that are in service. */
  static List<Path> blocks(DataNode dataNode) throws IOException {
    return blocks(dataNode, "current/finalized");
  }

  /**
   * The block files of a DataNode.
   *
   * @param directory below the block pool's, on each volume
   */
  static List<Path> blocks(DataNode dataNode, String directory) throws IOException {
    List<Path> blocks = new ArrayList<>();
    for (Path pool : pools(dataNode)) {
      LiveFiles.below(pool.resolve(directory)).stream()
          .filter(file -> file.getFileName().toString().matches("blk_-?\\d+"))
          .forEach(blocks::add);
    }
    return blocks;
  }

  /** The directories of the block pool, one on each volume. */
  static List<Path> pools(DataNode dataNode) throws IOException {
    List<Path> pools = new ArrayList<>();
    for (Path volume : dataNode.volumes()) {
      try (Stream<Path> all = Files.list(volume.resolve("current"))) {
        all.filter(file -> file.getFileName().toString().startsWith("BP-")).forEach(pools::add);
      }
    }
    return pools;
  }

  /** Whether a block of words is plain. */
  private static boolean isPlain(Path block) {
    byte[] head;
    try (InputStream in = Files.newInputStream(block)) {
      head = in.readNBytes(64);
    } catch (IOException e) {
      // Deleted, or replaced.
      return true;
    }
    for (byte letter : head) {
      if (letter != '\n' && (letter < ' ' || letter > 'z')) {
        return false;
      }
    }
    return true;
  }

  void awaitAllReduced() throws IOException {
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> {
          long left = 0;
          for (DataNode dataNode : cluster.dataNodes()) {
            left += blocks(dataNode).stream().filter(LineCluster::isPlain).count();
          }
          return left == 0;
        },
        () -> "Blocks stay plain; see " + directory);
  }

  /**
   * Waits until the DataNodes have deleted these blocks of deleted files. What a broken pipeline
   * left elsewhere they keep for hours.
   *
   * @param files as in {@link #reducedFiles}
   */
  void awaitDeleted(Set<String> files) throws IOException {
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> Collections.disjoint(reducedFiles().keySet(), files),
        () -> "Blocks of deleted files stay; see " + directory);
  }

  /**
   * The inodes of the reduced files: one that was made plain and reduced again is another one.
   * Names without generation stamps, which appends change.
   */
  Map<String, Object> reducedFiles() throws IOException {
    Map<String, Object> found = new TreeMap<>();
    for (DataNode dataNode : cluster.dataNodes()) {
      for (Path block : blocks(dataNode)) {
        if (!isPlain(block)) {
          try {
            Object inode = Files.getAttribute(block, "unix:ino");
            found.put(dataNode.index() + " " + block.getFileName(), inode);
          } catch (NoSuchFileException e) {
            // Deleted meanwhile.
            continue;
          }
        }
      }
    }
    return found;
  }

  void assertSame(Map<org.apache.hadoop.fs.Path, byte[]> files) throws IOException {
    for (Map.Entry<org.apache.hadoop.fs.Path, byte[]> file : files.entrySet()) {
      Traffic.assertSame(client(), file.getKey(), file.getValue());
    }
  }

  void assertNothingCorrupt() throws IOException {
    JsonNode names = cluster.nameNode().jmx().bean("Hadoop:service=NameNode,name=FSNamesystem");
    assertThat(names.path("CorruptBlocks").asInt(-1)).isZero();
    assertThat(names.path("MissingBlocks").asInt(-1)).isZero();
  }

  /** Returns the sum of a metric over a DataNode's beans. */
  long sum(DataNode dataNode, String metric) throws IOException {
    long sum = 0;
    for (JsonNode bean : dataNode.hdrfMetrics()) {
      sum += bean.path(metric).asLong();
    }
    return sum;
  }

  /**
   * Collects chunks on all DataNodes.
   *
   * @return how many were dropped
   */
  long collect() throws IOException {
    long dropped = 0;
    for (DataNode dataNode : cluster.dataNodes()) {
      try (AdminClient admin = AdminClient.connect(dataNode.ipcAddress(), conf())) {
        for (VolumeInfo store : admin.schemeStores()) {
          for (String count : admin.reclaim(store)) {
            int tab = count.indexOf('\t');
            if (count.substring(0, tab).endsWith("chunksDropped")) {
              dropped += Long.parseLong(count.substring(tab + 1));
            }
          }
        }
      }
    }
    return dropped;
  }

  /**
   * What {@code hdrf fsck} looks at: each block has its record, and each reference its chunk. Waits
   * for records that are being compared, or written.
   */
  void assertSound() throws IOException {
    for (DataNode dataNode : cluster.dataNodes()) {
      String[] problem = new String[1];
      Waiting.until(
          LocalCluster.PATIENCE,
          () -> {
            problem[0] = recordsBehind(dataNode);
            return problem[0] == null;
          },
          () -> dataNode.name() + ": " + problem[0]);
      try (AdminClient admin = AdminClient.connect(dataNode.ipcAddress(), conf())) {
        for (VolumeInfo volume : admin.volumes()) {
          String[] check = admin.check(volume, false);
          assertThat(Arrays.copyOfRange(check, BLOCKS + 1, UNREADABLE + 1))
              .as(dataNode.name() + ", records: " + Arrays.toString(check))
              .containsOnly("0");
        }
        for (VolumeInfo store : admin.schemeStores()) {
          ReferenceReport report = admin.checkReferences(store);
          assertThat(report.isClean()).as(dataNode.name() + ": " + report.lines()).isTrue();
        }
      }
    }
  }

  /** Returns why a DataNode's records are not in step by their own account, or null. */
  private String recordsBehind(DataNode dataNode) {
    try (AdminClient admin = AdminClient.connect(dataNode.ipcAddress(), conf())) {
      for (VolumeInfo volume : admin.volumes()) {
        if (!volume.status().equals("in step") || volume.pending() > 0) {
          return volume.status() + ", " + volume.pending() + " pending";
        }
      }
      return null;
    } catch (ClusterException e) {
      throw new UncheckedIOException(e);
    } catch (IOException e) {
      // The store is just being opened.
      return e.toString();
    }
  }
}
