/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.NameNode;
import io.hdrf.cluster.Waiting;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A cluster goes from one line of Hadoop to the next, daemon by daemon, while clients read and
 * write: blocks stay reduced, and nothing is made plain for it. The lines are those whose jars
 * Maven has: 3.1 and 3.4, and with the profile {@code lines} 3.3 and 3.5 too.
 */
class HadoopUpgradeTest {

  private static final List<String> LINES = List.of("3.1", "3.3", "3.4", "3.5");
  private static final Duration STOP = Duration.ofSeconds(60);
  private static final int DATA_NODES = 3;
  private static final int FILES = 6;
  private static final int FILE_LENGTH = 2_500_000;

  private final Path directory = Path.of(System.getProperty("hdrf.test.directory"), "upgrade");
  private LocalCluster cluster;
  private DistributedFileSystem client;
  private Map<org.apache.hadoop.fs.Path, byte[]> files;

  @AfterEach
  void stop() throws IOException {
    if (client != null) {
      client.close();
    }
    if (cluster != null) {
      cluster.kill();
    }
  }

  /** Returns the runtime of a line, if its jars are there. */
  private static Optional<HadoopRuntime> runtime(String line) throws IOException {
    Path dist = Path.of(System.getProperty("hdrf.test.dist")).toAbsolutePath().normalize();
    return AssembledHome.hadoopJars(line)
        .map(
            jars ->
                HadoopRuntime.ofClassPath(
                    jars.stream().map(Path::toString).toList(),
                    List.of(dist.resolve("datanode") + "/*"),
                    Optional.of(dist.resolve("plugins"))));
  }

  private static List<String> linesAtHand() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line : LINES) {
      if (runtime(line).isPresent()) {
        lines.add(line);
      }
    }
    return lines;
  }

  private void start(String chain, String line) throws Exception {
    LocalCluster.killLeftovers(directory);
    FileUtil.fullyDelete(directory.toFile());
    ClusterConfig config =
        ClusterConfig.in(directory)
            .withDataNodes(DATA_NODES)
            .withReplication(DATA_NODES)
            .withSchemes(chain)
            .withHeaps("256m", "384m")
            .with("hdrf.reduce.delay", "100")
            .with("hdrf.reduce.scan.interval", "1")
            .with("hdrf.mirror.enabled", "true")
            .with("hdrf.dedup.container.size", "1m")
            .with("dfs.blocksize", "1048576")
            .with("dfs.heartbeat.interval", "1")
            .with("dfs.namenode.heartbeat.recheck-interval", "2000")
            .with("dfs.namenode.redundancy.interval.seconds", "1")
            .with("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
    cluster = LocalCluster.create(config, runtime(line).orElseThrow());
    cluster.start();
    client = client();
    files = Traffic.store(client, FILES, FILE_LENGTH);
    awaitAllReduced();
  }

  private DistributedFileSystem client() throws IOException {
    Configuration conf = new Configuration();
    for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
      conf.addResource(new org.apache.hadoop.fs.Path(cluster.conf().resolve(name).toUri()));
    }
    return (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.uri()), conf);
  }

  /** The finalized block files of a DataNode. */
  private static List<Path> blocks(DataNode dataNode) throws IOException {
    List<Path> blocks = new ArrayList<>();
    for (Path volume : dataNode.volumes()) {
      try (Stream<Path> all = Files.walk(volume)) {
        all.filter(
                file ->
                    file.toString().contains("/finalized/")
                        && file.getFileName().toString().matches("blk_-?\\d+"))
            .forEach(blocks::add);
      }
    }
    return blocks;
  }

  /** The plain ones hold words. */
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

  private void awaitAllReduced() throws IOException {
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> {
          long left = 0;
          for (DataNode dataNode : cluster.dataNodes()) {
            left += blocks(dataNode).stream().filter(HadoopUpgradeTest::isPlain).count();
          }
          return left == 0;
        },
        () -> "Blocks stay plain; see " + directory);
  }

  /** The reduced files as they are: one that was made plain and reduced again is another one. */
  private Map<String, Object> reducedFiles() throws IOException {
    Map<String, Object> found = new TreeMap<>();
    for (DataNode dataNode : cluster.dataNodes()) {
      for (Path block : blocks(dataNode)) {
        if (!isPlain(block)) {
          found.put(
              dataNode.index() + " " + block.getFileName(), Files.getAttribute(block, "unix:ino"));
        }
      }
    }
    return found;
  }

  private void readAll() throws IOException {
    for (Map.Entry<org.apache.hadoop.fs.Path, byte[]> file : files.entrySet()) {
      Traffic.assertSame(client, file.getKey(), file.getValue());
    }
  }

  private void restartNameNode(HadoopRuntime runtime, String... options) throws IOException {
    NameNode nameNode = cluster.nameNode();
    nameNode.stop(STOP);
    nameNode.runOn(runtime);
    nameNode.start(options);
    cluster.awaitReady();
  }

  private void restart(DataNode dataNode, HadoopRuntime runtime, Traffic traffic)
      throws IOException {
    dataNode.stop(STOP);
    dataNode.runOn(runtime);
    dataNode.start();
    cluster.awaitReady();
    long reads = traffic.reads();
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> traffic.reads() > reads + 1,
        () -> "The reader stands still; see " + directory);
  }

  private long sum(DataNode dataNode, String metric) throws IOException {
    long sum = 0;
    for (JsonNode bean : dataNode.hdrfMetrics()) {
      sum += bean.path(metric).asLong();
    }
    return sum;
  }

  /** All daemons go on to the next line; the first DataNode goes back once in between. */
  private void roll(String from, String to) throws Exception {
    HadoopRuntime before = runtime(from).orElseThrow();
    HadoopRuntime after = runtime(to).orElseThrow();
    client.setSafeMode(SafeModeAction.SAFEMODE_ENTER);
    client.rollingUpgrade(RollingUpgradeAction.PREPARE);
    restartNameNode(after, "-rollingUpgrade", "started");
    Traffic traffic = new Traffic(this::client, files, to.hashCode());
    traffic.start();
    DataNode first = cluster.dataNodes().get(0);
    restart(first, after, traffic);
    restart(first, before, traffic);
    restart(first, after, traffic);
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> sum(first, "MirrorBytesWireSent") > 0 && sum(first, "MirrorBytesWireReceived") > 0,
        () -> "Nothing is mirrored between " + from + " and " + to + "; see " + directory);
    for (DataNode dataNode : cluster.dataNodes().subList(1, DATA_NODES)) {
      restart(dataNode, after, traffic);
    }
    Set<String> errors = traffic.stop();
    System.out.println(
        from + " to " + to + ": " + traffic.reads() + " files read, errors " + errors);
    // The client's connection to the NameNode before; no other failure of a reader is HDFS's.
    assertThat(errors)
        .noneMatch(error -> error.contains("differs"))
        .filteredOn(error -> error.startsWith("reader"))
        .isSubsetOf("reader: EOFException");
    Map<org.apache.hadoop.fs.Path, byte[]> written = traffic.written();
    for (Map.Entry<org.apache.hadoop.fs.Path, byte[]> file : written.entrySet()) {
      Traffic.assertSame(client, file.getKey(), file.getValue());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "dedup,zstd"})
  void blocksStayReducedFromLineToLine(String chain) throws Exception {
    List<String> lines = linesAtHand();
    assertThat(lines).contains("3.1", "3.4");
    start(chain, lines.get(0));
    Map<String, Object> reduced = reducedFiles();
    assertThat(reduced).hasSizeGreaterThan(DATA_NODES * FILES);
    for (int i = 1; i < lines.size(); i++) {
      roll(lines.get(i - 1), lines.get(i));
      client.rollingUpgrade(RollingUpgradeAction.FINALIZE);
      awaitAllReduced();
      readAll();
      assertThat(reducedFiles()).containsAllEntriesOf(reduced);
      assertThat(
              cluster
                  .nameNode()
                  .jmx()
                  .bean("Hadoop:service=NameNode,name=FSNamesystem")
                  .path("CorruptBlocks")
                  .asInt(-1))
          .isZero();
    }
  }

  /** What was deleted meanwhile comes back reduced, from the trash. */
  @ParameterizedTest
  @ValueSource(strings = {"lz4", "dedup,zstd"})
  void anUpgradeIsRolledBack(String chain) throws Exception {
    List<String> lines = linesAtHand();
    start(chain, lines.get(0));
    Map<String, Object> reduced = reducedFiles();
    roll(lines.get(0), lines.get(1));
    org.apache.hadoop.fs.Path deleted = files.keySet().iterator().next();
    client.delete(deleted, false);
    client.close();
    cluster.stop();
    HadoopRuntime before = runtime(lines.get(0)).orElseThrow();
    cluster.nameNode().runOn(before);
    cluster.nameNode().start("-rollingUpgrade", "rollback");
    for (DataNode dataNode : cluster.dataNodes()) {
      dataNode.runOn(before);
      dataNode.start("-rollback");
    }
    cluster.awaitReady();
    client = client();
    readAll();
    assertThat(reducedFiles()).containsAllEntriesOf(reduced);
  }
}
