/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static io.hdrf.datanode.MirrorCounts.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import io.hdrf.wire.Fallback;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks travel between DataNodes as frames, and are stored as received. */
@Timeout(180)
class MirroringTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;

  private HdrfCluster cluster;

  @BeforeEach
  void start() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_DECOMMISSION_INTERVAL_KEY, 1);
    cluster = HdrfCluster.start(conf, 3);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private long[] wire(String name) {
    return new MirrorCounts(cluster).wire(name);
  }

  private long[] reducer(String name) {
    return new MirrorCounts(cluster).reducer(name);
  }

  @Test
  void aPipelineEncodesOnceAndStoresTheSameFramesEverywhere() throws Exception {
    byte[] data = TestBytes.text(BLOCK, 1);
    cluster.write("/one", data, 3);
    cluster.awaitReduced("/one");
    cluster.assertContent("/one", data);

    assertThat(reducer("blocksAdopted")).containsOnly(1);
    assertThat(reducer("framesEncoded")).containsOnly(0);
    long[] encoded = wire("mirrorFramesEncoded");
    assertThat(Arrays.stream(encoded).filter(count -> count > 0)).hasSize(1);
    assertThat(sum(wire("mirrorFramesForwarded"))).isEqualTo(sum(encoded));
    HdrfCluster.await(
        "what was received to be what was sent",
        () ->
            sum(wire("mirrorBytesPlainSent")) > 2L * BLOCK
                && sum(wire("mirrorBytesWireSent")) == sum(wire("mirrorBytesWireReceived")));
    assertThat(sum(wire("mirrorBytesWireSent"))).isLessThan(BLOCK);
    cluster.assertSameFrames("/one", 3);
  }

  @Test
  void trafficIsCountedByOperationAndByPeer() throws Exception {
    cluster.write("/counted", TestBytes.text(BLOCK, 10), 3);
    HdrfCluster.await(
        "both streams to be counted",
        () ->
            sum(wire("mirrorBytesPlainSent")) > 2L * BLOCK
                && sum(wire("mirrorBytesPlainReceived")) > 2L * BLOCK);
    List<String> totals =
        List.of(
            "mirrorBytesPlainSent",
            "mirrorBytesWireSent",
            "mirrorBytesPlainReceived",
            "mirrorBytesWireReceived");
    // One after the other.
    HdrfCluster.await(
        "each of them",
        () ->
            totals.stream()
                .allMatch(
                    total ->
                        Arrays.equals(wire(total + "-WRITE_BLOCK"), wire(total))
                            && Arrays.equals(wire(total + "-127.0.0.1"), wire(total))));
    for (String total : totals) {
      assertThat(sum(wire(total))).as(total).isPositive();
      assertThat(wire(total + "-WRITE_BLOCK")).as(total).isEqualTo(wire(total));
      assertThat(wire(total + "-127.0.0.1")).as(total).isEqualTo(wire(total));
    }
  }

  /** Nor if they are of another kind; the receiver verifies them in either case. */
  @Test
  void checksumsTravelOnlyWhereThePeerCannotMakeThem() throws Exception {
    byte[] data = TestBytes.text(BLOCK, 8);
    int sums = (BLOCK + 511) / 512 * 4;
    cluster.write("/made", data, 3);
    assertThat(sum(wire("mirrorChecksumBytesLeftOut"))).isEqualTo(2L * sums);
    long before = sum(wire("mirrorBytesWireSent"));

    EnumSet<CreateFlag> create = EnumSet.of(CreateFlag.CREATE);
    Options.ChecksumOpt crc32 = new Options.ChecksumOpt(DataChecksum.Type.CRC32, 512);
    Path path = new Path("/sent");
    try (FSDataOutputStream out =
        cluster
            .fs()
            .create(
                path, FsPermission.getFileDefault(), create, 4096, (short) 3, BLOCK, null, crc32)) {
      out.write(data);
    }
    assertThat(sum(wire("mirrorChecksumBytesLeftOut"))).isEqualTo(2L * sums);
    // A stream is counted when it is closed, which may be after the client's write.
    HdrfCluster.await(
        "the second to take more by its checksums",
        () -> sum(wire("mirrorBytesWireSent")) - before > before + sums);
    cluster.awaitReduced("/made");
    cluster.awaitReduced("/sent");
    cluster.assertContent("/made", data);
    cluster.assertContent("/sent", data);
  }

  @Test
  void aDecommissionedDataNodesBlockTravelsAsItIsStored() throws Exception {
    byte[] data = TestBytes.text(BLOCK - 1000, 9);
    cluster.write("/leaving", data, 1);
    cluster.awaitReduced("/leaving");
    long[] encodedBefore = reducer("framesEncoded");
    DatanodeManager datanodes =
        cluster.mini().getNamesystem().getBlockManager().getDatanodeManager();
    DatanodeDescriptor leaving =
        datanodes.getDatanode(cluster.blocks("/leaving").get(0).getLocations()[0]);
    datanodes.getDatanodeAdminManager().startDecommission(leaving);
    HdrfCluster.await("the DataNode to be decommissioned", leaving::isDecommissioned);
    // It keeps its replica.
    HdrfCluster.await("a second replica", () -> cluster.replicas("/leaving").size() == 2);
    cluster.awaitReduced("/leaving");
    cluster.assertContent("/leaving", data);

    cluster.assertSameFrames("/leaving", 2);
    assertThat(sum(wire("mirrorFramesSentAsStored"))).isPositive();
    assertThat(wire("mirrorFramesEncoded")).containsOnly(0);
    assertThat(reducer("framesEncoded")).isEqualTo(encodedBefore);
    assertThat(sum(reducer("blocksAdopted"))).isEqualTo(1);
  }

  /** With many packets in flight, several share a frame. */
  @Test
  void framesOfABusyPipelineAreTheSameEverywhere() throws Exception {
    byte[] data = TestBytes.text(8 * BLOCK, 7);
    DataNodeFaultInjector before = DataNodeFaultInjector.get();
    DataNodeFaultInjector.set(
        new DataNodeFaultInjector() {
          @Override
          public void delaySendingAckToUpstream(String upstreamAddr) throws IOException {
            try {
              Thread.sleep(5);
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
        });
    Path path = new Path("/busy");
    try (FSDataOutputStream out = cluster.fs().create(path, true, 4096, (short) 3, data.length)) {
      out.write(data);
    } finally {
      DataNodeFaultInjector.set(before);
    }
    cluster.assertContent("/busy", data);
    cluster.awaitReduced("/busy");
    cluster.assertContent("/busy", data);

    assertThat(reducer("blocksAdopted")).containsOnly(1);
    assertThat(reducer("framesEncoded")).containsOnly(0);
    long[] encoded = wire("mirrorFramesEncoded");
    assertThat(Arrays.stream(encoded).filter(count -> count > 0)).hasSize(1);
    // A packet has at most 64 KiB.
    assertThat(sum(encoded)).isPositive().isLessThan(data.length / (64 << 10));
    assertThat(sum(wire("mirrorFramesForwarded"))).isEqualTo(sum(encoded));
    cluster.assertSameFrames("/busy", 3);
  }

  @Test
  void lengthsOfAllKinds() throws Exception {
    int[] lengths = {1, 511, 512, 513, 64_511, 64_512, 64_513, BLOCK - 1, BLOCK + 1, 3 * BLOCK + 7};
    for (int length : lengths) {
      byte[] data = TestBytes.text(length, length);
      cluster.write("/f" + length, data, 3);
      cluster.assertContent("/f" + length, data);
    }
    cluster.awaitReduced();
    for (int length : lengths) {
      cluster.assertContent("/f" + length, TestBytes.text(length, length));
    }
  }

  @Test
  void whatCannotBeReducedTravelsToo() throws Exception {
    byte[] data = TestBytes.noise(6 * BLOCK, 2);
    cluster.write("/noise", data, 3);
    cluster.awaitReduced();
    cluster.assertContent("/noise", data);
    assertThat(sum(wire("mirrorBytesWireSent")))
        .isLessThan(sum(wire("mirrorBytesPlainSent")) / 1000 * 1002);
  }

  @Test
  void whatWasFlushedIsVisibleOnEveryReplica() throws Exception {
    byte[] data = TestBytes.text(BLOCK, 3);
    try (FSDataOutputStream out = cluster.fs().create(new Path("/flushed"), (short) 3)) {
      int end = 0;
      for (int step : new int[] {1, 100, 411, 512, 70_000, 200_001, 13}) {
        out.write(data, end, step);
        end += step;
        if (step % 2 == 0) {
          out.hflush();
        } else {
          out.hsync();
        }
        cluster.assertFlushed("/flushed", data, end);
      }
      out.write(data, end, data.length - end);
    }
    cluster.assertContent("/flushed", data);
    cluster.awaitReduced("/flushed");
    cluster.assertContent("/flushed", data);
  }

  @Test
  void aReducedBlockIsReplicatedAsItIsStored() throws Exception {
    byte[] data = TestBytes.text(2 * BLOCK + 54_321, 4);
    cluster.write("/replicated", data, 1);
    cluster.awaitReduced("/replicated");
    long encodedBefore = sum(reducer("framesEncoded"));
    cluster.fs().setReplication(new Path("/replicated"), (short) 3);
    cluster.awaitReplication("/replicated", 3);
    cluster.awaitReduced("/replicated");
    cluster.assertContent("/replicated", data);
    assertThat(sum(wire("mirrorFramesSentAsStored"))).isPositive();
    assertThat(sum(wire("mirrorFramesEncoded"))).isZero();
    assertThat(sum(reducer("framesEncoded"))).isEqualTo(encodedBefore);
    assertThat(sum(reducer("blocksAdopted"))).isEqualTo(6);
    // One transfer may go on from its first target to its second.
    HdrfCluster.await("the senders to call it a success", () -> blocksReplicated() >= 3);
  }

  /** How many blocks the DataNodes copied to others without an error, as HDFS counts them. */
  private long blocksReplicated() {
    long sum = 0;
    for (DataNode datanode : cluster.mini().getDataNodes()) {
      MetricsCollectorImpl collector = new MetricsCollectorImpl();
      DefaultMetricsSystem.instance()
          .getSource(datanode.getMetrics().name())
          .getMetrics(collector, true);
      List<? extends MetricsRecord> records = collector.getRecords();
      for (AbstractMetric metric : records.get(0).metrics()) {
        if (metric.name().equals("BlocksReplicated")) {
          sum += metric.value().longValue();
        }
      }
    }
    return sum;
  }

  @Test
  void theBalancersCopyTravelsAsItIsStored() throws Exception {
    byte[] data = TestBytes.text(BLOCK - 1000, 5);
    cluster.write("/balanced", data, 1);
    cluster.awaitReduced("/balanced");
    LocatedBlock block = cluster.blocks("/balanced").get(0);
    DatanodeInfo source = block.getLocations()[0];
    DatanodeInfo target = null;
    for (DatanodeInfo candidate : cluster.fs().getDataNodeStats()) {
      if (!candidate.equals(source)) {
        target = candidate;
      }
    }
    assertThat(BlockMoves.replace(block.getBlock(), source, target.getXferPort()))
        .isEqualTo(Status.SUCCESS);
    HdrfCluster.await(
        "the copy to be the only replica",
        () -> {
          try {
            DatanodeInfo[] locations = cluster.blocks("/balanced").get(0).getLocations();
            return locations.length == 1 && !locations[0].equals(source);
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
    cluster.awaitReduced("/balanced");
    cluster.assertContent("/balanced", data);
    assertThat(sum(wire("mirrorFramesSentAsStored"))).isPositive();
    HdrfCluster.await(
        "the stream to be counted", () -> sum(wire("mirrorBytesWireSent-COPY_BLOCK")) > 0);
    assertThat(sum(wire("mirrorBytesWireSent-WRITE_BLOCK"))).isZero();
    assertThat(sum(wire("mirrorFramesEncoded"))).isZero();
    assertThat(sum(reducer("blocksAdopted"))).isEqualTo(1);
  }

  @Test
  void anAppendGoesOnWithPlainBlocks() throws Exception {
    byte[] data = TestBytes.text(900_000, 6);
    cluster.write("/appended", Arrays.copyOf(data, 300_001), 3);
    cluster.awaitReduced("/appended");
    cluster.append("/appended", Arrays.copyOfRange(data, 300_001, data.length));
    cluster.assertContent("/appended", data);
    cluster.awaitReduced("/appended");
    cluster.assertContent("/appended", data);
    assertThat(sum(wire("mirrorFallback" + Fallback.BROKEN_SEQUENCE.metricName()))).isPositive();
  }
}
