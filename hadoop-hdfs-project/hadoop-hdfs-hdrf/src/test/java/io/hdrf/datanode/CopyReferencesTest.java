/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static io.hdrf.datanode.MirrorCounts.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.wire.AskStream;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.ChunkBatch;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.apache.hadoop.hdfs.server.mover.Mover;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the balancer and the mover copy goes by reference, too, and nobody learns more by it. */
@Timeout(300)
class CopyReferencesTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;
  private static final int LENGTH = BLOCK - 1000;

  /** Bytes of what the target has already when {@link #moved} begins. */
  private static final byte[] KNOWN = HdrfCluster.text(LENGTH, 1);

  private static final byte[] NEXT = ReferencesTest.nextVersion(KNOWN, 2);

  private HdrfCluster cluster;

  /** A block of {@link #NEXT} with one replica. */
  private LocatedBlock moved;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Configuration withTokens() {
    Configuration conf = ReferencesTest.configuration("dedup,lz4");
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    return conf;
  }

  /** Two DataNodes that have the same chunks, and one of them a block more. */
  private void start(Configuration conf) throws Exception {
    cluster = HdrfCluster.start(conf, 2);
    writeBoth();
  }

  private void writeBoth() throws Exception {
    cluster.write("/known", KNOWN, 2);
    cluster.awaitReduced("/known");
    cluster.write("/moved", NEXT, 1);
    cluster.awaitReduced("/moved");
    moved = cluster.blocks("/moved").get(0);
  }

  private long wire(String name) {
    return sum(new MirrorCounts(cluster).wire(name));
  }

  private long fallbacks(Fallback reason) {
    return wire("mirrorFallback" + reason.metricName());
  }

  private DatanodeInfo source() {
    return moved.getLocations()[0];
  }

  /** A DataNode that is not {@link #source}. */
  private DataNode target() {
    return cluster.mini().getDataNodes().stream()
        .filter(datanode -> datanode.getXferPort() != source().getXferPort())
        .findFirst()
        .orElseThrow();
  }

  /** As the NameNode makes one for the balancer. */
  private Token<BlockTokenIdentifier> token(ExtendedBlock block) throws IOException {
    BlockTokenSecretManager tokens =
        cluster.mini().getNamesystem().getBlockManager().getBlockTokenSecretManager();
    return tokens == null
        ? BlockTokenSecretManager.DUMMY_TOKEN
        : tokens.generateToken(
            block,
            EnumSet.of(AccessMode.REPLACE, AccessMode.COPY),
            new StorageType[] {StorageType.DISK},
            new String[0]);
  }

  private void move() throws Exception {
    DatanodeInfo source = source();
    assertThat(
            BlockMoves.replace(
                moved.getBlock(), token(moved.getBlock()), source, target().getXferPort()))
        .isEqualTo(Status.SUCCESS);
    HdrfCluster.await(
        "the copy to be the only replica",
        () -> {
          try {
            DatanodeInfo[] locations = cluster.blocks("/moved").get(0).getLocations();
            return locations.length == 1 && !locations[0].equals(source);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    cluster.assertContent("/moved", NEXT);
    cluster.awaitReduced("/moved");
    cluster.assertContent("/moved", NEXT);
  }

  private void awaitNothingHeld() throws InterruptedException {
    HdrfCluster.await(
        "nothing to be held, and nobody to be awaited, any more",
        () ->
            cluster.mini().getDataNodes().stream()
                .map(datanode -> HdrfDatasets.service(datanode).mirroring())
                .allMatch(
                    mirroring ->
                        mirroring.sessions().memory() == 0
                            && mirroring.invitations().count() == 0));
  }

  private void assertMovedByReference() throws Exception {
    long referred = wire("mirrorBytesByReference");
    long asking = wire("mirrorBytesAsking");
    move();
    awaitNothingHeld();
    HdrfCluster.await(
        "the copy to be counted on both sides",
        () ->
            wire("mirrorBytesWireSent-COPY_BLOCK") > 0
                && wire("mirrorBytesWireReceived-COPY_BLOCK") > 0
                && wire("mirrorBytesAsking") > asking);
    long sent = wire("mirrorBytesWireReceived-COPY_BLOCK") + wire("mirrorBytesAsking") - asking;
    assertThat(wire("mirrorBytesByReference") - referred).isGreaterThan(LENGTH * 8L / 10);
    assertThat(sent).isLessThan(LENGTH / 10);
    assertThat(fallbacks(Fallback.ASK_FAILED)).isZero();
    assertThat(fallbacks(Fallback.ASK_REFUSED)).isZero();
    assertThat(fallbacks(Fallback.REFERENCES_BROKE)).isZero();
    assertThat(wire("mirrorProofsRefused")).isZero();
  }

  @Test
  void aMovedBlockGoesByReference() throws Exception {
    start(ReferencesTest.configuration("dedup,lz4"));
    assertMovedByReference();
  }

  @Test
  void withBlockTokens() throws Exception {
    start(withTokens());
    assertMovedByReference();
  }

  /** A target without the ability, or where it is switched off. */
  @Test
  void aTargetThatCannotBeInvited() throws Exception {
    cluster = HdrfCluster.start(ReferencesTest.configuration("dedup,lz4"), 1);
    Configuration without = new Configuration(cluster.conf());
    without.setBoolean("hdrf.mirror.references", false);
    cluster.write("/moved", NEXT, 1);
    cluster.awaitReduced("/moved");
    moved = cluster.blocks("/moved").get(0);
    cluster.mini().startDataNodes(without, 1, true, null, null);
    cluster.mini().waitActive();
    cluster.write("/known", KNOWN, 2);
    cluster.awaitReduced("/known");
    long asked = wire("mirrorAsks");
    move();
    assertThat(wire("mirrorAsks")).isEqualTo(asked);
    assertThat(wire("mirrorFramesEncoded")).isPositive();
  }

  /** A record of what a DataNode sends. */
  private record Received(int type, byte[] body) {

    /** The next one; null at the end. */
    static Received from(DataInputStream in) throws IOException {
      int type = in.read();
      if (type < 0) {
        return null;
      }
      byte[] body = new byte[Integer.reverseBytes(in.readInt())];
      in.readInt();
      in.readFully(body);
      return new Received(type, body);
    }
  }

  private static final int FRAME = 4;
  private static final int SESSION = 6;
  private static final int REFERENCES = 7;
  private static final int INVITE = 9;

  /** Asks the source for the block as a DataNode would. */
  private Socket requestCopy(boolean invitable) throws IOException {
    int port = source().getXferPort();
    Capabilities of = PretendedSource.probe(port);
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    new Sender(new DataOutputStream(request)).copyBlock(moved.getBlock(), token(moved.getBlock()));
    PretendedSource.send(
        socket,
        records -> {
          records.begin(
              new Capabilities(WireFormat.VERSION, of.frameSchemes(), of.dialects(), invitable));
          records.bytes(request.toByteArray(), 0, request.size());
        });
    return socket;
  }

  /** It never heard of invitations: a block is copied to it as it always was. */
  @Test
  void anOlderTarget() throws Exception {
    start(ReferencesTest.configuration("dedup,lz4"));
    long asked = wire("mirrorAsks");
    List<Integer> types = new ArrayList<>();
    try (Socket socket = requestCopy(false)) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      for (Received next = Received.from(in); next != null; next = Received.from(in)) {
        types.add(next.type());
      }
    }
    assertThat(types).contains(FRAME).doesNotContain(INVITE, SESSION, REFERENCES);
    assertThat(wire("mirrorAsks")).isEqualTo(asked);
  }

  /** What was promised is not there: the copy breaks, and the next one does without. */
  @Test
  void aTargetThatPromisesAndBreaks() throws Exception {
    start(ReferencesTest.configuration("dedup,lz4"));
    int port = source().getXferPort();
    try (Socket copy = requestCopy(true)) {
      DataInputStream in = new DataInputStream(copy.getInputStream());
      Received invite = Received.from(in);
      assertThat(invite.type()).isEqualTo(INVITE);
      try (Socket socket = PretendedSource.connect(port, WireFormat.INVITED);
          AskStream stream = new AskStream(socket.getInputStream(), socket.getOutputStream())) {
        stream.come(invite.body());
        assertThat(stream.readOpening().poolId()).isEqualTo(moved.getBlock().getBlockPoolId());
        stream.grant(new byte[16]);
        ChunkBatch question = stream.readQuestion();
        BitSet all = new BitSet();
        all.set(0, question.count());
        stream.answer(question, all);
        stream.flush();
        Received next = Received.from(in);
        while (next != null && next.type() != REFERENCES) {
          next = Received.from(in);
        }
        assertThat(next).isNotNull();
        // Before the source hears that it can't ask any more, and sends the rest by value.
        reset(copy);
      }
    }
    HdrfCluster.await("the source to see it", () -> fallbacks(Fallback.REFERENCES_BROKE) > 0);
    awaitNothingHeld();
    long referred = wire("mirrorChunksByReference");
    move();
    assertThat(wire("mirrorChunksByReference")).isEqualTo(referred);
  }

  private static void reset(Socket socket) throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** Only who is copied to is told where it can come, and it comes once. */
  @Test
  void whoWasNotInvitedIsNotAsked() throws Exception {
    start(ReferencesTest.configuration("dedup,lz4"));
    int port = source().getXferPort();
    assertNotAsked(port, new byte[16]);
    try (Socket copy = requestCopy(true)) {
      Received invite = Received.from(new DataInputStream(copy.getInputStream()));
      byte[] another = invite.body().clone();
      another[15] ^= 1;
      assertNotAsked(port, another);
      try (Socket socket = PretendedSource.connect(port, WireFormat.INVITED);
          AskStream stream = new AskStream(socket.getInputStream(), socket.getOutputStream())) {
        stream.come(invite.body());
        assertThat(stream.readOpening()).isNotNull();
        assertNotAsked(port, invite.body());
      }
    }
    awaitNothingHeld();
  }

  private static void assertNotAsked(int port, byte[] invitation) throws IOException {
    try (Socket socket = PretendedSource.connect(port, WireFormat.INVITED);
        AskStream stream = new AskStream(socket.getInputStream(), socket.getOutputStream())) {
      stream.come(invitation);
      assertThat(stream.readAnswer()).isNull();
    }
  }

  /** A block that does not exist, to be copied from somebody who says that he has it. */
  private ExtendedBlock invented() {
    return new ExtendedBlock(moved.getBlock().getBlockPoolId(), 1L << 40, 1000, 1001);
  }

  /** Rule 28: whoever asks must be a DataNode, whatever connection he asks on. */
  @Test
  void aSourceWithoutProofIsNotAnswered() throws Exception {
    start(withTokens());
    Token<BlockTokenIdentifier> token = token(invented());
    long answers = wire("mirrorAnswers");
    try (PretendedSource fake = new PretendedSource(target().getXferPort(), invented())) {
      fake.proof = new AskStream.Proof(new byte[32], token.getIdentifier());
      assertThat(BlockMoves.replace(invented(), token, fake.datanode(), target().getXferPort()))
          .isEqualTo(Status.ERROR);
      assertThat(fake.hellos).hasSize(1);
      assertThat(fake.hellos.get(0).isInvitable()).isTrue();
      assertThat(fake.challenges).hasSize(1).doesNotContainNull();
      assertThat(fake.grants).hasSize(1).containsOnlyNulls();
    }
    assertThat(wire("mirrorProofsRefused")).isOne();
    assertThat(wire("mirrorAnswers")).isEqualTo(answers);
    awaitNothingHeld();
  }

  @Test
  void chunksOfAnotherPoolCannotBeAskedFor() throws Exception {
    start(ReferencesTest.configuration("dedup,lz4"));
    try (PretendedSource fake = new PretendedSource(target().getXferPort(), invented())) {
      fake.poolId = "BP-1-127.0.0.1-1";
      assertThat(
              BlockMoves.replace(
                  invented(), token(invented()), fake.datanode(), target().getXferPort()))
          .isEqualTo(Status.ERROR);
      assertThat(fake.grants).hasSize(1).containsOnlyNulls();
    }
  }

  /**
   * The target finds a reference to nothing: no byte of it is stored, and next time it does
   * without.
   */
  @Test
  void aSourceThatRefersToWhatWasNotPromised() throws Exception {
    start(ReferencesTest.configuration("dedup,lz4"));
    try (PretendedSource fake = new PretendedSource(target().getXferPort(), invented())) {
      for (int i = 0; i < 2; i++) {
        assertThat(
                BlockMoves.replace(
                    invented(), token(invented()), fake.datanode(), target().getXferPort()))
            .isEqualTo(Status.ERROR);
      }
      assertThat(fake.grants).hasSize(1).doesNotContainNull();
      assertThat(fake.hellos).extracting(Capabilities::isInvitable).containsExactly(true, false);
    }
    assertThat(fallbacks(Fallback.REFERENCES_BROKE)).isOne();
    assertThat(target().getFSDataset().isValidBlock(invented())).isFalse();
    awaitNothingHeld();
    // Others are not affected.
    assertMovedInspiteOfThat();
  }

  private void assertMovedInspiteOfThat() throws Exception {
    long referred = wire("mirrorChunksByReference");
    move();
    assertThat(wire("mirrorChunksByReference")).isGreaterThan(referred);
  }

  /** Hadoop's own mover, with all that may stand between two DataNodes. */
  @Test
  void theMoverWithEncryptedTransfer() throws Exception {
    Configuration conf = withTokens();
    conf.setBoolean(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, true);
    conf.set("hdrf.schemes.ARCHIVE", "dedup,lz4");
    conf.setInt(DFSConfigKeys.DFS_MOVER_RETRY_MAX_ATTEMPTS_KEY, 20);
    try (RuleCluster movers =
        RuleCluster.start(
            conf,
            builder ->
                builder
                    .numDataNodes(2)
                    .storagesPerDatanode(1)
                    .storageTypes(
                        new StorageType[][] {{StorageType.DISK}, {StorageType.ARCHIVE}}))) {
      movers.fs().mkdirs(new Path("/warm"));
      movers.fs().setStoragePolicy(new Path("/warm"), "WARM");
      movers.fs().mkdirs(new Path("/moved"));
      movers.write("/warm/known", KNOWN, 2);
      movers.awaitReduced("/warm/known");
      movers.write("/moved/file", NEXT, 1);
      movers.awaitReduced("/moved/file");
      ExtendedBlock block = movers.block("/moved/file");
      assertThat(movers.replica(0, block)).isNotNull();
      long referred = referred(movers);
      movers.fs().setStoragePolicy(new Path("/moved"), "COLD");
      assertThat(
              ToolRunner.run(
                  new Configuration(movers.mini().getConfiguration(0)),
                  new Mover.Cli(),
                  new String[] {"-p", "/moved"}))
          .as("exit status of the mover")
          .isZero();
      HdrfCluster.await("the block to be moved", () -> movers.isReduced(1, block));
      HdrfCluster.assertSame("the moved block", movers.replicaBytes(1, block), NEXT);
      HdrfCluster.assertSame("the moved file", movers.read("/moved/file"), NEXT);
      assertThat(referred(movers) - referred).isGreaterThan(LENGTH * 8L / 10);
    }
  }

  private static long referred(RuleCluster cluster) {
    return cluster.service(0).mirroring().counters().value("mirrorBytesByReference");
  }
}
