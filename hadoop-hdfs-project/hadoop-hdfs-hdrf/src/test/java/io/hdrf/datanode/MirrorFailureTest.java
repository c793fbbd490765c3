/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static io.hdrf.datanode.MirrorCounts.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.faulty.FaultyScheme;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.wire.Fallback;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that break, peers that die, schemes that fail, while blocks travel as frames. */
@Timeout(300)
class MirrorFailureTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;

  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    FlippingSocketFactory.FLIPS.set(0);
    System.clearProperty(FaultyScheme.ENCODE_FAILURE);
    System.clearProperty(FaultyScheme.ONLY_ENCODER);
    if (cluster != null) {
      cluster.close();
    }
  }

  private void start(Configuration conf, int datanodes) throws Exception {
    cluster = HdrfCluster.start(conf, datanodes);
  }

  private long fallbacks(Fallback reason) {
    return sum(new MirrorCounts(cluster).wire("mirrorFallback" + reason.metricName()));
  }

  /** The client's recovery of the pipeline is stock HDFS's; no wrong byte is stored. */
  @Test
  void flippedBitsAreFoundAndTheBlocksSentAgain() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.setClass(
        CommonConfigurationKeys.HADOOP_RPC_SOCKET_FACTORY_CLASS_DEFAULT_KEY,
        FlippingSocketFactory.class,
        javax.net.SocketFactory.class);
    // An interrupt does not end a read of its sockets, which have no channel.
    conf.setLong("dfs.datanode.xceiver.stop.timeout.millis", 5000);
    start(conf, 5);
    int streamsBefore = FlippingSocketFactory.STREAMS.get();
    FlippingSocketFactory.begin(3, TestSeed.random(MirrorFailureTest.class.getName()));
    byte[] data = TestBytes.text(6 * BLOCK, 1);
    cluster.write("/flipped", data, 3);
    assertThat(FlippingSocketFactory.FLIPS).hasValue(0);
    assertThat(FlippingSocketFactory.STREAMS.get()).isGreaterThan(streamsBefore + 6);
    cluster.assertContent("/flipped", data);
    cluster.awaitReplication("/flipped", 3);
    cluster.awaitReduced("/flipped");
    cluster.assertContent("/flipped", data);
  }

  /**
   * The first one encodes for the wire; the others store what they receive, and encode on no
   * thread.
   */
  @Test
  void onlyTheFirstOfAPipelineEncodes() throws Exception {
    start(HdrfCluster.configuration(HdrfCluster.plugins(FaultyScheme.class), FaultyScheme.NAME), 3);
    System.setProperty(FaultyScheme.ONLY_ENCODER, "");
    byte[] data = TestBytes.text(500_000, 2);
    int first = writeAndFindTheFirst("/adopted", data);
    cluster.awaitReduced("/adopted");
    cluster.assertContent("/adopted", data);

    assertThat(System.getProperty(FaultyScheme.ONLY_ENCODER))
        .isEqualTo(volumes(cluster.mini().getDataNodes().get(first)));
    MirrorCounts counts = new MirrorCounts(cluster);
    long[] encoded = counts.wire("mirrorFramesEncoded");
    for (int i = 0; i < encoded.length; i++) {
      assertThat(encoded[i] > 0).as("DataNode %d has encoded", i).isEqualTo(i == first);
    }
    assertThat(fallbacks(Fallback.ENCODER_FAILED)).isZero();
    assertThat(sum(counts.wire("mirrorFramesForwarded"))).isEqualTo(encoded[first]);
    assertThat(counts.reducer("framesEncoded")).containsOnly(0);
    assertThat(counts.reducer("blocksAdopted")).containsOnly(1);
    cluster.assertSameFrames("/adopted", 3);
  }

  private static String volumes(DataNode datanode) {
    return datanode.getConf().get(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY);
  }

  /** Writes a file of one block, and says which DataNode the client wrote to. */
  private int writeAndFindTheFirst(String path, byte[] data) throws Exception {
    String first;
    try (FSDataOutputStream out = cluster.fs().create(new Path(path), (short) 3)) {
      out.write(data);
      DFSOutputStream stream = (DFSOutputStream) out.getWrappedStream();
      HdrfCluster.await("a pipeline", () -> stream.getPipeline() != null);
      first = stream.getPipeline()[0].getDatanodeUuid();
    }
    return cluster.mini().getDataNodes().stream()
        .map(DataNode::getDatanodeUuid)
        .toList()
        .indexOf(first);
  }

  @Test
  void aSchemeThatCannotEncodeDoesNotStopThePipeline() throws Exception {
    start(HdrfCluster.configuration(HdrfCluster.plugins(FaultyScheme.class), FaultyScheme.NAME), 3);
    System.setProperty(FaultyScheme.ENCODE_FAILURE, "");
    byte[] data = TestBytes.text(500_000, 3);
    cluster.write("/plain", data, 3);
    cluster.assertContent("/plain", data);
    assertThat(fallbacks(Fallback.ENCODER_FAILED)).isPositive();
    System.clearProperty(FaultyScheme.ENCODE_FAILURE);
    cluster.awaitReduced("/plain");
    cluster.assertContent("/plain", data);
  }

  @Test
  void aDataNodeOfThePipelineDies() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.setBoolean(HdfsClientConfigKeys.BlockWrite.ReplaceDatanodeOnFailure.BEST_EFFORT_KEY, true);
    start(conf, 5);
    byte[] data = TestBytes.text(3 * BLOCK + 123_456, 4);
    for (int round = 0; round < 2; round++) {
      String path = "/dies" + round;
      try (FSDataOutputStream out = cluster.fs().create(new Path(path), (short) 3)) {
        int half = BLOCK + BLOCK / 2 + round;
        out.write(data, 0, half);
        out.hflush();
        stopOneOfThePipeline(path, round);
        out.write(data, half, data.length - half);
      }
      cluster.assertContent(path, data);
      cluster.awaitReduced();
      cluster.assertContent(path, data);
    }
  }

  /** The client still knows five, and replaces it by another one. */
  private void stopOneOfThePipeline(String path, int position) throws Exception {
    try (FSDataInputStream in = cluster.fs().open(new Path(path))) {
      List<LocatedBlock> blocks = DFSTestUtil.getAllBlocks(in);
      String name = blocks.get(blocks.size() - 1).getLocations()[position].getXferAddr();
      assertThat(cluster.mini().stopDataNode(name)).isNotNull();
    }
  }

  @Test
  void encryptedDataTransfer() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    // Otherwise whether blocks go encoded depends on how fast the link is.
    conf.set("hdrf.mirror.enabled", "true");
    conf.setBoolean(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, true);
    conf.set(DFSConfigKeys.DFS_DATA_ENCRYPTION_ALGORITHM_KEY, "rc4");
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    start(conf, 3);
    byte[] data = TestBytes.text(2 * BLOCK + 54_321, 5);
    cluster.write("/encrypted", data, 1);
    cluster.awaitReduced("/encrypted");
    cluster.fs().setReplication(new Path("/encrypted"), (short) 3);
    cluster.awaitReplication("/encrypted", 3);
    cluster.write("/pipeline", data, 3);
    cluster.awaitReduced("/encrypted");
    cluster.awaitReduced("/pipeline");
    cluster.assertContent("/encrypted", data);
    cluster.assertContent("/pipeline", data);
    MirrorCounts counts = new MirrorCounts(cluster);
    assertThat(sum(counts.wire("mirrorFramesSentAsStored"))).isPositive();
    assertThat(sum(counts.reducer("blocksAdopted"))).isEqualTo(3 * 3 + 2 * 3);
  }

  @Test
  void switchedOff() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.setBoolean(HdrfKeys.PREFIX + HdrfKeys.MIRROR_SECTION + ".enabled", false);
    start(conf, 3);
    byte[] data = TestBytes.text(BLOCK, 6);
    cluster.write("/off", data, 3);
    cluster.awaitReduced("/off");
    cluster.assertContent("/off", data);
    MirrorCounts counts = new MirrorCounts(cluster);
    assertThat(counts.wire("mirrorBytesWireSent")).containsOnly(0);
    assertThat(counts.reducer("blocksAdopted")).containsOnly(0);
    assertThat(Arrays.stream(counts.reducer("framesEncoded")).allMatch(n -> n > 0)).isTrue();
  }
}
