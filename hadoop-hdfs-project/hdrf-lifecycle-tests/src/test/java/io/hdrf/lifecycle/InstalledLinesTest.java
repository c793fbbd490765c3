/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import io.hdrf.io.LiveFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * HDRF installed in a Hadoop of each line of {@code -Dhdrf.test.lines}: its DataNodes, on the Java
 * in {@code -Dhdrf.test.java}, obey the {@code hdrf} command with the jars of that Hadoop, and the
 * one with those of 3.1.
 */
class InstalledLinesTest {
  private static final int DATA_NODES = 2;
  private static final int FILES = 3;
  private static final int FILE_LENGTH = 2_500_000;

  /** Of one MiB each, on each DataNode. */
  private static final int BLOCKS = 3 * FILES;

  private static final Path DIRECTORY =
      Path.of(System.getProperty("hdrf.test.directory"), "installed");

  private static Path unpacked;
  private static AssembledHome first;

  private ShellCluster cluster;
  private DistributedFileSystem client;
  private Map<org.apache.hadoop.fs.Path, byte[]> files;

  static Stream<String> lines() {
    return Stream.of(System.getProperty("hdrf.test.lines").split(","));
  }

  @BeforeAll
  static void unpack() throws Exception {
    FileUtil.fullyDelete(DIRECTORY.toFile());
    unpacked = Unpacked.in(Files.createDirectories(DIRECTORY));
    first = AssembledHome.in(DIRECTORY.resolve("first"));
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

  private void start(String line) throws Exception {
    cluster = new ShellCluster(DIRECTORY.resolve("cluster-" + line), line, DATA_NODES, DATA_NODES);
    dedup().install(unpacked, chain("dedup,zstd"));
    lz4().install(unpacked, chain("lz4"));
    cluster.start();
    client = cluster.client();
    files = Traffic.store(client, FILES, FILE_LENGTH);
    awaitReduced(BLOCKS);
  }

  private ShellCluster.Node dedup() {
    return cluster.nodes().get(0);
  }

  private ShellCluster.Node lz4() {
    return cluster.nodes().get(1);
  }

  private static String chain(String schemes) {
    return property("hdrf.schemes", schemes)
        + property("hdrf.reduce.delay", "100")
        + property("hdrf.reduce.scan.interval", "1");
  }

  private static String property(String name, String value) {
    return "<property><name>" + name + "</name><value>" + value + "</value></property>\n";
  }

  private void awaitReduced(int blocks) throws IOException {
    for (ShellCluster.Node node : cluster.nodes()) {
      Waiting.until(
          LocalCluster.PATIENCE,
          () -> reduced(node) >= blocks,
          () -> "Blocks stay plain in " + node.volume());
    }
  }

  private static long reduced(ShellCluster.Node node) throws IOException {
    long sum = 0;
    for (JsonNode bean : node.hdrfMetrics()) {
      sum += bean.path("BlocksReduced").asLong();
    }
    return sum;
  }

  private void readAll() throws IOException {
    for (Map.Entry<org.apache.hadoop.fs.Path, byte[]> file : files.entrySet()) {
      Traffic.assertSame(client, file.getKey(), file.getValue());
    }
  }

  private static long allocated(ShellCluster.Node node) throws IOException {
    return node.finalizedBlocks().values().stream().mapToLong(Long::longValue).sum();
  }

  /** The {@code hdrf} command of some Hadoop, about one DataNode. */
  private interface Hdrf {
    Command with(String... arguments);

    default String run(String... arguments) throws Exception {
      return with(arguments).output();
    }
  }

  /** Returns the command that is installed where the DataNode is. */
  private static Hdrf installed(ShellCluster.Node node) {
    return arguments -> {
      List<String> words = new ArrayList<>(List.of("hdrf"));
      words.addAll(List.of(arguments));
      return node.home().hdfs(words.toArray(new String[0]));
    };
  }

  /** Returns the command with the jars of Hadoop 3.1. */
  private static Hdrf ofFirstLine(ShellCluster.Node node) {
    return arguments ->
        new Command(unpacked.resolve("bin/hdrf"), arguments)
            .with("HADOOP_HOME", first.directory().toString())
            .with("HADOOP_CONF_DIR", node.home().conf().toString());
  }

  private static void assertAllReduced(Hdrf hdrf) throws Exception {
    String all = "(?s).*/data-\\d +" + BLOCKS + " +" + BLOCKS + " +0 .*";
    String blocks = hdrf.run("blocks");
    // Records follow the blocks; on a busy machine the command may be faster.
    for (int i = 0; i < 30 && !blocks.matches(all); i++) {
      Thread.sleep(500);
      blocks = hdrf.run("blocks");
    }
    assertThat(blocks).matches(all);
    assertThat(hdrf.run("fsck")).contains("no difference");
  }

  /** Runs all commands about a DataNode whose blocks are reduced, and leaves them so. */
  private void assertObeys(ShellCluster.Node node, Hdrf hdrf) throws Exception {
    assertThat(hdrf.run("report")).contains(DATA_NODES + " DataNodes, ");
    assertAllReduced(hdrf);
    String block = node.finalizedBlocks().keySet().iterator().next();
    assertThat(hdrf.run("block", block.substring("blk_".length()))).containsPattern("agree +yes");
    assertThat(hdrf.run("verify"))
        .contains("all: " + BLOCKS + " blocks, ")
        .contains(" found sound");
    assertInspects(node, hdrf, block);
    long allocated = allocated(node);
    assertThat(hdrf.run("inflate")).contains("Every block is plain.");
    assertThat(allocated(node)).isGreaterThanOrEqualTo((long) FILES * FILE_LENGTH);
    readAll();
    assertThat(hdrf.run("convert")).contains("all: " + BLOCKS + " blocks, ").contains(" reduced");
    assertAllReduced(hdrf);
    assertThat(allocated(node)).isLessThan((long) FILES * FILE_LENGTH / 2);
    assertThat(allocated).isLessThan((long) FILES * FILE_LENGTH / 2);
    readAll();
  }

  private void assertInspects(ShellCluster.Node node, Hdrf hdrf, String block) throws Exception {
    // The content of the other lies in a store that the DataNode has open.
    String verdict = node == lz4() ? "verdict +verified" : "verdict +not verified";
    assertThat(hdrf.run("inspect", file(node, block).toString()))
        .containsPattern("form +reduced")
        .containsPattern(verdict);
  }

  private static Path file(ShellCluster.Node node, String block) throws IOException {
    return LiveFiles.below(node.volume()).stream()
        .filter(file -> file.endsWith(block))
        .findFirst()
        .orElseThrow();
  }

  private Command.Result uninstall(ShellCluster.Node node) throws Exception {
    node.stop();
    return new Command(
            unpacked.resolve("bin/hdrf"), "uninstall", node.home().directory().toString())
        .run();
  }

  @ParameterizedTest
  @MethodSource("lines")
  void dataNodesObeyTheCommandsOfTheirLineAndOfTheFirst(String line) throws Exception {
    start(line);
    readAll();
    assertThat(cluster.nameNode("NameNodeInfo").path("SoftwareVersion").asText())
        .startsWith(line + ".");
    assertObeys(dedup(), installed(dedup()));
    assertObeys(lz4(), ofFirstLine(lz4()));
    for (Hdrf hdrf : List.of(installed(dedup()), ofFirstLine(dedup()))) {
      assertThat(hdrf.run("gc")).contains("collected");
    }
    assertThat(installed(lz4()).run("gc")).contains("nothing to collect");
    assertInspects(lz4(), installed(lz4()), lz4().finalizedBlocks().keySet().iterator().next());

    for (ShellCluster.Node node : cluster.nodes()) {
      node.stop();
      node.start();
    }
    for (ShellCluster.Node node : cluster.nodes()) {
      node.awaitServing();
      assertAllReduced(installed(node));
    }
    readAll();

    installed(lz4()).run("inflate");
    assertThat(uninstall(lz4()).status()).isZero();
    assertThat(uninstall(dedup()).status()).as("with reduced blocks").isEqualTo(1);
    lz4().configure("");
    lz4().start();
    lz4().awaitServing();
    assertThat(lz4().hdrfMetrics()).as("stock").isEmpty();
    readAll();
  }
}
