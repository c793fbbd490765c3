/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static io.hdrf.datanode.MirrorCounts.sum;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.ChunkBatch;
import io.hdrf.wire.ChunkQueryStream;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.Preamble;
import io.hdrf.wire.WireFormat;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chunks that the receiver has are sent by reference. */
@Timeout(300)
class ReferencesTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;

  private HdrfCluster cluster;

  /** Bytes that were written with three replicas. */
  private long written;

  @AfterEach
  void stop() {
    FlippingSocketFactory.FLIPS.set(0);
    if (cluster != null) {
      cluster.close();
    }
  }

  static Configuration configuration(String chain) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.set(HdrfKeys.SCHEMES, chain);
    conf.setInt("hdrf.metadata.flush.interval", 20);
    conf.setInt("hdrf.metadata.check.interval", 100);
    conf.set("hdrf.dedup.dba.capacity", "5000");
    conf.set("hdrf.dedup.dba.filters", "8");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.mirror.enabled", "true");
    conf.setInt("hdrf.mirror.answer.timeout", 10_000);
    conf.setInt("hdrf.mirror.probe.timeout", 60_000);
    return conf;
  }

  private long wire(String name) {
    return sum(new MirrorCounts(cluster).wire(name));
  }

  private long fallbacks(Fallback reason) {
    return wire("mirrorFallback" + reason.metricName());
  }

  /** Bytes that went from DataNode to DataNode, the questions and answers among them. */
  private long sent() {
    return wire("mirrorBytesWireSent") + wire("mirrorBytesAsking");
  }

  /** Streams are counted when they are closed. */
  private void awaitTraffic() throws InterruptedException {
    HdrfCluster.await(
        "all that was sent to be counted on both sides",
        () ->
            wire("mirrorBytesPlainSent") >= 2 * written
                && wire("mirrorBytesWireSent") == wire("mirrorBytesWireReceived"));
  }

  private String counters() {
    return cluster.mini().getDataNodes().stream()
        .map(HdrfDatasets::service)
        .map(service -> service.mirroring().counters().values().toString())
        .collect(Collectors.joining("\n"));
  }

  /** Returns data of the same length, with a few edits that shift the rest. */
  static byte[] nextVersion(byte[] data, long seed) {
    Random random = new Random(seed);
    byte[] next = new byte[data.length + 300];
    int length = 0;
    int edits = Math.max(1, data.length / (256 << 10));
    for (int i = 0; i < edits; i++) {
      int from = (int) ((long) data.length * i / edits);
      int to = (int) ((long) data.length * (i + 1) / edits);
      System.arraycopy(data, from, next, length, to - from);
      next[length + random.nextInt(to - from)] ^= 1;
      length += to - from;
      if (length < next.length - 300 + i) {
        next[length++] = 'x';
      }
    }
    return Arrays.copyOf(next, data.length);
  }

  private void writeReduced(String path, byte[] data) throws Exception {
    cluster.write(path, data, 3);
    written += data.length;
    cluster.awaitReduced(path);
    awaitTraffic();
  }

  private void secondVersionGoesByReference(Configuration conf) throws Exception {
    cluster = HdrfCluster.start(conf, 3);
    byte[] first = TestBytes.text(3 * BLOCK + 300_000, 1);
    writeReduced("/first", first);
    cluster.assertContent("/first", first);
    long sentFirst = sent();
    long encodedFirst = wire("mirrorFramesEncoded");
    long forwardedFirst = wire("mirrorFramesForwarded");
    byte[] second = nextVersion(first, 2);
    writeReduced("/second", second);
    cluster.assertContent("/second", second);
    long sentSecond = sent() - sentFirst;
    String counters = counters();
    assertThat(wire("mirrorBytesByReference"))
        .as("%s", counters)
        .isGreaterThan(2L * second.length * 8 / 10);
    assertThat(sentSecond).as("%s", counters).isLessThan(sentFirst / 3);
    // The data between the references are encoded once, and passed on unchanged if the third
    // DataNode has the same chunks as the second.
    long encoded = wire("mirrorFramesEncoded") - encodedFirst;
    assertThat(encoded).as("%s", counters).isPositive();
    assertThat(wire("mirrorFramesForwarded") - forwardedFirst)
        .as("%s", counters)
        .isBetween(encoded * 8 / 10, encoded);
    assertThat(fallbacks(Fallback.ASK_REFUSED)).isZero();
    assertThat(fallbacks(Fallback.ASK_FAILED)).isZero();
    HdrfCluster.await(
        "nothing to be held any more",
        () ->
            cluster.mini().getDataNodes().stream()
                .map(datanode -> HdrfDatasets.service(datanode).mirroring().queries().sessions())
                .allMatch(sessions -> sessions.memory() == 0));
  }

  @Test
  void aSecondVersionWithLz4() throws Exception {
    secondVersionGoesByReference(configuration("dedup,lz4"));
  }

  @Test
  void aSecondVersionWithoutFramesBehindDedup() throws Exception {
    secondVersionGoesByReference(configuration("dedup"));
  }

  @Test
  void withBlockTokens() throws Exception {
    Configuration conf = configuration("dedup,lz4");
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    secondVersionGoesByReference(conf);
    assertThat(wire("mirrorProofsRefused")).isZero();
  }

  @Test
  void withEncryptedTransfer() throws Exception {
    Configuration conf = configuration("dedup,lz4");
    conf.setBoolean(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, true);
    conf.set(DFSConfigKeys.DFS_DATA_ENCRYPTION_ALGORITHM_KEY, "rc4");
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    secondVersionGoesByReference(conf);
  }

  @Test
  void whatWasFlushedIsVisibleOnEveryReplica() throws Exception {
    cluster = HdrfCluster.start(configuration("dedup,lz4"), 3);
    byte[] data = TestBytes.text(BLOCK, 3);
    writeReduced("/first", data);
    try (FSDataOutputStream out = cluster.fs().create(new Path("/flushed"), (short) 3)) {
      int end = 0;
      for (int step : new int[] {1, 100, 411, 512, 70_000, 200_001, 13, 300_000}) {
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
    assertThat(wire("mirrorChunksByReference")).isPositive();
  }

  @Test
  void switchedOff() throws Exception {
    Configuration conf = configuration("dedup,lz4");
    conf.setBoolean("hdrf.mirror.references", false);
    cluster = HdrfCluster.start(conf, 3);
    byte[] data = TestBytes.text(BLOCK, 4);
    writeReduced("/first", data);
    writeReduced("/second", data);
    cluster.assertContent("/second", data);
    assertThat(wire("mirrorAsks")).isZero();
    assertThat(wire("mirrorAnswers")).isZero();
  }

  /** Rule 28: a peer that names fingerprints must be a DataNode. */
  @Test
  void aClientIsNotAnswered() throws Exception {
    Configuration conf = configuration("dedup,lz4");
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    cluster = HdrfCluster.start(conf, 1);
    byte[] data = TestBytes.text(BLOCK, 6);
    cluster.write("/secret", data, 1);
    cluster.awaitReduced("/secret");
    LocatedBlock block = cluster.blocks("/secret").get(0);
    int port = cluster.mini().getDataNodes().get(0).getXferPort();
    Capabilities capabilities;
    try (Socket socket = connect(port, WireFormat.PROBE)) {
      capabilities = Capabilities.read(socket.getInputStream());
    }
    assertThat(capabilities.dialects()).hasSize(1);
    long dialect = capabilities.dialects().first();
    ChunkQueryStream.Proof[] proofs = {
      new ChunkQueryStream.Proof(new byte[32], new byte[0]),
      new ChunkQueryStream.Proof(new byte[32], block.getBlockToken().getIdentifier())
    };
    for (ChunkQueryStream.Proof proof : proofs) {
      try (Socket socket = connect(port, WireFormat.ASK);
          ChunkQueryStream stream =
              new ChunkQueryStream(socket.getInputStream(), socket.getOutputStream())) {
        stream.open(dialect, block.getBlock().getBlockPoolId());
        assertThat(stream.readReply().challenge()).isNotNull();
        stream.prove(proof);
        assertThat(stream.readGrant()).isNull();
        assertThat(stream.readAnswer()).isNull();
      }
    }
    // Nor without any proof.
    try (Socket socket = connect(port, WireFormat.ASK);
        ChunkQueryStream stream =
            new ChunkQueryStream(socket.getInputStream(), socket.getOutputStream())) {
      stream.open(dialect, block.getBlock().getBlockPoolId());
      stream.readReply();
      stream.ask(new ChunkBatch(0, new int[] {5000}, new byte[32]));
      stream.flush();
      assertThatThrownBy(
              () -> {
                if (stream.readAnswer() == null) {
                  throw new IOException("no answer");
                }
              })
          .isInstanceOf(IOException.class);
    }
    assertThat(wire("mirrorProofsRefused")).isEqualTo(2);
    assertThat(wire("mirrorAnswers")).isZero();
  }

  private static Socket connect(int port, int kind) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.getOutputStream().write(Preamble.encode(kind));
    return socket;
  }

  /** A peer that can't be asked gets the plain protocol. */
  @Test
  void onePeerWithoutTheAbility() throws Exception {
    cluster = HdrfCluster.start(configuration("dedup,lz4"), 2);
    Configuration without = new Configuration(cluster.conf());
    without.setBoolean("hdrf.mirror.references", false);
    cluster.mini().startDataNodes(without, 1, true, null, null);
    cluster.mini().waitActive();
    byte[] first = TestBytes.text(2 * BLOCK, 7);
    for (int i = 0; i < 4; i++) {
      writeReduced("/file" + i, nextVersion(first, i));
      cluster.assertContent("/file" + i, nextVersion(first, i));
    }
    assertThat(new MirrorCounts(cluster).wire("mirrorAnswers")[2]).isZero();
    assertThat(wire("mirrorChunksByReference")).isPositive();
  }

  /** Replication copies blocks chunk by chunk, too. */
  @Test
  void aBlockIsReplicatedByReference() throws Exception {
    cluster = HdrfCluster.start(configuration("dedup,lz4"), 3);
    byte[] data = TestBytes.text(2 * BLOCK, 8);
    writeReduced("/first", data);
    byte[] next = nextVersion(data, 9);
    cluster.write("/second", next, 1);
    cluster.awaitReduced("/second");
    long before = wire("mirrorBytesByReference");
    cluster.fs().setReplication(new Path("/second"), (short) 3);
    cluster.awaitReplication("/second", 3);
    cluster.awaitReduced("/second");
    cluster.assertContent("/second", next);
    assertThat(wire("mirrorBytesByReference") - before).isGreaterThan(2L * next.length * 8 / 10);
  }

  /** Chunks gone from the stores go by value, and promised ones arrive. */
  @Test
  void theStoresAreLostInTheMiddle() throws Exception {
    cluster = HdrfCluster.start(configuration("dedup,lz4"), 3);
    byte[] data = TestBytes.text(BLOCK, 10);
    writeReduced("/first", data);
    byte[] next = nextVersion(data, 11);
    try (FSDataOutputStream out = cluster.fs().create(new Path("/second"), (short) 3)) {
      out.write(next, 0, 400_000);
      out.hflush();
      assertThat(wire("mirrorChunksByReference")).isPositive();
      for (File replica : cluster.replicas("/first")) {
        emptyContainers(replica.toPath());
      }
      out.write(next, 400_000, next.length - 400_000);
    }
    TestBytes.assertSame("/second", cluster.read("/second"), next);
  }

  private static void emptyContainers(java.nio.file.Path replica) throws IOException {
    java.nio.file.Path pool = replica;
    while (!Files.isDirectory(pool.resolve("hdrf"))) {
      pool = pool.getParent();
    }
    List<java.nio.file.Path> containers;
    try (Stream<java.nio.file.Path> files = Files.walk(pool.resolve("hdrf/dedup/containers"))) {
      containers = files.filter(Files::isRegularFile).collect(Collectors.toList());
    }
    assertThat(containers).isNotEmpty();
    for (java.nio.file.Path container : containers) {
      Files.write(container, new byte[0]);
    }
  }

  /** HDFS's pipeline recovery does its work above references, too. */
  @Test
  void aDataNodeDies() throws Exception {
    Configuration conf = configuration("dedup,lz4");
    conf.setBoolean(HdfsClientConfigKeys.BlockWrite.ReplaceDatanodeOnFailure.BEST_EFFORT_KEY, true);
    cluster = HdrfCluster.start(conf, 4);
    byte[] data = TestBytes.text(2 * BLOCK, 12);
    cluster.write("/first", data, 4);
    cluster.awaitReduced("/first");
    for (int position = 1; position < 3; position++) {
      String path = "/dies" + position;
      byte[] next = nextVersion(data, position);
      try (FSDataOutputStream out = cluster.fs().create(new Path(path), (short) 3)) {
        out.write(next, 0, BLOCK / 2);
        out.hflush();
        try (FSDataInputStream in = cluster.fs().open(new Path(path))) {
          String name = DFSTestUtil.getAllBlocks(in).get(0).getLocations()[position].getXferAddr();
          assertThat(cluster.mini().stopDataNode(name)).isNotNull();
        }
        out.write(next, BLOCK / 2, next.length - BLOCK / 2);
      }
      TestBytes.assertSame(path, cluster.read(path), next);
      cluster.assertContent(path, next);
    }
  }

  /** A flipped bit below the stream is found, and the block is sent again. */
  @Test
  void flippedBits() throws Exception {
    Configuration conf = configuration("dedup,lz4");
    conf.setClass(
        CommonConfigurationKeys.HADOOP_RPC_SOCKET_FACTORY_CLASS_DEFAULT_KEY,
        FlippingSocketFactory.class,
        javax.net.SocketFactory.class);
    // An interrupt does not end a read of its sockets, which have no channel.
    conf.setLong("dfs.datanode.xceiver.stop.timeout.millis", 5000);
    cluster = HdrfCluster.start(conf, 4);
    byte[] data = TestBytes.text(3 * BLOCK, 13);
    cluster.write("/first", data, 4);
    cluster.awaitReduced("/first");
    FlippingSocketFactory.begin(2, TestSeed.random(ReferencesTest.class.getName()));
    byte[] next = nextVersion(data, 14);
    cluster.write("/flipped", next, 3);
    byte[] noise = TestBytes.noise(BLOCK, 15);
    cluster.write("/noise", noise, 3);
    assertThat(FlippingSocketFactory.FLIPS).hasValue(0);
    cluster.assertContent("/flipped", next);
    cluster.assertContent("/noise", noise);
  }
}
