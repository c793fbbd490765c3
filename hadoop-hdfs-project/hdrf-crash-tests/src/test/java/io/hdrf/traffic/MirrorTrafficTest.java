/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hdrf.block.FrameDigest;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.DiskUsage;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LinkMeter;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.NetworkHosts;
import io.hdrf.conf.HdrfConf;
import io.hdrf.io.LiveFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The traffic between three DataNodes while a file is written with three replicas, by the kernel's
 * counters of their hosts' links. Skipped where such hosts can't be created.
 */
class MirrorTrafficTest {

  private static final String MIRRORING = "hdrf.mirror.enabled";
  private static final int DATA_NODES = 3;
  private static final int SIZE = 40_000_000;

  @TempDir private Path directory;
  private NetworkHosts hosts;

  @BeforeEach
  void makeHosts() throws IOException {
    Optional<String> obstacle = NetworkHosts.obstacle();
    assumeTrue(obstacle.isEmpty(), obstacle.orElse(""));
    hosts = NetworkHosts.create(DATA_NODES);
  }

  @AfterEach
  void removeHosts() throws IOException {
    if (hosts != null) {
      hosts.close();
    }
  }

  /** Lines of numbered words. */
  private Path text() throws IOException {
    Random random = new Random(1);
    StringBuilder text = new StringBuilder(SIZE);
    while (text.length() < SIZE) {
      text.append("word-").append(random.nextInt(5000)).append(random.nextInt(8) == 0 ? '\n' : ' ');
    }
    text.setLength(SIZE);
    return Files.writeString(directory.resolve("text"), text, StandardCharsets.US_ASCII);
  }

  /** The bytes received, the DataNodes' disk usage afterwards, and the running DataNodes. */
  private record Traffic(long received, DiskUsage stored, List<DataNode> dataNodes) {

    /** Returns the bytes of reduced blocks and checksums of one replica. */
    long replica() {
      return (stored.blockBytes() + stored.metaBytes()) / DATA_NODES;
    }
  }

  private Traffic write(boolean mirroring) throws IOException {
    ClusterConfig config =
        ClusterConfig.in(directory.resolve("cluster"))
            .withDataNodes(DATA_NODES)
            .withSchemes("lz4")
            .withHeaps("256m", "512m")
            // The first answer of a DataNode loads its classes.
            .with("hdrf.mirror.probe.timeout", "60000")
            .with(MIRRORING, Boolean.toString(mirroring));
    Path plugins = Path.of(System.getProperty("hdrf.test.plugins"));
    LocalCluster cluster =
        LocalCluster.create(config, HadoopRuntime.ofThisJvm(Optional.of(plugins)), hosts);
    cluster.start();
    LinkMeter meter = new LinkMeter(hosts);
    cluster
        .submit(
            "put",
            "256m",
            "org.apache.hadoop.fs.FsShell",
            List.of("-put", text().toString(), "/file"))
        .awaitSuccess(line -> {});
    long received = meter.receivedByDataNodes();
    cluster.awaitReduced(LocalCluster.PATIENCE, pending -> {});
    return new Traffic(received, cluster.diskUsage(), cluster.dataNodes());
  }

  @Test
  void withoutMirroringPlainBytesTravel() throws IOException {
    Traffic traffic = write(false);
    assertThat(traffic.stored().blockBytes()).isLessThan(DATA_NODES * (SIZE / 2L));
    // Twice the data with checksums of 4 bytes for 512, and at most 2 % for everything else.
    long plain = (DATA_NODES - 1) * (SIZE + SIZE / 128L);
    assertThat(traffic.received()).isBetween(plain, plain + plain / 50);
  }

  @Test
  void withMirroringReducedBytesTravel() throws IOException {
    Configuration known = new Configuration(false);
    known.addResource(HdrfConf.DEFAULTS);
    assumeTrue(known.getRaw(MIRRORING) != null, "There is no " + MIRRORING);
    Traffic traffic = write(true);
    long reduced = (DATA_NODES - 1) * traffic.replica();
    assertThat(traffic.stored().blockBytes()).isLessThan(DATA_NODES * (SIZE / 2L));
    assertThat(traffic.received()).isLessThanOrEqualTo(reduced + reduced / 20);
    assertEncodedOnce(traffic.dataNodes());
  }

  /**
   * Checks that whichever DataNode was the first encoded for the wire, and that all store its
   * frames.
   */
  private static void assertEncodedOnce(List<DataNode> dataNodes) throws IOException {
    List<Map<String, String>> digests = new ArrayList<>();
    int encoders = 0;
    for (DataNode dataNode : dataNodes) {
      digests.add(framesOf(dataNode));
      assertThat(metric(dataNode, "FramesEncoded")).as(dataNode.name()).isZero();
      assertThat(metric(dataNode, "BlocksAdopted"))
          .as(dataNode.name())
          .isEqualTo(digests.get(0).size());
      encoders += metric(dataNode, "MirrorFramesEncoded") > 0 ? 1 : 0;
    }
    assertThat(encoders).isOne();
    assertThat(digests.get(0)).isNotEmpty();
    assertThat(digests).containsOnly(digests.get(0));
  }

  private static long metric(DataNode dataNode, String name) throws IOException {
    return dataNode.hdrfMetrics().stream().mapToLong(bean -> bean.path(name).asLong(-1)).sum();
  }

  /** Returns a digest of each block's stored frames, by the block's file name. */
  private static Map<String, String> framesOf(DataNode dataNode) throws IOException {
    Map<String, String> digests = new TreeMap<>();
    for (Path volume : dataNode.volumes()) {
      for (Path file : LiveFiles.below(volume)) {
        if (file.getFileName().toString().matches("blk_\\d+")) {
          digests.put(file.getFileName().toString(), FrameDigest.of(file));
        }
      }
    }
    return digests;
  }
}
