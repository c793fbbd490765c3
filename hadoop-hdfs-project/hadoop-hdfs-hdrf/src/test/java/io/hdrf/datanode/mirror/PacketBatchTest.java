/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.BlockRef;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.wire.RecordWriter;
import io.hdrf.wire.SpooledFrames;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The choice of packets that share a frame, and the time of sending. */
@Timeout(120)
class PacketBatchTest {

  private static final int PACKET = 63 << 10;
  private static final int CHECKSUMS = 8;
  private static final int SCHEME = 65221;
  private static final LinkMeter REDUCED = LinkMeter.fixed(LinkChoice.Form.REDUCED);
  private static final long LONG = TimeUnit.MINUTES.toNanos(10);

  private final ByteArrayOutputStream wire = new ByteArrayOutputStream();
  private final ByteArrayOutputStream plain = new ByteArrayOutputStream();
  private final Acknowledgements acknowledgements = new Acknowledgements();
  private final Random random = new Random(7);
  private MemoryStore store;
  private Mirroring mirroring;
  private RecordWriter records;
  private PacketFramer framer;
  private long offset;
  private volatile CountDownLatch written = new CountDownLatch(0);
  private volatile CountDownLatch stuck = new CountDownLatch(0);
  private volatile IOException broken;

  /** The number of blocks whose frames were available when bytes were last sent. */
  private volatile int spooledAtSend;

  @BeforeEach
  void open() throws Exception {
    Configuration conf = new Configuration(false);
    SchemeRegistry registry =
        SchemeRegistry.of(List.of(new HookedScheme("frames", SCHEME, Integer.MAX_VALUE)));
    SchemeChain chain = SchemeChain.parse("chain", "frames", registry);
    store = new MemoryStore(chain);
    mirroring = store.mirroring(conf, registry, chain);
    records = new RecordWriter(this::send);
    BlockOpResponseProto.Builder reply = BlockOpResponseProto.newBuilder();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    reply.setStatus(Status.SUCCESS).build().writeDelimitedTo(bytes);
    acknowledgements.read(bytes.toByteArray(), 0, bytes.size());
  }

  private void send(ByteBuffer bytes) throws IOException {
    if (broken != null) {
      written.countDown();
      throw broken;
    }
    spooledAtSend = mirroring.spooled().size();
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    synchronized (wire) {
      wire.writeBytes(copy);
    }
    written.countDown();
    boolean passed = false;
    while (!passed) {
      try {
        stuck.await();
        passed = true;
      } catch (InterruptedException e) {
        // Like a write that an interrupt does not end.
      }
    }
  }

  private void begin(long holdNanos) throws IOException {
    begin(holdNanos, null);
  }

  private void begin(long holdNanos, BlockCollector collector) throws IOException {
    PeerLink peer = new PeerLink(null, mirroring.own());
    framer =
        new PacketFramer(
            mirroring, records, new int[] {SCHEME}, peer, null, collector, REDUCED, null, null);
    framer.batch(acknowledgements, holdNanos);
  }

  @AfterEach
  void close() {
    framer.close();
    records.close();
    mirroring.close();
  }

  private void packet(int length, boolean sync, boolean last) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new PacketHeader(4 + CHECKSUMS + length, offset, offset, last, length, sync)
        .write(new DataOutputStream(bytes));
    byte[] data = new byte[CHECKSUMS + length];
    random.nextBytes(data);
    bytes.writeBytes(data);
    offset += length;
    plain.writeBytes(bytes.toByteArray());
    assertThat(framer.write(bytes.toByteArray(), 0, bytes.size())).isEqualTo(bytes.size());
  }

  private void packets(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      packet(PACKET, false, false);
    }
  }

  private void acknowledge(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      new PipelineAck(i, new int[] {0, 0}).write(bytes);
      acknowledgements.read(bytes.toByteArray()[0]);
      acknowledgements.read(bytes.toByteArray(), 1, bytes.size() - 1);
    }
  }

  /** What the other side has got. */
  private ReceivedBytes received() throws IOException {
    byte[] sent;
    synchronized (wire) {
      sent = wire.toByteArray();
    }
    return ReceivedBytes.of(sent, mirroring.chains());
  }

  private static List<Integer> alone() {
    return Collections.nCopies(PacketBatch.BUSY, PACKET);
  }

  @Test
  void packetsGoAtOnceWhereFewAreUnderWay() throws Exception {
    begin(LONG);
    for (int i = 0; i < 100; i++) {
      packets(1);
      assertThat(received().packets()).isEqualTo(i + 1);
      acknowledge(1);
    }
    assertThat(received().frames()).hasSize(100).containsOnly(PACKET);
    assertThat(received().bytes()).isEqualTo(plain.toByteArray());
  }

  @Test
  void packetsShareFramesWhereManyAreUnderWay() throws Exception {
    begin(LONG);
    packets(PacketBatch.BUSY);
    assertThat(received().frames()).isEqualTo(alone());
    packets(3);
    assertThat(received().packets()).isEqualTo(PacketBatch.BUSY);
    packets(1);
    assertThat(received().packets()).isEqualTo(PacketBatch.BUSY + 4);
    packets(5);
    packet(1000, false, false);
    packet(0, false, true);
    assertThat(framer.isEnded()).isTrue();
    List<Integer> frames = new ArrayList<>(alone());
    frames.addAll(List.of(4 * PACKET, 4 * PACKET, PACKET + 1000));
    assertThat(received().frames()).isEqualTo(frames);
    assertThat(received().bytes()).isEqualTo(plain.toByteArray());
    assertThat(mirroring.counters().value("mirrorFramesEncoded")).isEqualTo(frames.size());
  }

  /** The block is finalized, and may be reduced, as soon as the others have its last packet. */
  @Test
  void theFramesOfABlockCanBeHadBeforeItsLastPacketIsSent(@TempDir Path directory)
      throws Exception {
    store.spool = directory.resolve("spool");
    for (int waiting : new int[] {0, 3}) {
      BlockRef block = new BlockRef("BP-1", waiting);
      store.writing.add(block);
      begin(LONG, BlockCollector.of(mirroring, block));
      offset = 0;
      packets(waiting == 0 ? 2 : PacketBatch.BUSY + waiting);
      packet(0, false, true);
      assertThat(spooledAtSend).isEqualTo(1);
      SpooledFrames frames = mirroring.spooled().take(block);
      assertThat(frames.length()).isEqualTo(offset);
      frames.close();
      framer.close();
    }
  }

  @Test
  void whatIsFlushedGoesAtOnceWithAllBefore() throws Exception {
    begin(LONG);
    packets(PacketBatch.BUSY + 1);
    packet(100, false, false);
    assertThat(received().bytes()).isEqualTo(plain.toByteArray());
    packets(1);
    packet(PACKET, true, false);
    assertThat(received().bytes()).isEqualTo(plain.toByteArray());
    packets(1);
    packet(0, false, false);
    assertThat(received().bytes()).isEqualTo(plain.toByteArray());
    packets(1);
    packet(0, false, true);
    assertThat(received().bytes()).isEqualTo(plain.toByteArray());
  }

  @Test
  void aWaitingPacketGoesWhenThoseBeforeHaveArrived() throws Exception {
    begin(LONG);
    packets(PacketBatch.BUSY);
    written = new CountDownLatch(1);
    packets(1);
    acknowledge(1);
    written.await();
    assertThat(received().bytes()).isEqualTo(plain.toByteArray());
  }

  @Test
  void aWaitingPacketGoesAfterAWhile() throws Exception {
    begin(TimeUnit.MILLISECONDS.toNanos(1));
    packets(PacketBatch.BUSY);
    for (int i = 0; i < 20; i++) {
      written = new CountDownLatch(1);
      packets(1);
      written.await();
      // Long enough, now and then, for the other thread to wait to be called.
      Thread.sleep(2L * i);
    }
    packets(3);
    packet(0, false, true);
    assertThat(received().bytes()).isEqualTo(plain.toByteArray());
  }

  @Test
  void packetsOfAllLengths() throws Exception {
    begin(TimeUnit.MICROSECONDS.toNanos(50));
    for (int i = 0; i < 500; i++) {
      int magnitude = 1 << random.nextInt(20);
      packet(random.nextInt(magnitude), random.nextInt(50) == 0, false);
      if (random.nextInt(4) == 0) {
        acknowledge(random.nextInt(5));
      }
    }
    packet(0, false, true);
    assertThat(received().bytes()).isEqualTo(plain.toByteArray());
  }

  @Test
  void whatWaitsGoesBeforeTheConnectionIsClosed() throws Exception {
    begin(TimeUnit.MILLISECONDS.toNanos(100));
    packets(PacketBatch.BUSY + 2);
    framer.stop();
    assertThat(framer.awaitEnd()).isTrue();
    assertThat(received().bytes()).isEqualTo(plain.toByteArray());
  }

  @Test
  void aFailureToSendWhatWaitedIsToldAtTheNextPacket() throws Exception {
    begin(TimeUnit.MILLISECONDS.toNanos(1));
    packets(PacketBatch.BUSY);
    broken = new IOException("broken pipe");
    written = new CountDownLatch(1);
    packets(1);
    written.await();
    assertThatThrownBy(() -> packets(1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("broken pipe");
    framer.stop();
    assertThat(framer.awaitEnd()).isTrue();
  }

  @Test
  void aFailureToSendIsTold() throws Exception {
    begin(LONG);
    packets(1);
    broken = new IOException("broken pipe");
    assertThatThrownBy(() -> packets(1)).isSameAs(broken);
    assertThatThrownBy(() -> packets(1)).hasMessageContaining("broken pipe");
  }

  @Test
  void whatAThreadThatDoesNotEndHoldsIsKeptUntilItDoes() throws Exception {
    begin(LONG);
    FrameEncoder encoder = new FrameEncoder(mirroring, new int[] {SCHEME}, REDUCED);
    PacketBatch batch =
        new PacketBatch(
            mirroring, records, encoder, null, acknowledgements, TimeUnit.MILLISECONDS.toNanos(1));
    PacketHeader header = new PacketHeader(4 + CHECKSUMS + PACKET, 0, 0, false, PACKET, false);
    for (int i = 0; i < PacketBatch.BUSY; i++) {
      add(batch, header);
    }
    written = new CountDownLatch(1);
    stuck = new CountDownLatch(1);
    add(batch, header);
    written.await();
    batch.stop();
    CountDownLatch closed = new CountDownLatch(1);
    batch.release(closed::countDown);
    assertThat(closed.getCount()).isEqualTo(1);
    stuck.countDown();
    closed.await();
    encoder.close();
  }

  private static void add(PacketBatch batch, PacketHeader header) throws IOException {
    ByteBuffer room = batch.room(header.getDataLen());
    room.put(new byte[header.getDataLen()]);
    batch.add(header, PacketHead.whole(new byte[100], 100));
  }
}
