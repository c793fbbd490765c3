/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The packed distribution's jars, with Hadoop's and without any others. */
class DistributionTest {
  private static final int DATA_NODES = 2;

  /** A block and a part of one. */
  private static final int LENGTH = 1_500_000;

  private static final Path DIRECTORY =
      Path.of(System.getProperty("hdrf.test.directory")).resolveSibling("distribution");

  private static final org.apache.hadoop.fs.Path TEXT = new org.apache.hadoop.fs.Path("/text");
  private static final org.apache.hadoop.fs.Path EXCLUDED =
      new org.apache.hadoop.fs.Path("/excluded");

  private static Path unpacked;

  @BeforeAll
  static void pack() throws Exception {
    FileUtil.fullyDelete(DIRECTORY.toFile());
    unpacked = Unpacked.in(DIRECTORY);
  }

  private static String property(String name, String value) {
    return "<property><name>" + name + "</name><value>" + value + "</value></property>\n";
  }

  private static void write(
      DistributedFileSystem client, org.apache.hadoop.fs.Path path, byte[] data)
      throws IOException {
    try (OutputStream out = client.create(path)) {
      out.write(data);
    }
  }

  private static long metric(ShellCluster.Node node, String name) throws IOException {
    List<JsonNode> beans = node.hdrfMetrics();
    assertThat(beans).hasSize(1);
    return beans.get(0).path(name).asLong(-1);
  }

  @Test
  void dataNodesReduceFilterAndRead() throws Exception {
    byte[] text = Traffic.text(LENGTH, 1);
    byte[] excluded = Traffic.text(LENGTH / 2, 2);
    byte[] head = "%PDF-1.7\n".getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(head, 0, excluded, 0, head.length);
    try (ShellCluster cluster =
        new ShellCluster(DIRECTORY.resolve("cluster"), DATA_NODES, DATA_NODES)) {
      for (ShellCluster.Node node : cluster.nodes()) {
        node.install(
            unpacked,
            property("hdrf.schemes", "dedup,zstd")
                + property("hdrf.filter.exclude.regex", "^%PDF-\\d"));
      }
      cluster.start();
      try (DistributedFileSystem client = cluster.client()) {
        write(client, TEXT, text);
        write(client, EXCLUDED, excluded);
        for (ShellCluster.Node node : cluster.nodes()) {
          Waiting.until(
              LocalCluster.PATIENCE,
              () ->
                  metric(node, "BlocksReduced") == 2 && metric(node, "SkippedExcludedByRegex") > 0,
              () -> "The blocks are not reduced or not left alone on " + node.volume());
          for (LocatedBlock block :
              client.getClient().getLocatedBlocks(TEXT.toString(), 0).getLocatedBlocks()) {
            assertThat(node.finalizedBlocks().get(block.getBlock().getBlockName()))
                .isLessThan(block.getBlockSize() / 2);
          }
          LocatedBlock plain = client.getClient().getLocatedBlocks(EXCLUDED.toString(), 0).get(0);
          assertThat(node.finalizedBlocks().get(plain.getBlock().getBlockName()))
              .isGreaterThanOrEqualTo(plain.getBlockSize());
        }
        Traffic.assertSame(client, TEXT, text);
        Traffic.assertSame(client, EXCLUDED, excluded);
      }
      JsonNode report =
          new ObjectMapper()
              .readTree(cluster.nodes().get(0).home().hdfs("hdrf", "report", "--json").output())
              .get("dataNodes");
      assertThat(report).hasSize(DATA_NODES);
      assertThat(report.findValues("storeBytes"))
          .as("with the chunks of %d bytes", LENGTH)
          .allMatch(bytes -> bytes.asLong() > LENGTH / 5);
      for (ShellCluster.Node node : cluster.nodes()) {
        assertThat(node.warnings()).as("warnings of a healthy DataNode").isEmpty();
      }
    }
  }

  @Test
  void everyClassThatTheJarsNameIsThere() throws Exception {
    Set<String> missing = new PackedClasses(unpacked, AssembledHome.hadoopJars()).missing();
    // Those are for later lines of Hadoop: HadoopLinkTest.
    missing.removeIf(name -> name.contains(" in hadoop-hdfs-hdrf-3."));
    assertThat(missing).isEmpty();
  }
}
