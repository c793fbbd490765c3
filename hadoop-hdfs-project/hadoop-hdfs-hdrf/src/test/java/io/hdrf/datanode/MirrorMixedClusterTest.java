/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static io.hdrf.datanode.MirrorCounts.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.wire.Fallback;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stock DataNodes and those with HDRF in one pipeline, in every order of upgrade. */
@Timeout(300)
class MirrorMixedClusterTest {

  private static final String FACTORY = "dfs.datanode.fsdataset.factory";
  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;

  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void restart(int index, boolean asStock) throws Exception {
    DataNodeProperties stopped = cluster.mini().stopDataNode(index);
    Field field = DataNodeProperties.class.getDeclaredField("conf");
    field.setAccessible(true);
    Configuration conf = (Configuration) field.get(stopped);
    if (asStock) {
      conf.unset(FACTORY);
    } else {
      conf.set(FACTORY, HdrfCluster.configuration().get(FACTORY));
    }
    assertThat(cluster.mini().restartDataNode(stopped, true)).isTrue();
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
    Set<Integer> positions = new HashSet<>();
    for (int i = 0; i < 40 && positions.size() < 3; i++) {
      byte[] data = HdrfCluster.text(300_000 + i, i);
      String path = "/mixed" + i;
      try (FSDataOutputStream out = cluster.fs().create(new Path(path), (short) 3)) {
        out.write(data, 0, 200_000);
        out.hflush();
        positions.add(positionOfStock(((DFSOutputStream) out.getWrappedStream()).getPipeline()));
        out.write(data, 200_000, data.length - 200_000);
      }
      cluster.assertContent(path, data);
    }
    assertThat(positions).containsExactlyInAnyOrder(0, 1, 2);
    cluster.awaitReducedWhereHdrf();
    for (int i = 0; i < 3; i++) {
      cluster.assertContent("/mixed" + i, HdrfCluster.text(300_000 + i, i));
    }
    MirrorCounts counts = new MirrorCounts(cluster);
    assertThat(sum(counts.wire("mirrorFallback" + Fallback.PEER_IS_STOCK.metricName())))
        .isPositive();
    HdrfCluster.await(
        "blocks to have gone as frames", () -> sum(counts.wire("mirrorBytesWireSent")) > 0);
  }

  private int positionOfStock(DatanodeInfo[] pipeline) {
    for (int i = 0; i < pipeline.length; i++) {
      for (DataNode datanode : cluster.mini().getDataNodes()) {
        if (datanode.getDatanodeUuid().equals(pipeline[i].getDatanodeUuid())
            && !MirrorCounts.hasHdrf(datanode)) {
          return i;
        }
      }
    }
    throw new AssertionError("no stock DataNode is in the pipeline");
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
    cluster.assertContent("/down3", HdrfCluster.text(BLOCK + 54_321, 0));
    cluster.awaitReduced("/up3");
    assertThat(sum(new MirrorCounts(cluster).wire("mirrorBytesWireSent"))).isPositive();
  }

  private void writeSome(String path) throws Exception {
    byte[] data = HdrfCluster.text(BLOCK + 54_321, 0);
    cluster.write(path, data, 3);
    cluster.assertContent(path, data);
  }
}
