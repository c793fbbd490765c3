/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.datanode.mirror.LinkChoice.Form;
import io.hdrf.io.TestBytes;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.PacketSums;
import io.hdrf.wire.ReceiveMemory;
import io.hdrf.wire.RecordWriter;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PacketFramerTest {

  private static final int RECEIVED = 65201;
  private static final int OWN = 65202;
  private static final int CHECKSUMS = 8;

  private final ByteArrayOutputStream wire = new ByteArrayOutputStream();
  private Mirroring mirroring;
  private LinkMeter meter = LinkMeter.fixed(Form.REDUCED);

  @BeforeEach
  void open() throws Exception {
    open(new Configuration(false));
  }

  private void open(Configuration conf) throws Exception {
    SchemeRegistry registry =
        SchemeRegistry.of(
            List.of(
                new HookedScheme("received", RECEIVED, Integer.MAX_VALUE),
                new HookedScheme("own", OWN, Integer.MAX_VALUE)));
    SchemeChain chain = SchemeChain.parse("chain", "own", registry);
    mirroring = new MemoryStore(chain).mirroring(conf, registry, chain);
  }

  @AfterEach
  void close() {
    mirroring.close();
  }

  private static byte[] head(long offset, int dataLength) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      new PacketHeader(4 + CHECKSUMS + dataLength, offset, offset, false, dataLength, false)
          .write(out);
      out.write(new byte[CHECKSUMS]);
    }
    return bytes.toByteArray();
  }

  private static byte[] packet(byte[] block, int from, int to) throws IOException {
    ByteArrayOutputStream packet = new ByteArrayOutputStream();
    packet.write(head(from, to - from));
    packet.write(block, from, to - from);
    return packet.toByteArray();
  }

  private void keep(ByteBuffer bytes) throws IOException {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    wire.write(copy);
  }

  private PeerLink able() {
    return new PeerLink(null, mirroring.own());
  }

  private PacketFramer framer(RecordWriter records, PeerLink peer, PacketFrames received)
      throws IOException {
    return new PacketFramer(
        mirroring, records, new int[] {OWN}, peer, received, null, meter, null, null);
  }

  private static void receive(PacketFrames received, byte[] block, FrameChain chain)
      throws IOException {
    ByteBuffer source = ByteBuffer.allocateDirect(block.length).put(block).flip();
    ByteBuffer stored = ByteBuffer.allocateDirect(chain.maxEncodedLength(block.length));
    int stages = chain.encode(source, stored);
    received.add(chain.ids(), block.length, stages, stored.flip());
  }

  /** Where all links hold a pipeline up, a DataNode of it that changes alone gains nothing. */
  @Test
  void whatCameByReferenceGoesOnByReference() throws IOException {
    byte[] block = TestBytes.noise(6000, 1);
    byte[] first = packet(block, 0, 3000);
    byte[] second = packet(block, 3000, 6000);
    AtomicInteger opened = new AtomicInteger();
    PacketFramer.ReferenceSource references =
        () -> {
          opened.incrementAndGet();
          return null;
        };
    try (PacketFrames received = new PacketFrames(ReceiveMemory.unlimited().share());
        RecordWriter records = new RecordWriter(this::keep);
        PacketFramer framer =
            new PacketFramer(
                mirroring,
                records,
                new int[] {OWN},
                able(),
                received,
                null,
                LinkMeter.fixed(LinkChoice.Form.PLAIN),
                null,
                references)) {
      received.begin(3000, ByteBuffer.wrap(head(0, 3000)));
      receive(received, Arrays.copyOf(block, 3000), mirroring.chains().get(new int[] {RECEIVED}));
      framer.write(first, 0, first.length);
      assertThat(opened).hasValue(0);
      received.begin(3000, ByteBuffer.wrap(head(3000, 3000)));
      received.addReferences(3000);
      framer.write(second, 0, second.length);
      assertThat(opened).hasValue(1);
    }
  }

  /** As where new data come after data that were known. */
  @Test
  void encodedFramesArePassedOnAfterReferencesToo() throws IOException {
    meter = LinkMeter.fixed(LinkChoice.Form.PLAIN);
    byte[] block = new byte[6000];
    byte[] first = packet(block, 0, 3000);
    byte[] second = packet(block, 3000, 6000);
    try (PacketFrames received = new PacketFrames(ReceiveMemory.unlimited().share());
        RecordWriter records = new RecordWriter(this::keep);
        PacketFramer framer = framer(records, able(), received)) {
      received.begin(3000, ByteBuffer.wrap(head(0, 3000)));
      received.addReferences(3000);
      framer.write(first, 0, first.length);
      received.begin(3000, ByteBuffer.wrap(head(3000, 3000)));
      receive(received, new byte[3000], mirroring.chains().get(new int[] {RECEIVED}));
      framer.write(second, 0, second.length);
    }
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    sent.write(first);
    sent.write(second);
    assertThat(ReceivedBytes.of(wire.toByteArray(), mirroring.chains()).bytes())
        .isEqualTo(sent.toByteArray());
    assertThat(mirroring.counters().value("mirrorFramesForwarded")).isOne();
  }

  /** A frame that was passed on holds data of the packet that has to be encoded here. */
  @Test
  void anotherChainIsNamedWhereTheFrameBeforeEnds() throws IOException {
    byte[] block = TestBytes.noise(9000, 1);
    byte[] first = packet(block, 0, 3000);
    byte[] second = packet(block, 3000, 6000);
    byte[] third = packet(block, 6000, 9000);
    try (PacketFrames received = new PacketFrames(ReceiveMemory.unlimited().share());
        RecordWriter records = new RecordWriter(this::keep);
        PacketFramer framer = framer(records, able(), received)) {
      received.begin(3000, ByteBuffer.wrap(head(0, 3000)));
      receive(received, Arrays.copyOf(block, 4000), mirroring.chains().get(new int[] {RECEIVED}));
      framer.write(first, 0, first.length);
      framer.write(second, 0, second.length);
      framer.write(third, 0, third.length);
    }
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    sent.write(first);
    sent.write(second);
    sent.write(third);
    ReceivedBytes got = ReceivedBytes.of(wire.toByteArray(), mirroring.chains());
    assertThat(got.bytes()).isEqualTo(sent.toByteArray());
    assertThat(got.chains()).containsExactly(RECEIVED, OWN, OWN);
    assertThat(mirroring.counters().value("mirrorFramesForwarded")).isEqualTo(1);
    assertThat(mirroring.counters().value("mirrorFramesEncoded")).isEqualTo(2);
  }

  private static byte[] summedPacket(byte[] block, int from, int to) throws IOException {
    ByteBuffer data = ByteBuffer.wrap(block, from, to - from);
    PacketSums sums = new PacketSums();
    sums.make(data);
    byte[] made = new byte[sums.made().remaining()];
    sums.made().get(made);
    ByteArrayOutputStream packet = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(packet)) {
      int length = to - from;
      new PacketHeader(4 + made.length + length, from, from, false, length, false).write(out);
      out.write(made);
      out.write(block, from, length);
    }
    return packet.toByteArray();
  }

  /** Sends packets through a new framer, and returns the peer's output. */
  private ReceivedBytes sent(PeerLink peer, byte[]... packets) throws IOException {
    wire.reset();
    try (RecordWriter records = new RecordWriter(this::keep);
        PacketFramer framer = framer(records, peer, null)) {
      for (byte[] packet : packets) {
        framer.write(packet, 0, packet.length);
      }
    }
    return ReceivedBytes.of(wire.toByteArray(), mirroring.chains());
  }

  private long leftOut() {
    return mirroring.counters().value("mirrorChecksumBytesLeftOut");
  }

  @Test
  void checksumsThatThePeerCanMakeAreLeftOut() throws IOException {
    byte[] block = TestBytes.noise(9000, 2);
    byte[] first = summedPacket(block, 0, 5120);
    byte[] second = summedPacket(block, 5120, 9000);
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);

    assertThat(sent(able(), first, second).bytes()).isEqualTo(both);
    assertThat(leftOut()).isEqualTo(10 * 4 + 8 * 4);
    int length = wire.size();

    PeerLink older = new PeerLink(null, new Capabilities(1, List.of(RECEIVED, OWN)));
    assertThat(sent(older, first, second).bytes()).isEqualTo(both);
    assertThat(leftOut()).isEqualTo(10 * 4 + 8 * 4);
    assertThat(wire.size()).isEqualTo(length + 18 * 4 - 2 * 8);
  }

  @Test
  void allChecksumsAreSentWhereThatIsWanted() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setBoolean("hdrf.mirror.send.checksums", true);
    mirroring.close();
    open(conf);
    byte[] packet = summedPacket(new byte[1000], 0, 1000);
    assertThat(sent(able(), packet).bytes()).isEqualTo(packet);
    assertThat(leftOut()).isZero();
  }

  /** A client's wrong checksum must reach the DataNode that verifies it. */
  @Test
  void checksumsThatAreNotThoseOfTheDataAreSent() throws IOException {
    byte[] block = new byte[4096];
    byte[] wrong = summedPacket(block, 0, 2048);
    wrong[wrong.length - 1] ^= 1;
    byte[] right = summedPacket(block, 2048, 4096);
    byte[] both = Arrays.copyOf(wrong, wrong.length + right.length);
    System.arraycopy(right, 0, both, wrong.length, right.length);
    assertThat(sent(able(), wrong, right).bytes()).isEqualTo(both);
    assertThat(leftOut()).isZero();
    assertThat(sent(able(), packet(block, 0, 1024), packet(block, 1024, 1024)).bytes())
        .hasSize(2 * head(0, 1024).length + 1024);
    assertThat(leftOut()).isZero();
  }

  /** Its data are not verified again; its checksums were computed here. */
  @Test
  void whatCameWithoutChecksumsIsPassedOnWithout() throws IOException {
    byte[] block = TestBytes.noise(3000, 3);
    byte[] packet = summedPacket(block, 0, 3000);
    PacketSums sums = new PacketSums();
    sums.make(ByteBuffer.wrap(block));
    int headLength = packet.length - 3000;
    byte[] head = Arrays.copyOf(packet, headLength);
    Arrays.fill(head, headLength - 24, headLength, (byte) 0);
    try (PacketFrames received = new PacketFrames(ReceiveMemory.unlimited().share());
        RecordWriter records = new RecordWriter(this::keep);
        PacketFramer framer = framer(records, able(), received)) {
      received.begin(3000, ByteBuffer.wrap(head));
      receive(received, block, mirroring.chains().get(new int[] {RECEIVED}));
      received.checksums(sums.made(), sums.digest());
      framer.write(packet, 0, packet.length);
    }
    ReceivedBytes got = ReceivedBytes.of(wire.toByteArray(), mirroring.chains());
    assertThat(got.bytes()).isEqualTo(packet);
    assertThat(got.chains()).containsExactly(RECEIVED);
    assertThat(leftOut()).isEqualTo(24);
  }

  /** The next DataNode of a pipeline passes on what it gets until its link is too slow for it. */
  @Test
  void whatCamePlainIsEncodedForASlowLink() throws IOException {
    byte[] block = new byte[9000];
    LinkChoice choice = new LinkChoice(Form.PLAIN, () -> () -> false, () -> {}, () -> {});
    meter = LinkMeter.begin(choice, true);
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    try (PacketFrames received = new PacketFrames(ReceiveMemory.unlimited().share());
        RecordWriter records = new RecordWriter(this::keep);
        PacketFramer framer = framer(records, able(), received)) {
      for (int from = 0; from < 9000; from += 3000) {
        if (from == 6000) {
          meter.wrote((int) LinkChoice.WINDOW, 1, 1_000_000_000);
          assertThat(meter.isReduced()).isTrue();
        }
        byte[] packet = packet(block, from, from + 3000);
        sent.write(packet);
        received.begin(3000, ByteBuffer.wrap(head(from, 3000)));
        received.add(
            new int[] {RECEIVED},
            3000,
            0,
            ByteBuffer.allocateDirect(3000).put(block, from, 3000).flip());
        framer.write(packet, 0, packet.length);
      }
    }
    ReceivedBytes got = ReceivedBytes.of(wire.toByteArray(), mirroring.chains());
    assertThat(got.bytes()).isEqualTo(sent.toByteArray());
    assertThat(got.chains()).containsExactly(RECEIVED, RECEIVED, OWN);
    assertThat(mirroring.counters().value("mirrorFramesEncoded")).isOne();
  }

  @Test
  void whatCameEncodedIsPassedOnWhateverTheLink() throws IOException {
    meter = LinkMeter.fixed(Form.PLAIN);
    byte[] block = new byte[3000];
    byte[] packet = packet(block, 0, 3000);
    try (PacketFrames received = new PacketFrames(ReceiveMemory.unlimited().share());
        RecordWriter records = new RecordWriter(this::keep);
        PacketFramer framer = framer(records, able(), received)) {
      received.begin(3000, ByteBuffer.wrap(head(0, 3000)));
      receive(received, block, mirroring.chains().get(new int[] {RECEIVED}));
      framer.write(packet, 0, packet.length);
    }
    assertThat(wire.size()).isLessThan(1000);
    assertThat(mirroring.counters().value("mirrorBytesByChoicePlain")).isZero();
    assertThat(ReceivedBytes.of(wire.toByteArray(), mirroring.chains()).bytes()).isEqualTo(packet);
  }

  @Test
  void plainPacketsKeepTheirChecksums() throws IOException {
    meter = LinkMeter.fixed(Form.PLAIN);
    byte[] block = new byte[5120];
    byte[] packet = summedPacket(block, 0, 5120);
    ReceivedBytes got = sent(able(), packet);
    assertThat(got.bytes()).isEqualTo(packet);
    assertThat(leftOut()).isZero();
    assertThat(wire.size()).isGreaterThan(5120);
    assertThat(mirroring.counters().value("mirrorBytesByChoicePlain")).isEqualTo(5120);
    assertThat(mirroring.counters().value("mirrorFramesEncoded")).isZero();
  }

  /** Stock code sends a block's last packet, which has no data, with a transfer of none. */
  @Test
  void nothingIsTransferredForTheLastPacket() throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    new Sender(new DataOutputStream(request))
        .writeBlock(
            new ExtendedBlock("BP-1", 5, 0, 1),
            StorageType.DISK,
            BlockTokenSecretManager.DUMMY_TOKEN,
            "",
            new DatanodeInfo[0],
            new StorageType[0],
            null,
            BlockConstructionStage.PIPELINE_SETUP_CREATE,
            0,
            0,
            0,
            0,
            DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512),
            CachingStrategy.newDefaultStrategy(),
            false,
            false,
            new boolean[0],
            null,
            new String[0]);
    PeerLink peer = new PeerLink(InetSocketAddress.createUnresolved("peer", 0), mirroring.own());
    try (MirrorOutput out =
        MirrorOutput.ofClient(
            mirroring, wire, peer, null, new Acknowledgements(), transfer -> {})) {
      byte[] bytes = request.toByteArray();
      out.write(bytes, 0, bytes.length);
      ByteArrayOutputStream last = new ByteArrayOutputStream();
      new PacketHeader(4, 0, 0, true, 0, false).write(new DataOutputStream(last));
      out.write(last.toByteArray(), 0, last.size());
      out.transferFrom(null, 0, 0);
      out.flush();
    }
    assertThat(wire.size()).isGreaterThan(request.size());
  }
}
