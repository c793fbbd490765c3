/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.cluster.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A cluster with data on stock DataNodes gets HDRF, node by node; its blocks are reduced and made
 * plain again; and it goes back to stock, while clients read and write. {@code
 * -Dhdrf.lifecycle.full=true}: more DataNodes and data, and a job at each stage.
 */
class LifecycleTest {
  private static final boolean FULL = Boolean.getBoolean("hdrf.lifecycle.full");
  private static final int DATA_NODES = FULL ? 3 : 2;
  private static final int FILES = FULL ? 24 : 6;
  private static final int FILE_LENGTH = 2_500_000;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /**
   * The inverse of the share by which a file's allocated space may differ when it is written again.
   */
  private static final long SLACK = 100;

  private final Path directory = Path.of(System.getProperty("hdrf.test.directory"));
  private Path unpacked;
  private ShellCluster cluster;
  private DistributedFileSystem client;
  private Map<org.apache.hadoop.fs.Path, byte[]> files;
  private byte[] words;

  @BeforeEach
  void start() throws Exception {
    FileUtil.fullyDelete(directory.toFile());
    unpacked = Unpacked.in(directory);
    cluster = new ShellCluster(directory.resolve("cluster"), DATA_NODES, DATA_NODES);
    cluster.start();
    client = cluster.client();
    files = Traffic.store(client, FILES, FILE_LENGTH);
  }

  @AfterEach
  void stop() throws IOException {
    if (client != null) {
      client.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  /** A change of a node while its DataNode is down. */
  private interface Change {
    void apply(ShellCluster.Node node) throws Exception;
  }

  /** Restarts the DataNodes, one after the other, under load; returns the clients' failures. */
  private Set<String> roll(String what, Change change) throws Exception {
    Traffic traffic = new Traffic(cluster::client, files, what.hashCode());
    traffic.start();
    for (ShellCluster.Node node : cluster.nodes()) {
      node.stop();
      change.apply(node);
      node.start();
      node.awaitServing();
      long reads = traffic.reads();
      Waiting.until(
          PATIENCE, () -> traffic.reads() > reads + 1, () -> "The reader stands still: " + what);
      // A block that was begun before goes to no DataNode that was down then.
      long writes = traffic.writes();
      Waiting.until(
          PATIENCE, () -> traffic.writes() > writes + 1, () -> "The writer stands still: " + what);
    }
    Set<String> errors = traffic.stop();
    System.out.println(what + ": " + traffic.reads() + " files read, errors " + errors);
    for (Map.Entry<org.apache.hadoop.fs.Path, byte[]> file : traffic.written().entrySet()) {
      Traffic.assertSame(client, file.getKey(), file.getValue());
    }
    client.delete(new org.apache.hadoop.fs.Path("/traffic"), true);
    return errors;
  }

  private void readAll() throws IOException {
    for (Map.Entry<org.apache.hadoop.fs.Path, byte[]> file : files.entrySet()) {
      Traffic.assertSame(client, file.getKey(), file.getValue());
    }
  }

  /** Returns the bytes allocated to all replicas of the first files; others come and go. */
  private long allocated() throws IOException {
    Set<String> names = new HashSet<>();
    for (org.apache.hadoop.fs.Path file : files.keySet()) {
      client
          .getClient()
          .getLocatedBlocks(file.toString(), 0)
          .getLocatedBlocks()
          .forEach(block -> names.add(block.getBlock().getBlockName()));
    }
    long replicas = 0;
    long sum = 0;
    for (ShellCluster.Node node : cluster.nodes()) {
      for (Map.Entry<String, Long> block : node.finalizedBlocks().entrySet()) {
        if (names.contains(block.getKey())) {
          replicas++;
          sum += block.getValue();
        }
      }
    }
    assertThat(replicas).isEqualTo((long) DATA_NODES * names.size());
    return sum;
  }

  /** Runs WordCount from the command line; its output must never change. */
  private void job(String stage) throws Exception {
    if (!FULL) {
      return;
    }
    cluster
        .nameNodeHome()
        .hdfs(
            "org.apache.hadoop.examples.ExampleDriver",
            "wordcount",
            "-Dmapreduce.framework.name=local",
            "-Dmapreduce.cluster.local.dir=" + directory.resolve("job"),
            "/input",
            "/words")
        .with("HADOOP_OPTS", "--add-opens java.base/java.lang=ALL-UNNAMED -Xmx512m")
        .output();
    byte[] found;
    try (var in = client.open(new org.apache.hadoop.fs.Path("/words/part-r-00000"))) {
      found = in.readAllBytes();
    }
    client.delete(new org.apache.hadoop.fs.Path("/words"), true);
    if (words == null) {
      words = found;
    }
    assertThat(found).as("WordCount " + stage).isNotEmpty().isEqualTo(words);
  }

  private Command.Result hdrf(String command, ShellCluster.Node node) throws Exception {
    return new Command(unpacked.resolve("bin/hdrf"), command, node.home().directory().toString())
        .run();
  }

  private void uninstall(ShellCluster.Node node) throws Exception {
    Command.Result result = hdrf("uninstall", node);
    assertThat(result.status()).as(result.output()).isZero();
    assertThat(node.home().directory().resolve("hdrf")).doesNotExist();
    node.configure("");
  }

  /** Checks that one node refuses to give up HDRF, and reports the number of blocks in the way. */
  private void refusesWithReducedBlocks(ShellCluster.Node node) throws Exception {
    Command.Result running = hdrf("uninstall", node);
    assertThat(running.status()).isEqualTo(3);
    assertThat(running.output()).contains(node.volume() + " is running; stop it first");
    node.stop();
    Command.Result reduced =
        new Command(
                unpacked.resolve("bin/hdrf"),
                "uninstall",
                "--force",
                // Another configuration than the DataNode's: the DataNode has recorded its own
                // directories.
                "--conf",
                cluster.nameNodeHome().conf().toString(),
                node.home().directory().toString())
            .run();
    assertThat(reduced.status()).isEqualTo(1);
    assertThat(reduced.output())
        .containsPattern("\\d{2,} reduced blocks")
        .contains("hdfs hdrf inflate");
    assertThat(node.home().directory().resolve("hdrf")).exists();
    node.start();
    node.awaitServing();
  }

  @Test
  void fromStockToHdrfAndBack() throws Exception {
    job("on stock");
    long stock = allocated();
    Set<String> allowed = roll("restart on stock", node -> {});

    assertThat(roll("install", node -> node.install(unpacked, "")))
        .as("client errors")
        .isSubsetOf(allowed);
    for (ShellCluster.Node node : cluster.nodes()) {
      assertThat(node.hdrfMetrics()).isNotEmpty();
    }
    convert();
    long reduced = allocated();
    long own = cluster.usage().hdrfBytes();
    System.out.println("stock " + stock + ", reduced " + reduced + ", HDRF's own files " + own);
    assertThat(reduced + own).isLessThan(stock * 6 / 10);
    readAll();
    job("with HDRF");
    assertThat(hdfsHdrf(cluster.nodes().get(0), "report"))
        .as("all that the NameNode lists")
        .contains(cluster.nodes().size() + " DataNodes, ");
    refusesWithReducedBlocks(cluster.nodes().get(0));

    inflate();
    long inflated = allocated();
    System.out.println("inflated " + inflated);
    assertThat(inflated).isBetween(stock - stock / SLACK, stock + stock / SLACK);
    readAll();

    assertThat(roll("uninstall", this::uninstall)).as("client errors").isSubsetOf(allowed);
    for (ShellCluster.Node node : cluster.nodes()) {
      assertThat(node.hdrfMetrics()).as("stock").isEmpty();
    }
    readAll();
    job("back on stock");
    assertThat(cluster.nameNode("FSNamesystem").path("CorruptBlocks").asInt(-1)).isZero();
    assertThat(cluster.nameNode("FSNamesystem").path("MissingBlocks").asInt(-1)).isZero();
  }

  /** Runs the command of a node's own Hadoop. */
  private static String hdfsHdrf(ShellCluster.Node node, String... arguments) throws Exception {
    String[] words = new String[arguments.length + 1];
    words[0] = "hdrf";
    System.arraycopy(arguments, 0, words, 1, arguments.length);
    return node.home().hdfs(words).output();
  }

  private void convert() throws Exception {
    for (ShellCluster.Node node : cluster.nodes()) {
      hdfsHdrf(node, "convert");
    }
    for (ShellCluster.Node node : cluster.nodes()) {
      assertThat(hdfsHdrf(node, "fsck")).contains(node.volume() + ": ").contains("no difference");
    }
  }

  private void inflate() throws Exception {
    for (ShellCluster.Node node : cluster.nodes()) {
      hdfsHdrf(node, "inflate");
    }
  }
}
