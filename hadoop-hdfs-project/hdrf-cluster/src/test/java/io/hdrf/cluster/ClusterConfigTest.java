/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterConfigTest {
  @TempDir private Path directory;

  private static HadoopRuntime runtime() {
    return HadoopRuntime.ofClassPath(List.of("h.jar"), List.of("o.jar"), Optional.empty());
  }

  @Test
  void isKeptWhole() throws IOException {
    ClusterConfig config =
        ClusterConfig.in(directory)
            .withDataNodes(5)
            .withVolumes(2)
            .withReplication(4)
            .withSchemes("dedup,zstd")
            .withHadoop("3.4.3")
            .withHeaps("300m", "400m")
            .withMetricsPeriod(Duration.ofMillis(7))
            .with("dfs.blocksize", "1m")
            .with("key with = and :", "a\nb")
            .withDataNodeProperty(1, "x.y", "z");
    config.save();
    assertThat(ClusterConfig.load(directory)).isEqualTo(config);
    assertThat(ClusterConfig.load(directory).hadoop()).isEqualTo("3.4.3");
    assertThat(ClusterConfig.load(directory).metricsPeriod()).hasMillis(7);
    assertThat(ClusterConfig.load(directory).withStock(true)).isNotEqualTo(config);
  }

  @Test
  void aPropertyOfOneDataNodeIsNoOthers() {
    ClusterConfig config =
        ClusterConfig.in(directory)
            .with("a", "all")
            .with("datanode-12:a", "twelfth")
            .withDataNodeProperty(1, "a", "first");
    assertThat(config.site()).isEqualTo(Map.of("a", "all"));
    assertThat(config.dataNodeSite(1)).isEqualTo(Map.of("a", "first"));
    assertThat(config.dataNodeSite(12)).isEqualTo(Map.of("a", "twelfth"));
    assertThat(config.dataNodeSite(0)).isEmpty();
  }

  @Test
  void replicationIsNeverMoreThanDataNodes() {
    assertThat(ClusterConfig.in(directory).withDataNodes(2).replication()).isEqualTo(2);
    assertThat(ClusterConfig.in(directory).withDataNodes(2).withDataNodes(9).replication())
        .isEqualTo(3);
  }

  @Test
  void refusesWhatCannotBe() {
    ClusterConfig config = ClusterConfig.in(directory);
    assertThatThrownBy(() -> config.withDataNodes(0)).hasMessageContaining("1 to 100");
    assertThatThrownBy(() -> config.withReplication(0)).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> config.withVolumes(0)).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> config.withMetricsPeriod(Duration.ZERO))
        .hasMessageContaining("at least 1 ms");
  }

  @Test
  void damagedFileIsAClusterException() throws IOException {
    assertThatThrownBy(() -> ClusterConfig.load(directory)).isInstanceOf(ClusterException.class);
    Files.writeString(directory.resolve(ClusterConfig.FILE), "datanodes=many\n");
    assertThatThrownBy(() -> ClusterConfig.load(directory))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(ClusterConfig.FILE);
  }

  @Test
  void stockDataNodesNeverGetVolumesOfHdrf() throws IOException {
    LocalCluster.create(ClusterConfig.in(directory), runtime());
    assertThatThrownBy(
            () -> LocalCluster.create(ClusterConfig.in(directory).withStock(true), runtime()))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("stock");
    assertThat(ClusterConfig.load(directory).stock()).isFalse();
  }

  @Test
  void onlyDataNodesGetTheOverlay() {
    Path conf = directory.resolve("conf");
    assertThat(runtime().dataNodeClassPath(conf)).contains("o.jar:h.jar");
    assertThat(runtime().classPath(conf)).contains("h.jar").doesNotContain("o.jar");
  }

  @Test
  void portsStayUnlessTaken() throws IOException {
    Path file = directory.resolve("ports");
    Ports ports = new Ports(file);
    int first = ports.free("a");
    assertThat(new Ports(file).get("a")).isEqualTo(first);
    assertThat(new Ports(file).free("a")).isEqualTo(first);
    assertThat(ports.free("b")).isNotEqualTo(first);
    assertThat(ports.get("none")).isEqualTo(-1);
    try (ServerSocket taken = new ServerSocket(first, 1, InetAddress.getLoopbackAddress())) {
      assertThat(new Ports(file).free("a")).isNotEqualTo(taken.getLocalPort());
    }
  }

  @Test
  void xmlIsEscaped() throws IOException {
    Path file = directory.resolve("x.xml");
    HadoopXml.write(file, Map.of("a<b", "c&d>"));
    assertThat(Files.readString(file)).contains("<name>a&lt;b</name><value>c&amp;d&gt;</value>");
  }
}
