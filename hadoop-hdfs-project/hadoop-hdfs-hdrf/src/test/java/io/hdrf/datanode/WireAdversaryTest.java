/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.datanode.mirror.Protobuf;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.ChunkQueryStream;
import io.hdrf.wire.Preamble;
import io.hdrf.wire.RecordWriter;
import io.hdrf.wire.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.net.EncryptedPeer;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An adversary that speaks the protocol of DataNodes without being one. */
@Timeout(240)
class WireAdversaryTest {

  private static final int LENGTH = 300_000;
  private static final int PATIENCE_MILLIS = 60_000;

  private HdrfCluster cluster;
  private byte[] data;
  private LocatedBlock victim;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Configuration configuration() {
    Configuration conf = ReferencesTest.configuration("dedup,lz4");
    conf.setInt("hdrf.mirror.probe.timeout", 3000);
    conf.set("hdrf.mirror.receive.memory", "4m");
    return conf;
  }

  private static Configuration withTokens() {
    Configuration conf = configuration();
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    return conf;
  }

  private void start(Configuration conf) throws Exception {
    cluster = HdrfCluster.start(conf, 1);
    data = TestData.TEXT.bytes(LENGTH, TestSeed.random("adversary"));
    cluster.write("/victim", data, 1);
    cluster.awaitReduced("/victim");
    victim = cluster.blocks("/victim").get(0);
  }

  private Socket connect(int kind) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.getOutputStream().write(Preamble.encode(kind));
    return socket;
  }

  private int port() {
    return cluster.mini().getDataNodes().get(0).getXferPort();
  }

  private long taken() {
    return HdrfDatasets.service(cluster.mini().getDataNodes().get(0)).mirroring().memory().taken();
  }

  private int xceivers() {
    return cluster.mini().getDataNodes().get(0).getXceiverCount();
  }

  private static RecordWriter records(OutputStream out) {
    return new RecordWriter(
        bytes -> {
          byte[] copy = new byte[bytes.remaining()];
          bytes.get(copy);
          out.write(copy);
        });
  }

  /** Writes records after the preamble; the DataNode may close the connection meanwhile. */
  private static void send(Socket socket, Records records) throws IOException {
    send(socket, records, 0);
  }

  /** Like the other, without the last bytes. */
  private static void send(Socket socket, Records records, int missing) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (RecordWriter writer = records(all)) {
      writer.begin(new Capabilities(WireFormat.VERSION, List.of(1)));
      records.writeTo(writer);
      writer.flush();
    }
    try {
      // The writer began with a preamble of its own.
      socket.getOutputStream().write(all.toByteArray(), 8, all.size() - 8 - missing);
    } catch (SocketException closed) {
      // As expected.
    }
  }

  private interface Records {
    void writeTo(RecordWriter writer) throws IOException;
  }

  private byte[] request(long blockId, LocatedBlock token) throws IOException {
    return request(victim.getBlock().getBlockPoolId(), blockId, token);
  }

  private static byte[] request(String pool, long blockId, LocatedBlock token) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    new Sender(new DataOutputStream(request))
        .writeBlock(
            new ExtendedBlock(pool, blockId, 0, 5000),
            StorageType.DISK,
            token == null ? BlockTokenSecretManager.DUMMY_TOKEN : token.getBlockToken(),
            "client",
            new DatanodeInfo[0],
            new StorageType[0],
            null,
            BlockConstructionStage.PIPELINE_SETUP_CREATE,
            1,
            0,
            0,
            0,
            DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512),
            CachingStrategy.newDefaultStrategy(),
            false,
            false,
            new boolean[0],
            "",
            new String[0]);
    return request.toByteArray();
  }

  private static byte[] head(long offset, int length, boolean last) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(head)) {
      int checksums = (length + 511) / 512 * 4;
      new PacketHeader(4 + checksums + length, offset, offset, last, length, false).write(out);
      out.write(new byte[checksums]);
    }
    return head.toByteArray();
  }

  private static void assertEnds(InputStream in) throws IOException {
    try {
      in.readAllBytes();
    } catch (SocketException reset) {
      // Closed all the same.
    }
  }

  private void assertNothingChanged() throws Exception {
    HdrfCluster.await("all memory to be given back", () -> taken() == 0);
    HdrfCluster.await("no thread to be left", () -> xceivers() <= 1);
    cluster.assertContent("/victim", data);
    // The DataNode still works.
    cluster.write("/next", data, 1);
    cluster.awaitReduced("/next");
    cluster.assertContent("/next", data);
  }

  /**
   * Sends each kind of record before a request, with the maximum length. Its last byte never comes:
   * waiting for it would hold the rest in memory.
   */
  @Test
  void nothingButBytesBeforeTheRequest() throws Exception {
    start(configuration());
    byte[] mine = request(1L << 40, null);
    Records[] first = {
      records -> records.packet(0, mine, 0, mine.length),
      records -> records.packet(16 << 20, head(0, 16 << 20, false), 0, 30),
      records -> records.summed(16 << 20, 0, new byte[64 << 10], 0, 64 << 10),
      records -> records.chain(new int[] {1}),
      records -> records.frame(16 << 20, 1, ByteBuffer.allocateDirect(100_000)),
      records -> records.session(new byte[16]),
      records -> records.references(0, 0, 1, 0),
      records -> records.release(0),
    };
    for (Records records : first) {
      try (Socket socket = connect(WireFormat.STREAM)) {
        // Long before the DataNode's own time-out.
        socket.setSoTimeout(PATIENCE_MILLIS / 3);
        send(socket, records, 1);
        assertEnds(socket.getInputStream());
        assertThat(taken()).isZero();
      }
    }
    assertNothingChanged();
  }

  /** A peer with a valid request then sends much where little is expected. */
  @Test
  void whatAWriterTakesIsBounded() throws Exception {
    start(configuration());
    long block = 1L << 40;
    Records[] packets = {
      records -> {
        byte[] head = head(0, 16 << 20, false);
        records.packet(16 << 20, head, 0, head.length);
        records.chain(new int[] {1});
        records.frame(16 << 20, 1, ByteBuffer.allocateDirect(1000));
      },
      records -> {
        byte[] head = new byte[40];
        records.summed(16 << 20, 0, head, 0, head.length);
      },
      records -> records.bytes(head(0, 0, false), 0, 20),
      records -> records.packet(5, head(0, 6, false), 0, head(0, 6, false).length),
      records -> {
        records.session(new byte[16]);
        records.references(0, 0, 1, 0);
      },
    };
    for (Records packet : packets) {
      byte[] request = request(block++, null);
      try (Socket socket = connect(WireFormat.STREAM)) {
        send(socket, writer -> writer.bytes(request, 0, request.length));
        assertThat(BlockOpResponseProto.parseDelimitedFrom(socket.getInputStream()).getStatus())
            .isEqualTo(Status.SUCCESS);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (RecordWriter writer = records(all)) {
          packet.writeTo(writer);
          writer.flush();
        }
        socket.getOutputStream().write(all.toByteArray());
        assertThat(taken()).isLessThanOrEqualTo(4 << 20);
        assertEnds(socket.getInputStream());
      }
    }
    assertNothingChanged();
  }

  /** Frames for a block that was written long ago, with a request for it. */
  @Test
  void aBlockThatIsThereIsNotWrittenAgain() throws Exception {
    start(configuration());
    byte[] request = request(victim.getBlock().getBlockId(), null);
    try (Socket socket = connect(WireFormat.STREAM)) {
      send(
          socket,
          writer -> {
            writer.bytes(request, 0, request.length);
            byte[] head = head(0, 0, true);
            writer.packet(0, head, 0, head.length);
          });
      assertThat(answer(socket)).isNotEqualTo(Status.SUCCESS);
      assertEnds(socket.getInputStream());
    }
    assertNothingChanged();
  }

  @Test
  void aWriteTokenIsGoodForItsBlockOnly() throws Exception {
    start(withTokens());
    for (LocatedBlock token : new LocatedBlock[] {null, victim}) {
      byte[] request = request(victim.getBlock().getBlockId() + 1, token);
      try (Socket socket = connect(WireFormat.STREAM)) {
        send(
            socket,
            writer -> {
              writer.bytes(request, 0, request.length);
              byte[] head = head(0, 16 << 20, false);
              writer.packet(16 << 20, head, 0, head.length);
            });
        InputStream in = socket.getInputStream();
        try {
          BlockOpResponseProto reply = BlockOpResponseProto.parseDelimitedFrom(in);
          assertThat(reply == null ? Status.ERROR_ACCESS_TOKEN : reply.getStatus())
              .isEqualTo(Status.ERROR_ACCESS_TOKEN);
          assertEnds(in);
        } catch (SocketException reset) {
          // Refused all the same.
        }
        assertThat(taken()).isZero();
      }
    }
    assertNothingChanged();
  }

  private long dialect() throws IOException {
    try (Socket socket = connect(WireFormat.PROBE)) {
      return Capabilities.read(socket.getInputStream()).dialects().first();
    }
  }

  /** Before its registration a DataNode does not know whether there are tokens. */
  @Test
  void chunksOfAPoolThatIsNotServedAreNotAnswered() throws Exception {
    start(configuration());
    long dialect = dialect();
    try (Socket socket = connect(WireFormat.ASK);
        ChunkQueryStream stream =
            new ChunkQueryStream(socket.getInputStream(), socket.getOutputStream())) {
      stream.open(dialect, "BP-1-127.0.0.1-1");
      assertThat(stream.readReply().sessionId()).isNull();
    }
    try (Socket socket = connect(WireFormat.ASK);
        ChunkQueryStream stream =
            new ChunkQueryStream(socket.getInputStream(), socket.getOutputStream())) {
      stream.open(dialect, victim.getBlock().getBlockPoolId());
      assertThat(stream.readReply().sessionId()).isNotNull();
    }
  }

  /** Idle and half-open ones lose their thread soon, long before HDFS's own time-out. */
  @Test
  void strangersAreNotWaitedFor() throws Exception {
    Configuration conf = withTokens();
    conf.setInt("dfs.client.socket-timeout", 10 * PATIENCE_MILLIS);
    start(conf);
    long dialect = dialect();
    String pool = victim.getBlock().getBlockPoolId();
    try (Socket idle = connect(WireFormat.ASK);
        Socket challenged = connect(WireFormat.ASK);
        ChunkQueryStream stream =
            new ChunkQueryStream(challenged.getInputStream(), challenged.getOutputStream())) {
      stream.open(dialect, pool);
      assertThat(stream.readReply().challenge()).isNotNull();
      assertEnds(idle.getInputStream());
      assertThatThrownBy(stream::readGrant).isInstanceOfAny(EOFException.class, IOException.class);
      HdrfCluster.await("their threads to end", () -> xceivers() <= 1);
    }
    assertNothingChanged();
  }

  /** Although each of them alone would get time. */
  @Test
  void manyStrangersAreNotHeardAtAll() throws Exception {
    Configuration conf = withTokens();
    conf.setInt("hdrf.mirror.probe.timeout", PATIENCE_MILLIS);
    start(conf);
    List<Socket> many = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        many.add(connect(WireFormat.ASK));
      }
      HdrfCluster.await(
          "those beyond 64 to be sent away",
          () -> many.stream().filter(WireAdversaryTest::hasEnded).count() == 100 - 64);
    } finally {
      for (Socket socket : many) {
        socket.close();
      }
    }
    assertNothingChanged();
  }

  private static boolean hasEnded(Socket socket) {
    try {
      socket.setSoTimeout(1);
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException open) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  private static void assertClosedThoughItComesSlowly(OutputStream out) {
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 4096; i++) {
                out.write(0);
                Thread.sleep(50);
              }
            })
        .isInstanceOf(IOException.class);
  }

  @Test
  void oneByteNowAndThenIsNotEnough() throws Exception {
    start(withTokens());
    try (Socket slow = connect(WireFormat.ASK)) {
      OutputStream out = slow.getOutputStream();
      // An OPEN of 4 KiB, whose body never ends.
      out.write(new byte[] {16, 0, 16, 0, 0, 0, 0, 0, 0});
      assertClosedThoughItComesSlowly(out);
    }
  }

  /** Decryption waits for whole messages, each of whose bytes may come slowly. */
  @Test
  void norIsItWhereAllIsEncrypted() throws Exception {
    Configuration conf = withTokens();
    conf.setBoolean(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, true);
    start(conf);
    try (DFSClient client = new DFSClient(cluster.mini().getFileSystem().getUri(), conf);
        Peer peer =
            client.newConnectedPeer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port()),
                victim.getBlockToken(),
                victim.getLocations()[0])) {
      peer.getOutputStream().write(Preamble.encode(WireFormat.ASK));
      peer.getOutputStream().flush();
      Field enclosed = EncryptedPeer.class.getDeclaredField("enclosedPeer");
      enclosed.setAccessible(true);
      OutputStream out = ((Peer) enclosed.get(peer)).getOutputStream();
      // A wrapped message of 4 KiB, whose end never comes.
      out.write(new byte[] {0, 0, 16, 0});
      assertClosedThoughItComesSlowly(out);
    }
  }

  /** Refused like by a version that never knew invitations. */
  @Test
  void whoSaysThatHeWasInvitedIsRefused() throws Exception {
    start(configuration());
    try (Socket socket = connect(3)) {
      socket.getOutputStream().write(new byte[] {22, 16, 0, 0, 0});
      assertEnds(socket.getInputStream());
    }
    assertNothingChanged();
  }

  @Test
  void whereMirroringIsOffOthersFindStockHdfs() throws Exception {
    Configuration conf = configuration();
    conf.setBoolean("hdrf.mirror.enabled", false);
    start(conf);
    for (int kind : new int[] {WireFormat.PROBE, WireFormat.STREAM, WireFormat.ASK}) {
      try (Socket socket = connect(kind)) {
        if (kind == WireFormat.STREAM) {
          byte[] request = request(1L << 40, null);
          send(socket, writer -> writer.bytes(request, 0, request.length));
        }
        assertThat(readOrReset(socket.getInputStream())).isEmpty();
      }
    }
    assertNothingChanged();
  }

  private static byte[] readOrReset(InputStream in) throws IOException {
    try {
      return in.readAllBytes();
    } catch (SocketException reset) {
      return new byte[0];
    }
  }

  /**
   * Returns a whole write of a block by one client, or its beginning, as bytes after the preamble.
   */
  private byte[] stream(long block, byte[] content, boolean whole) throws IOException {
    byte[] request = request(block, null);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (RecordWriter writer = records(all)) {
      writer.begin(new Capabilities(WireFormat.VERSION, List.of(1)));
      writer.bytes(request, 0, request.length);
      byte[] head = head(0, content.length, false);
      DataChecksum sums = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
      ByteBuffer data = ByteBuffer.wrap(content);
      int at = head.length - (content.length + 511) / 512 * 4;
      sums.calculateChunkedSums(data, ByteBuffer.wrap(head, at, head.length - at).slice());
      writer.packet(content.length, head, 0, head.length);
      writer.chain(new int[] {1});
      ByteBuffer direct = ByteBuffer.allocateDirect(content.length).put(content).flip();
      writer.frame(content.length, 0, direct);
      if (whole) {
        byte[] last = head(content.length, 0, true);
        writer.packet(0, last, 0, last.length);
      }
      writer.flush();
    }
    return Arrays.copyOfRange(all.toByteArray(), 8, all.size());
  }

  /** Returns the answer before the connection ends; null if there is none. */
  private static Status answer(Socket socket) throws IOException {
    try {
      BlockOpResponseProto reply = BlockOpResponseProto.parseDelimitedFrom(socket.getInputStream());
      return reply == null ? null : reply.getStatus();
    } catch (IOException e) {
      if (e instanceof SocketException || Protobuf.isInvalid(e)) {
        return null;
      }
      throw e;
    }
  }

  private Status replay(byte[] stream) throws IOException {
    try (Socket socket = connect(WireFormat.STREAM)) {
      try {
        socket.getOutputStream().write(stream);
      } catch (SocketException closed) {
        // Refused before all was sent.
      }
      Status status = answer(socket);
      assertEnds(socket.getInputStream());
      return status;
    }
  }

  private byte[] stored(ExtendedBlock block) throws IOException {
    try (InputStream in =
        cluster.mini().getDataNodes().get(0).getFSDataset().getBlockInputStream(block, 0)) {
      return in.readAllBytes();
    }
  }

  /** The same bytes again: while the block is written, when it is there, and when it is gone. */
  @Test
  void aReplayedStreamChangesNothing() throws Exception {
    start(configuration());
    DataNode datanode = cluster.mini().getDataNodes().get(0);
    // The NameNode does not know the block, and would have it deleted meanwhile.
    DataNodeTestUtils.setHeartbeatsDisabledForTests(datanode, true);
    long id = 1L << 40;
    byte[] content = Arrays.copyOf(data, 60_000);
    byte[] other = content.clone();
    other[30_000] ^= 1;
    byte[] whole = stream(id, content, true);
    byte[] begun = stream(id, content, false);
    try (Socket writer = connect(WireFormat.STREAM)) {
      writer.getOutputStream().write(begun);
      assertThat(answer(writer)).isEqualTo(Status.SUCCESS);
      assertThat(replay(whole)).isNotEqualTo(Status.SUCCESS);
      assertThat(replay(stream(id, other, true))).isNotEqualTo(Status.SUCCESS);
      writer.getOutputStream().write(whole, begun.length, whole.length - begun.length);
      assertEnds(writer.getInputStream());
    }
    ExtendedBlock block =
        new ExtendedBlock(victim.getBlock().getBlockPoolId(), id, content.length, 5000);
    HdrfCluster.await("the block", () -> datanode.getFSDataset().isValidBlock(block));
    assertThat(stored(block)).isEqualTo(content);
    assertThat(replay(whole)).isNotEqualTo(Status.SUCCESS);
    assertThat(replay(stream(id, other, true))).isNotEqualTo(Status.SUCCESS);
    assertThat(stored(block)).isEqualTo(content);
    cluster.awaitReduced();
    assertThat(replay(stream(id, other, true))).isNotEqualTo(Status.SUCCESS);
    assertThat(stored(block)).isEqualTo(content);
    datanode.getFSDataset().invalidate(block.getBlockPoolId(), new Block[] {block.getLocalBlock()});
    HdrfCluster.await("it to be gone", () -> !datanode.getFSDataset().contains(block));
    // Without tokens stock HDFS accepts it then, and the stored data are those sent.
    assertThat(replay(stream(id, other, true))).isEqualTo(Status.SUCCESS);
    HdrfCluster.await("the block", () -> datanode.getFSDataset().isValidBlock(block));
    cluster.awaitReduced();
    assertThat(stored(block)).isEqualTo(other);
    DataNodeTestUtils.setHeartbeatsDisabledForTests(datanode, false);
    assertNothingChanged();
  }

  /** Sends each kind of record without its end, before and after the request, all at once. */
  @Test
  void recordsThatNeverEndHoldNothingForLong() throws Exception {
    Configuration conf = configuration();
    conf.setInt("dfs.client.socket-timeout", 3000);
    start(conf);
    int[] kinds = {1, 2, 3, 4, 5, 6, 7, 8, 10};
    List<Socket> sockets = new ArrayList<>();
    try {
      for (boolean letIn : new boolean[] {false, true}) {
        for (int kind : kinds) {
          Socket socket = connect(WireFormat.STREAM);
          sockets.add(socket);
          ByteArrayOutputStream hello = new ByteArrayOutputStream();
          byte[] request = request((1L << 40) + sockets.size(), null);
          try (RecordWriter writer = records(hello)) {
            writer.begin(new Capabilities(WireFormat.VERSION, List.of(1)));
            if (letIn) {
              writer.bytes(request, 0, request.length);
            }
            writer.flush();
          }
          OutputStream out = socket.getOutputStream();
          out.write(hello.toByteArray(), 8, hello.size() - 8);
          if (letIn) {
            assertThat(answer(socket)).isEqualTo(Status.SUCCESS);
          }
          // The longest that it may announce, and some bytes of it.
          ByteBuffer record = ByteBuffer.allocate(9 + 20).order(ByteOrder.LITTLE_ENDIAN);
          record.put((byte) kind).putInt(kind == 6 ? 16 : kind == 1 ? 64 << 10 : 15 << 20);
          try {
            out.write(record.array());
          } catch (SocketException closed) {
            // Refused at once.
          }
          assertThat(taken()).isLessThanOrEqualTo(4 << 20);
        }
      }
      for (Socket socket : sockets) {
        assertEnds(socket.getInputStream());
      }
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
    assertNothingChanged();
  }

  /** A DataNode that runs and has no NameNode yet: it does not know whether there are tokens. */
  @Test
  void beforeItIsRegisteredNothingIsWrittenOrAnswered() throws Exception {
    Configuration conf = configuration();
    conf.setInt("dfs.datanode.bp-ready.timeout", 1);
    start(conf);
    long dialect = dialect();
    String pool = victim.getBlock().getBlockPoolId();
    var stopped = cluster.mini().stopDataNode(0);
    cluster.mini().shutdownNameNode(0);
    cluster.restart(stopped);
    try (Socket socket = connect(WireFormat.ASK);
        ChunkQueryStream stream =
            new ChunkQueryStream(socket.getInputStream(), socket.getOutputStream())) {
      stream.open(dialect, pool);
      assertThat(stream.readReply().sessionId()).isNull();
    } catch (EOFException | SocketException notHeard) {
      // Nor answered.
    }
    assertThat(replay(stream(1L << 40, Arrays.copyOf(data, 1000), true)))
        .isNotEqualTo(Status.SUCCESS);
    cluster.mini().restartNameNode(0, false);
    cluster.mini().waitActive();
    assertNothingChanged();
  }

  @Test
  void aVolumeThatGoesDuringAStreamTakesNothingElseWithIt() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1, 2);
    data = TestData.TEXT.bytes(LENGTH, TestSeed.random("adversary"));
    cluster.write("/victim", data, 1);
    cluster.awaitReduced("/victim");
    victim = cluster.blocks("/victim").get(0);
    DataNode datanode = cluster.mini().getDataNodes().get(0);
    String key = DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY;
    String both = datanode.getConf().get(key);
    long id = 1L << 40;
    byte[] content = Arrays.copyOf(data, 60_000);
    byte[] begun = stream(id, content, false);
    byte[] whole = stream(id, content, true);
    try (Socket writer = connect(WireFormat.STREAM)) {
      writer.getOutputStream().write(begun);
      assertThat(answer(writer)).isEqualTo(Status.SUCCESS);
      ExtendedBlock block = new ExtendedBlock(victim.getBlock().getBlockPoolId(), id, 0, 5000);
      HdrfCluster.await("the replica", () -> datanode.getFSDataset().contains(block));
      String leaving = datanode.getFSDataset().getVolume(block).toString();
      String remaining =
          Arrays.stream(both.split(",", -1))
              .filter(directory -> !directory.contains(leaving))
              .collect(Collectors.joining(","));
      assertThat(remaining).isNotEmpty().isNotEqualTo(both);
      FutureTask<Void> removal =
          new FutureTask<>(
              () -> {
                datanode.reconfigurePropertyImpl(key, remaining);
                return null;
              });
      new Thread(removal, "removal").start();
      HdrfCluster.await("it to go", () -> !datanode.getFSDataset().contains(block));
      try {
        writer.getOutputStream().write(whole, begun.length, whole.length - begun.length);
      } catch (SocketException closed) {
        // As expected.
      }
      assertEnds(writer.getInputStream());
      removal.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
      assertThat(datanode.getFSDataset().contains(block)).isFalse();
    }
    datanode.reconfigurePropertyImpl(key, both);
    HdrfCluster.await("the victim", () -> datanode.getFSDataset().contains(victim.getBlock()));
    assertNothingChanged();
  }
}
