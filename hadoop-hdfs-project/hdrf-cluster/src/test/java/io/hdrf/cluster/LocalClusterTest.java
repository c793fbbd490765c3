/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stock daemons as real processes: written to, killed, restarted, found again, measured. */
class LocalClusterTest {
  private static final int SIZE = 3 << 20;

  @TempDir private static java.nio.file.Path directory;
  private static LocalCluster cluster;
  private final byte[] content = new byte[SIZE];

  @BeforeAll
  static void create() throws IOException {
    ClusterConfig config =
        ClusterConfig.in(directory.resolve("cluster"))
            .withDataNodes(2)
            .withVolumes(2)
            .withStock(true)
            .withHeaps("256m", "256m")
            .with("dfs.blocksize", "1048576")
            .with("dfs.namenode.heartbeat.recheck-interval", "1000")
            .with("dfs.heartbeat.interval", "1");
    cluster = LocalCluster.create(config, HadoopRuntime.ofThisJvm(Optional.empty()));
  }

  @BeforeEach
  void start() throws IOException {
    new Random(1).nextBytes(content);
    cluster.start();
  }

  @AfterAll
  static void kill() throws IOException {
    cluster.kill();
    assertThat(cluster.isRunning()).isFalse();
  }

  private FileSystem client() throws IOException {
    Configuration conf = new Configuration();
    conf.addResource(new Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    return FileSystem.newInstance(URI.create(cluster.uri()), conf);
  }

  private void assertReadable() throws IOException {
    try (FileSystem fs = client();
        var in = fs.open(new Path("/file"))) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
  }

  @Test
  void survivesKillsAndIsFoundAgain() throws IOException {
    try (FileSystem fs = client();
        FSDataOutputStream out = fs.create(new Path("/file"))) {
      out.write(content);
    }
    DiskUsage usage = cluster.diskUsage();
    assertThat(usage.blocks()).isEqualTo(6);
    assertThat(usage.logicalBytes()).isEqualTo(2L * SIZE);
    assertThat(usage.physicalBytes()).isBetween(2L * SIZE, 2L * SIZE + 6 * 8192);
    assertThat(usage.metaBytes()).isPositive();

    DataNode first = cluster.dataNodes().get(0);
    assertThat(first.hdrfMetrics()).isEmpty();
    assertThat(first.usage().cpuSeconds()).isPositive();
    first.kill();
    assertThat(first.isAlive()).isFalse();
    assertThat(first.process()).isEmpty();
    assertThatThrownBy(first::usage).hasMessageContaining("not running");
    assertReadable();

    first.start();
    assertThatThrownBy(first::start).hasMessageContaining("already running");
    cluster.awaitReady();
    cluster.dataNodes().get(1).kill();
    assertReadable();

    // Another process, or this one after a crash, finds the running daemons.
    LocalCluster again =
        LocalCluster.open(cluster.config().directory(), HadoopRuntime.ofThisJvm(Optional.empty()));
    assertThat(again.uri()).isEqualTo(cluster.uri());
    assertThat(again.isRunning()).isTrue();
    again.start();
    assertThat(again.dataNodes()).allMatch(DataNode::isServing);
    again.restartDataNodes();
    assertReadable();

    again.stop();
    assertThat(cluster.isRunning()).isFalse();
    cluster.start();
    assertReadable();
  }

  @Test
  void reportsAJobThatFailsAndADaemonThatWillNotStart() throws IOException {
    Job job =
        cluster.submit("bad", "128m", "org.apache.hadoop.fs.FsShell", List.of("-cat", "/none"));
    assertThatThrownBy(() -> job.awaitSuccess(line -> {}))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("No such file or directory");
    Job good = cluster.submit("good", "128m", "org.apache.hadoop.fs.FsShell", List.of("-ls", "/"));
    good.awaitSuccess(line -> {});
    assertThat(good.isAlive()).isFalse();

    DataNode dataNode = cluster.dataNodes().get(0);
    dataNode.stop(LocalCluster.PATIENCE);
    Files.writeString(cluster.conf().resolve("hdfs-site.xml"), "<no xml");
    assertThatThrownBy(
            () -> {
              dataNode.start();
              cluster.awaitReady();
            })
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("DataNode 0 ended");
  }

  @Test
  void aReusedProcessIdIsNotKilled() throws IOException {
    DataNode dataNode = cluster.dataNodes().get(0);
    dataNode.kill();
    Files.writeString(
        dataNode.directory().resolve("pid"), Long.toString(ProcessHandle.current().pid()));
    assertThat(dataNode.isAlive()).isFalse();
    LocalCluster.killLeftovers(cluster.config().directory());
    assertThat(ProcessHandle.current().isAlive()).isTrue();
  }
}
