/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static io.hdrf.datanode.MirrorCounts.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.io.TestBytes;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.GroupStream;
import io.hdrf.wire.Preamble;
import io.hdrf.wire.ProvedStream;
import io.hdrf.wire.WireFormat;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups that the first DataNode of a pipeline has encoded, in the stores of the others. */
@Timeout(300)
class GroupOffersTest {

  private static final int LENGTH = 3 * HdrfCluster.BLOCK_SIZE;
  private static final int MAX_FILES = 60;

  private HdrfCluster cluster;
  private int files;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Configuration configuration() {
    Configuration conf = ReferencesTest.configuration("dedup,lz4");
    conf.set("hdrf.mirror.enabled", "auto");
    // Longer than a DataNode of the test takes to make an offer.
    conf.setInt("hdrf.reduce.delay", 3000);
    return conf;
  }

  private long wire(String name) {
    return sum(new MirrorCounts(cluster).wire(name));
  }

  private long dedup(String name) {
    return cluster.mini().getDataNodes().stream()
        .map(HdrfDatasets::service)
        .mapToLong(service -> service.schemeStores().metrics().get("dedup").get(name))
        .sum();
  }

  private byte[] write(int replication) throws Exception {
    files++;
    byte[] data = TestBytes.text(LENGTH, files);
    cluster.write("/" + files, data, replication);
    return data;
  }

  /** Writes until blocks go plain between all DataNodes. */
  private void settle(int replication) throws Exception {
    long before;
    do {
      assertThat(files).isLessThan(MAX_FILES);
      before = wire("mirrorBytesPlainSent");
      write(replication);
    } while (wire("mirrorBytesPlainSent") > before);
    cluster.awaitReduced("/" + files);
  }

  @Test
  void newChunksAreEncodedByOneDataNode() throws Exception {
    cluster = HdrfCluster.start(configuration(), 3);
    settle(3);
    long encoded = dedup("bytesNew");
    long received = dedup("bytesReceived");
    byte[] data = write(3);
    cluster.awaitReduced("/" + files);
    HdrfCluster.await("the offers to end", () -> wire("mirrorOffers") >= 6);
    assertThat(dedup("bytesReceived") - received).isGreaterThan(LENGTH);
    assertThat(dedup("bytesNew") - encoded).isLessThan(2 * LENGTH);
    assertThat(wire("mirrorGroupsSent")).isPositive();
    assertThat(wire("mirrorGroupBytesSent")).isBetween(1L, (long) files * LENGTH);
    cluster.assertContent("/" + files, data);
    for (int i = 0; i < 3; i++) {
      cluster.mini().restartDataNode(i);
    }
    cluster.mini().waitActive();
    cluster.assertContent("/" + files, data);
  }

  /** The others wait no longer. */
  @Test
  void aDataNodeThatStopsLetsTheOthersGoOn() throws Exception {
    cluster = HdrfCluster.start(configuration(), 2);
    settle(2);
    byte[] data = write(2);
    cluster.mini().stopDataNode(0);
    HdrfCluster.await(
        "the other one to reduce its replicas",
        () -> HdrfDatasets.service(cluster.mini().getDataNodes().get(0)).pending() == 0);
    cluster.assertContent("/" + files, data);
  }

  /** Its groups name a codec that the other DataNode may lack. */
  @Test
  void groupsThatMeanNothingElsewhereStay() throws Exception {
    Configuration conf = configuration();
    conf.set("hdrf.schemes", "dedup,hadoop-codec");
    conf.set("hdrf.reduce.delay", "0");
    cluster = HdrfCluster.start(conf, 2);
    settle(2);
    byte[] data = write(2);
    cluster.awaitReduced("/" + files);
    assertThat(wire("mirrorOffers")).isZero();
    assertThat(dedup("groupsReceived")).isZero();
    cluster.assertContent("/" + files, data);
  }

  @Test
  void aBlockWaitsAsLongAsTheConnectionIsOpen() throws Exception {
    Configuration conf = configuration();
    cluster = HdrfCluster.start(conf, 1);
    write(1);
    ExtendedBlock block = cluster.blocks("/1").get(0).getBlock();
    int port = cluster.mini().getDataNodes().get(0).getXferPort();
    try (Socket socket = connect(port, WireFormat.OFFER);
        GroupStream stream = new GroupStream(socket.getInputStream(), socket.getOutputStream())) {
      stream.offer(offer(block, port));
      assertThat(stream.readReply().grant()).isNotNull();
      Thread.sleep(4000);
      assertThat(cluster.isReduced(0, block)).isFalse();
    }
    cluster.awaitReduced("/1");
  }

  private static Socket connect(int port, int kind) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write(Preamble.encode(kind));
    return socket;
  }

  private GroupStream.Offer offer(ExtendedBlock block, int port) throws IOException {
    long dialect;
    try (Socket socket = connect(port, WireFormat.PROBE)) {
      Capabilities capabilities = Capabilities.read(socket.getInputStream());
      assertThat(capabilities.takesGroups()).isTrue();
      dialect = capabilities.dialects().first();
    }
    return new GroupStream.Offer(
        new BlockRef(block.getBlockPoolId(), block.getBlockId()),
        block.getGenerationStamp(),
        dialect,
        new int[] {3, 1});
  }

  /** A client can't have a DataNode wait, nor put anything into its store. */
  @Test
  void aClientIsRefused() throws Exception {
    Configuration conf = configuration();
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    cluster = HdrfCluster.start(conf, 1);
    write(1);
    LocatedBlock block = cluster.blocks("/1").get(0);
    int port = cluster.mini().getDataNodes().get(0).getXferPort();
    try (Socket socket = connect(port, WireFormat.OFFER);
        GroupStream stream = new GroupStream(socket.getInputStream(), socket.getOutputStream())) {
      stream.offer(offer(block.getBlock(), port));
      assertThat(stream.readReply().challenge()).isNotNull();
      stream.prove(new ProvedStream.Proof(new byte[32], block.getBlockToken().getIdentifier()));
      assertThat(stream.readGrant()).isNull();
    }
    assertThat(wire("mirrorProofsRefused")).isEqualTo(1);
    cluster.awaitReduced("/1");
  }
}
