/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static io.hdrf.datanode.MirrorCounts.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.faulty.FaultyScheme;
import io.hdrf.io.TestBytes;
import io.hdrf.scheme.PluginJars;
import io.hdrf.wire.Fallback;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import javax.net.SocketFactory;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Pipelines of different DataNodes: stock ones, in every order of upgrade, one without the others'
 * scheme, some that do not answer.
 */
@Timeout(300)
class MirrorMixedClusterTest {

  private static final String FACTORY = "dfs.datanode.fsdataset.factory";
  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;

  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private void restart(int index, boolean asStock) throws Exception {
    restart(
        index,
        conf -> {
          if (asStock) {
            conf.unset(FACTORY);
          } else {
            conf.set(FACTORY, HdrfCluster.configuration().get(FACTORY));
          }
        });
  }

  /** Restarts a DataNode, which then is the last of the list. */
  private void restart(int index, Consumer<Configuration> change) throws Exception {
    DataNodeProperties stopped = cluster.mini().stopDataNode(index);
    change.accept(HdrfCluster.confOf(stopped));
    cluster.restart(stopped);
    cluster.mini().waitActive();
  }

  private static long stockOf(HdrfCluster cluster) {
    return cluster.mini().getDataNodes().stream().filter(d -> !MirrorCounts.hasHdrf(d)).count();
  }

  /** With enough files, the stock DataNode is first, second and last in a pipeline. */
  @Test
  void aStockDataNodeInEachPositionOfThePipeline() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 3);
    restart(1, true);
    assertThat(stockOf(cluster)).isEqualTo(1);
    writeWithTheLastInEachPosition();
    cluster.awaitReducedWhereHdrf();
    for (int i = 0; i < 3; i++) {
      cluster.assertContent("/mixed" + i, TestBytes.text(300_000 + i, i));
    }
    MirrorCounts counts = new MirrorCounts(cluster);
    assertThat(sum(counts.wire("mirrorFallback" + Fallback.PEER_IS_STOCK.metricName())))
        .isPositive();
    HdrfCluster.await(
        "blocks to have gone as frames", () -> sum(counts.wire("mirrorBytesWireSent")) > 0);
  }

  /**
   * Writes files, at least three, until the DataNode that was restarted has been in each position.
   *
   * @return at how many of all pipelines' connections it was, on either side
   */
  private int writeWithTheLastInEachPosition() throws Exception {
    String restarted = cluster.mini().getDataNodes().get(2).getDatanodeUuid();
    Set<Integer> positions = new HashSet<>();
    int connections = 0;
    for (int i = 0; i < 40 && positions.size() < 3; i++) {
      byte[] data = TestBytes.text(300_000 + i, i);
      String path = "/mixed" + i;
      try (FSDataOutputStream out = cluster.fs().create(new Path(path), (short) 3)) {
        out.write(data, 0, 200_000);
        out.hflush();
        int position =
            Arrays.stream(((DFSOutputStream) out.getWrappedStream()).getPipeline())
                .map(DatanodeInfo::getDatanodeUuid)
                .toList()
                .indexOf(restarted);
        positions.add(position);
        connections += position == 1 ? 2 : 1;
        out.write(data, 200_000, data.length - 200_000);
      }
      cluster.assertContent(path, data);
    }
    assertThat(positions).containsExactlyInAnyOrder(0, 1, 2);
    return connections;
  }

  /** Each side lacks the other's scheme, and takes blocks as HDFS sends them. */
  @Test
  void aDataNodeWithoutTheOthersScheme() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 3);
    java.nio.file.Path plugins = Files.createTempDirectory(HdrfCluster.testData(), "other-plugins");
    PluginJars.of(plugins, FaultyScheme.class);
    restart(
        0,
        conf -> {
          conf.set(HdrfKeys.PLUGINS_DIR, plugins.toString());
          conf.set(HdrfKeys.SCHEMES, FaultyScheme.NAME);
        });
    int connections = writeWithTheLastInEachPosition();
    MirrorCounts counts = new MirrorCounts(cluster);
    assertThat(sum(counts.wire("mirrorFallback" + Fallback.PEER_LACKS_SCHEME.metricName())))
        .isGreaterThanOrEqualTo(connections);
    assertThat(counts.wire("mirrorBytesWireSent")[2]).isZero();
    assertThat(counts.wire("mirrorBytesWireReceived")[2]).isZero();
    HdrfCluster.await(
        "blocks to have gone as frames between the others",
        () -> sum(counts.wire("mirrorBytesWireReceived")) > 0);
    cluster.awaitReduced();
    for (int i = 0; i < 3; i++) {
      cluster.awaitReduced("/mixed" + i);
      cluster.assertContent("/mixed" + i, TestBytes.text(300_000 + i, i));
    }
    assertThat(counts.reducer("blocksAdopted")[2]).isZero();
    assertThat(counts.reducer("framesEncoded")[2]).isPositive();
  }

  @Test
  void dataNodesThatDoNotAnswer() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.setClass(
        CommonConfigurationKeys.HADOOP_RPC_SOCKET_FACTORY_CLASS_DEFAULT_KEY,
        SilentSocketFactory.class,
        SocketFactory.class);
    conf.setInt("hdrf.mirror.probe.timeout", 200);
    cluster = HdrfCluster.start(conf, 3);
    int probesBefore = SilentSocketFactory.PROBES.get();
    byte[] data = TestBytes.text(BLOCK + 54_321, 0);
    cluster.write("/unknown", data, 3);
    cluster.assertContent("/unknown", data);
    MirrorCounts counts = new MirrorCounts(cluster);
    // Two connections for each block; a DataNode that did not answer is not asked for each.
    assertThat(sum(counts.wire("mirrorFallback" + Fallback.PEER_UNKNOWN.metricName())))
        .isGreaterThanOrEqualTo(4);
    assertThat(SilentSocketFactory.PROBES.get()).isGreaterThan(probesBefore);
    cluster.awaitReduced("/unknown");
    cluster.assertContent("/unknown", data);
    assertThat(counts.wire("mirrorBytesWireSent")).containsOnly(0);
    assertThat(counts.wire("mirrorBytesWireReceived")).containsOnly(0);
    assertThat(counts.reducer("blocksAdopted")).containsOnly(0);
  }

  /** Capabilities that a DataNode remembers of others become wrong at each restart. */
  @Test
  void oneAfterTheOtherThereAndBack() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 4);
    writeSome("/before");
    for (boolean stock : new boolean[] {true, false}) {
      for (int i = 0; i < 4; i++) {
        restart(0, stock);
        writeSome("/" + (stock ? "down" : "up") + i);
      }
      cluster.awaitReducedWhereHdrf();
    }
    cluster.assertContent("/down3", TestBytes.text(BLOCK + 54_321, 0));
    cluster.awaitReduced("/up3");
    assertThat(sum(new MirrorCounts(cluster).wire("mirrorBytesWireSent"))).isPositive();
  }

  private void writeSome(String path) throws Exception {
    byte[] data = TestBytes.text(BLOCK + 54_321, 0);
    cluster.write(path, data, 3);
    cluster.assertContent(path, data);
  }
}
