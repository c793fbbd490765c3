/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.hdrf.block.BlockRef;
import io.hdrf.datanode.mirror.LinkChoice.Form;
import io.hdrf.datanode.mirror.query.BlockKeyProofs;
import io.hdrf.datanode.mirror.query.ChunkQueryConnection;
import io.hdrf.datanode.mirror.query.ChunkQueryServer;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.ChunkBatch;
import io.hdrf.wire.ChunkQueryStream;
import io.hdrf.wire.CorruptWireException;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.QuietListener;
import io.hdrf.wire.RecordWriter;
import io.hdrf.wire.WireInput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One DataNode asks, the other answers and receives, with any failure between them. */
@Timeout(120)
class ReferenceSenderTest {

  private static final int PACKET = 60_000;
  private static final int CHECKSUMS = 8;
  private static final BlockRef BLOCK = new BlockRef("BP-1", 42);

  private final ByteArrayOutputStream wire = new ByteArrayOutputStream();
  private final byte[] block = new byte[20 * PACKET + 12_345];
  private SchemeRegistry registry;
  private MemoryStore store;
  private Mirroring sender;
  private Mirroring receiver;
  private ServerSocket server;
  private Thread answering;

  /** How often the sender wrote to the connection on which it asks. */
  private final AtomicInteger questionWrites = new AtomicInteger();

  /** Changes the answers that the sender reads. */
  private java.util.function.UnaryOperator<InputStream> answers = in -> in;

  private volatile Socket answeringSocket;

  /** The answering side. */
  private interface Answerer {
    void serve(ChunkQueryStream stream) throws IOException;
  }

  private volatile Answerer answerer =
      stream ->
          new ChunkQueryServer(receiver.queries(), stream, address(), "the test", () -> {}).serve();

  @BeforeEach
  void open() throws Exception {
    new Random(5).nextBytes(block);
    Configuration conf = new Configuration(false);
    registry =
        SchemeRegistry.of(
            List.of(
                new MemoryStore.Scheme(), new HookedScheme("frames", 65211, Integer.MAX_VALUE)));
    store = new MemoryStore(SchemeChain.parse("chain", MemoryStore.SCHEME + ",frames", registry));
    conf.setInt("hdrf.mirror.answer.timeout", 10_000);
    sender = mirroring(conf);
    receiver = mirroring(conf);
    server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    answering = new Thread(this::answer);
    answering.start();
  }

  private Mirroring mirroring(Configuration conf) throws IOException {
    return store.mirroring(conf, registry, SchemeChain.parse("chain", "frames", registry));
  }

  private void answer() {
    while (true) {
      try (Socket socket = server.accept();
          ChunkQueryStream stream =
              new ChunkQueryStream(socket.getInputStream(), socket.getOutputStream())) {
        answeringSocket = socket;
        answerer.serve(stream);
      } catch (IOException e) {
        if (server.isClosed()) {
          return;
        }
      }
    }
  }

  private String address() {
    return BlockKeyProofs.address((InetSocketAddress) server.getLocalSocketAddress());
  }

  @AfterEach
  void close() throws Exception {
    server.close();
    if (answeringSocket != null) {
      answeringSocket.close();
    }
    answering.join();
    sender.close();
    receiver.close();
  }

  private PeerLink peer() {
    Capabilities own = receiver.own();
    return new PeerLink(
        (InetSocketAddress) server.getLocalSocketAddress(),
        own,
        () -> {
          Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
          return new ChunkQueryConnection(
              new ChunkQueryStream(
                  answers.apply(socket.getInputStream()), counted(socket.getOutputStream())),
              address(),
              socket,
              millis -> {});
        });
  }

  private OutputStream counted(OutputStream out) {
    return new FilterOutputStream(out) {
      @Override
      public void write(byte[] bytes) throws IOException {
        questionWrites.incrementAndGet();
        out.write(bytes);
      }
    };
  }

  private PeerLink outOfReach() {
    return new PeerLink(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
        receiver.own(),
        () -> {
          throw new IOException("out of reach");
        });
  }

  private static byte[] head(long offset, int dataLength, boolean last) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      new PacketHeader(4 + CHECKSUMS + dataLength, offset, offset, last, dataLength, false)
          .write(out);
      out.write(new byte[CHECKSUMS]);
    }
    return bytes.toByteArray();
  }

  /** Tells the framer of {@link #send} which packets go reduced. */
  private LinkMeter meter = LinkMeter.fixed(Form.REDUCED);

  /** Called between packets. */
  private interface Between {
    void packet(int number) throws Exception;
  }

  /** Sends the block, and returns the bytes of HDFS's protocol that were sent. */
  private byte[] send(Between between) throws Exception {
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    try (RecordWriter records =
        new RecordWriter(
            bytes -> {
              byte[] copy = new byte[bytes.remaining()];
              bytes.get(copy);
              wire.writeBytes(copy);
            })) {
      PeerLink peer = peer();
      PacketFramer.ReferenceSource references = sender.references(BLOCK, peer, records);
      assertThat(references).isNotNull();
      PacketFramer framer =
          new PacketFramer(
              sender, records, new int[] {65211}, peer, null, null, meter, null, references);
      int number = 0;
      for (int from = 0; from <= block.length; from += PACKET) {
        int to = Math.min(block.length, from + PACKET);
        between.packet(number++);
        plain.writeBytes(head(from, to - from, false));
        plain.write(block, from, to - from);
        byte[] head = head(from, to - from, false);
        assertThat(framer.write(head, 0, head.length)).isEqualTo(head.length);
        assertThat(framer.write(block, from, to - from)).isEqualTo(to - from);
      }
      byte[] end = head(block.length, 0, true);
      plain.writeBytes(end);
      assertThat(framer.write(end, 0, end.length)).isEqualTo(end.length);
      assertThat(framer.isEnded()).isTrue();
      framer.drain();
      between.packet(-1);
      framer.close();
    }
    return plain.toByteArray();
  }

  private byte[] received() throws IOException {
    return received(receiver);
  }

  private byte[] received(Mirroring by) throws IOException {
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    try (WireInput in =
        new WireInput(
            new ByteArrayInputStream(wire.toByteArray()),
            by.chains(),
            new QuietListener(),
            by.queries().sessions()::join)) {
      byte[] piece = new byte[1000];
      for (int count = in.read(piece, 0, 1000); count >= 0; count = in.read(piece, 0, 1000)) {
        plain.write(piece, 0, count);
      }
    }
    return plain.toByteArray();
  }

  private long fallbacks(Fallback reason) {
    return sender.counters().value("mirrorFallback" + reason.metricName());
  }

  private long referred() {
    return sender.counters().value("mirrorBytesByReference");
  }

  /** Before the data are read, so that the session is there. */
  private void assertArrives(Between between) throws Exception {
    byte[][] result = new byte[1][];
    byte[] sent =
        send(
            number -> {
              between.packet(number);
              if (number < 0) {
                result[0] = received();
              }
            });
    assertThat(result[0]).isEqualTo(sent);
  }

  @Test
  void allGoesByReferenceButForBeginningsOfChunks() throws Exception {
    store.add(block);
    assertArrives(number -> {});
    assertThat(referred()).isGreaterThan(block.length * 95L / 100).isLessThan(block.length);
    assertThat(wire.size()).isLessThan(block.length / 10);
    assertThat(receiver.counters().value("mirrorChunksHeld"))
        .isEqualTo(sender.counters().value("mirrorChunksByReference"));
    assertThat(receiver.queries().sessions().memory()).isZero();
  }

  /** The connection to ask on may end before the stream is read. */
  @Test
  void theStreamIsReadLate() throws Exception {
    store.add(block);
    byte[] sent = send(number -> {});
    store.chunks.clear();
    assertThat(received()).isEqualTo(sent);
    assertThat(referred()).isPositive();
    assertThat(receiver.queries().sessions().memory()).isZero();
  }

  @Test
  void nothingIsKnown() throws Exception {
    assertArrives(number -> {});
    assertThat(referred()).isZero();
    assertThat(sender.counters().value("mirrorAsks")).isEqualTo(21);
  }

  /** The answer is a promise. */
  @Test
  void theStoreIsEmptiedBetweenAnswerAndReference() throws Exception {
    store.add(block);
    assertArrives(
        number -> {
          if (number < 0) {
            store.chunks.clear();
          }
        });
    assertThat(referred()).isGreaterThan(block.length * 9L / 10);
  }

  @Test
  void theStoreIsEmptiedInTheMiddle() throws Exception {
    store.add(block);
    AtomicInteger lookups = new AtomicInteger();
    store.hook =
        () -> {
          if (lookups.incrementAndGet() == 10) {
            store.chunks.clear();
          }
        };
    assertArrives(number -> {});
    assertThat(referred()).isBetween(9L * PACKET * 8 / 10, 9L * PACKET);
  }

  /** What was answered before stays true. */
  @Test
  void theConnectionToAskOnBreaks() throws Exception {
    store.add(block);
    long sixPackets = 6L * PACKET * 8 / 10;
    AtomicInteger lookups = new AtomicInteger();
    store.hook =
        () -> {
          if (lookups.incrementAndGet() == 10) {
            // Of nine answers, up to three have not been sent.
            while (referred() < sixPackets) {
              Thread.onSpinWait();
            }
            answeringSocket.close();
          }
        };
    assertArrives(number -> {});
    assertThat(referred()).isBetween(sixPackets, 9L * PACKET);
    assertThat(fallbacks(Fallback.ASK_BROKEN)).isOne();
    assertThat(receiver.queries().sessions().memory()).isZero();
  }

  /** A writer may pause for longer than its connection to ask on is kept. */
  @Test
  void aLongRestIsNoFailure() throws Exception {
    store.add(block);
    CountDownLatch tooLong = new CountDownLatch(1);
    answers =
        in ->
            new FilterInputStream(in) {
              @Override
              public int read(byte[] bytes, int offset, int length) throws IOException {
                while (super.available() == 0) {
                  if (tooLong.getCount() == 0) {
                    throw new SocketTimeoutException();
                  }
                  Thread.onSpinWait();
                }
                return super.read(bytes, offset, length);
              }
            };
    assertArrives(
        number -> {
          if (number == 10) {
            awaitThat(() -> sender.counters().value("mirrorAsks") == 10);
            tooLong.countDown();
            awaitThat(() -> fallbacks(Fallback.ASK_BROKEN) == 1);
          }
        });
    assertThat(referred()).isBetween(10L * PACKET * 8 / 10, 10L * PACKET);
    assertThat(fallbacks(Fallback.ASK_BROKEN)).isOne();
    assertThat(sender.references(BLOCK, peer(), null)).isNotNull();
  }

  private static void awaitThat(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  /** Answers that it has twice as many chunks as were asked for. */
  private static void answerForMore(ChunkQueryStream stream) throws IOException {
    stream.readOpening();
    stream.grant(new byte[16]);
    for (ChunkBatch asked = stream.readQuestion(); asked != null; asked = stream.readQuestion()) {
      int count = 2 * asked.count();
      BitSet all = new BitSet();
      all.set(0, count);
      stream.answer(
          new ChunkBatch(
              asked.number(), new int[count], new byte[count * ChunkFunction.FINGERPRINT_LENGTH]),
          all);
      stream.flush();
    }
  }

  @Test
  void anAnswerForOtherChunksThanThoseAskedForBreaksNoStream() throws Exception {
    answerer = ReferenceSenderTest::answerForMore;
    assertArrives(number -> {});
    assertThat(referred()).isZero();
    assertThat(fallbacks(Fallback.ASK_BROKEN)).isOne();
  }

  @Test
  void anIndexThatDoesNotAnswerInTime() throws Exception {
    Configuration impatient = new Configuration(false);
    impatient.setInt("hdrf.mirror.answer.timeout", 5000);
    sender.close();
    sender = mirroring(impatient);
    store.add(block);
    CountDownLatch sent = new CountDownLatch(1);
    AtomicInteger lookups = new AtomicInteger();
    store.hook =
        () -> {
          if (lookups.incrementAndGet() == 5) {
            awaitUnchecked(sent);
          }
        };
    assertArrives(
        number -> {
          if (number < 0) {
            sent.countDown();
          }
        });
    // Up to three answers had not been sent yet.
    assertThat(referred()).isBetween(PACKET * 8 / 10L, 4L * PACKET);
    assertThat(fallbacks(Fallback.ASK_TIMED_OUT)).isBetween(21L - 4, 21L - 1);
  }

  /** It names a session that has ended by then, since nothing was held for it. */
  @Test
  void aStreamWhoseAnswersAllCameLateIsReadLate() throws Exception {
    Configuration impatient = new Configuration(false);
    impatient.setInt("hdrf.mirror.answer.timeout", 100);
    sender.close();
    sender = mirroring(impatient);
    CountDownLatch sent = new CountDownLatch(1);
    store.hook = () -> awaitUnchecked(sent);
    byte[] plain =
        send(
            number -> {
              if (number < 0) {
                sent.countDown();
              }
            });
    awaitThat(() -> receiver.queries().sessions().count() == 0);
    assertThat(fallbacks(Fallback.ASK_TIMED_OUT)).isEqualTo(21);
    assertThat(received()).isEqualTo(plain);
  }

  @Test
  void questionsThatWaitForAnAnswerAreSentTogether() throws Exception {
    store.add(block);
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch tenPackets = new CountDownLatch(1);
    store.hook =
        () -> {
          asked.countDown();
          awaitUnchecked(tenPackets);
        };
    assertArrives(
        number -> {
          if (number == 1) {
            asked.await();
          } else if (number == 10) {
            tenPackets.countDown();
          }
        });
    assertThat(referred()).isGreaterThan(block.length * 95L / 100);
    assertThat(sender.counters().value("mirrorAsks")).isEqualTo(21);
    assertThat(questionWrites.get()).isLessThanOrEqualTo(16);
  }

  @Test
  void packetsThatWaitForNothingAreWrittenTogether() throws Exception {
    CountDownLatch ninePackets = new CountDownLatch(1);
    AtomicInteger writes = new AtomicInteger();
    try (RecordWriter records =
        new RecordWriter(
            bytes -> {
              bytes.position(bytes.limit());
              writes.incrementAndGet();
              awaitUnchecked(ninePackets);
            })) {
      ReferenceSender references = sender.references(BLOCK, outOfReach(), records).open();
      for (int i = 0; i < 9; i++) {
        ByteBuffer data = ByteBuffer.allocateDirect(PACKET);
        long offset = (long) i * PACKET;
        PacketHead head = PacketHead.whole(head(offset, PACKET, false), 33);
        references.send(offset, head, data, false, null);
      }
      ninePackets.countDown();
      references.drain();
      references.stop(true);
      references.close();
    }
    assertThat(writes.get()).isEqualTo(3);
  }

  private static void awaitUnchecked(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void anIndexThatFails() throws Exception {
    store.add(block);
    store.hook =
        () -> {
          throw new IOException("no index");
        };
    assertArrives(number -> {});
    assertThat(referred()).isZero();
    assertThat(receiver.queries().sessions().memory()).isZero();
  }

  @Test
  void aBitOfAnAnswerIsFlipped() throws Exception {
    store.add(block);
    answers =
        in ->
            new FilterInputStream(in) {
              private int count;

              @Override
              public int read(byte[] bytes, int offset, int length) throws IOException {
                int read = super.read(bytes, offset, Math.min(length, 1));
                if (read > 0 && ++count == 200) {
                  bytes[offset] ^= 4;
                }
                return read;
              }
            };
    assertArrives(number -> {});
    assertThat(fallbacks(Fallback.ASK_BROKEN)).isOne();
    assertThat(referred()).isPositive().isLessThan(block.length);
  }

  /** Only data that match the fingerprint count, whatever the store says. */
  @Test
  void chunksThatAreNotWhatTheirNamesSay() throws Exception {
    store.add(block);
    store.chunks.values().forEach(chunk -> chunk[chunk.length / 2]++);
    assertArrives(number -> {});
    assertThat(referred()).isZero();
    assertThat(receiver.counters().value("mirrorChunksWrong")).isPositive();
  }

  /** Plain, by reference, and plain again, as the link gets slow and fast. */
  @Test
  void aBlockMayChangeItsFormUnderWay() throws Exception {
    store.add(block);
    LinkChoice choice = new LinkChoice(Form.PLAIN, () -> () -> false, () -> {}, () -> {});
    meter = LinkMeter.begin(choice, true);
    int[] reduced = new int[1];
    byte[] plain =
        send(
            number -> {
              if (number == 5) {
                meter.wrote((int) LinkChoice.WINDOW, 1, 1_000_000_000);
              } else if (number == 12) {
                meter.wrote((int) LinkMeter.SETTLING, 1, 2);
                meter.wrote((int) LinkChoice.TRIAL, 1, 10_000_000_000L);
              }
              reduced[0] += number >= 0 && meter.isReduced() ? 1 : 0;
            });
    assertThat(reduced[0]).isEqualTo(7);
    assertThat(received()).isEqualTo(plain);
    assertThat(sender.counters().value("mirrorAsks")).isBetween(6L, 7L);
    assertThat(sender.counters().value("mirrorChunksByReference")).isGreaterThan(100);
    assertThat(sender.counters().value("mirrorBytesByChoicePlain"))
        .isEqualTo(block.length - 7 * PACKET);
    assertThat(fallbacks(Fallback.REFERENCES_BROKE)).isZero();
  }

  /** By reference, plain, and by reference again: the session lasts as long as the stream. */
  @Test
  void referencesMayPause() throws Exception {
    store.add(block);
    LinkChoice choice = new LinkChoice(Form.PLAIN, () -> () -> false, () -> {}, () -> {});
    meter = LinkMeter.begin(choice, true);
    byte[] plain =
        send(
            number -> {
              if (number == 3) {
                meter.wrote((int) LinkChoice.WINDOW, 1, 1_000_000_000);
                assertThat(meter.isReduced()).isTrue();
              } else if (number == 9) {
                meter.wrote((int) LinkMeter.SETTLING, 1, 2);
                meter.wrote((int) LinkChoice.TRIAL, 1, 10_000_000_000L);
                assertThat(meter.isReduced()).isFalse();
              } else if (number == 15) {
                meter.wrote((int) LinkMeter.SETTLING, 1, 2);
                for (int i = 0; i < 10 && !meter.isReduced(); i++) {
                  meter.wrote((int) LinkChoice.WINDOW, 1, 1_000_000_000);
                }
                assertThat(meter.isReduced()).isTrue();
              }
            });
    assertThat(received()).isEqualTo(plain);
    assertThat(sender.counters().value("mirrorAsks")).isBetween(10L, 12L);
    assertThat(sender.counters().value("mirrorChunksByReference")).isGreaterThan(200);
    assertThat(fallbacks(Fallback.REFERENCES_BROKE)).isZero();
  }

  /** What was sent before may be read long after: the peer knows the session until then. */
  @Test
  void theSessionOutlastsTheTurnToPlain() throws Exception {
    LinkChoice choice = new LinkChoice(Form.PLAIN, () -> () -> false, () -> {}, () -> {});
    meter = LinkMeter.begin(choice, true);
    int[] sessions = {-1};
    byte[] plain =
        send(
            number -> {
              if (number == 1) {
                meter.wrote((int) LinkChoice.WINDOW, 1, 1_000_000_000);
              } else if (number == 5) {
                meter.wrote((int) LinkMeter.SETTLING, 1, 2);
                meter.wrote((int) LinkChoice.TRIAL, 1, 10_000_000_000L);
                assertThat(meter.isReduced()).isFalse();
              } else if (number == -1) {
                Thread.sleep(200);
                sessions[0] = receiver.queries().sessions().count();
              }
            });
    assertThat(sessions).containsExactly(1);
    assertThat(received()).isEqualTo(plain);
  }

  @Test
  void aPeerThatCannotBeReached() throws Exception {
    server.close();
    try (RecordWriter records = new RecordWriter(bytes -> bytes.position(bytes.limit()))) {
      ReferenceSender references = sender.references(BLOCK, outOfReach(), records).open();
      ByteBuffer data = ByteBuffer.allocateDirect(PACKET);
      PacketHead head = PacketHead.whole(head(0, PACKET, false), 33);
      references.send(0, head, data, false, null);
      references.drain();
      references.stop(true);
      references.close();
    }
    assertThat(fallbacks(Fallback.ASK_FAILED)).isOne();
  }

  @Test
  void aFailureToSendIsToldAtTheNextPacket() throws Exception {
    try (RecordWriter records =
        new RecordWriter(
            bytes -> {
              throw new IOException("broken pipe");
            })) {
      ReferenceSender references = sender.references(BLOCK, peer(), records).open();
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  ByteBuffer data = ByteBuffer.allocateDirect(PACKET);
                  long offset = (long) i * PACKET;
                  PacketHead head = PacketHead.whole(head(offset, PACKET, false), 33);
                  references.send(offset, head, data, false, null);
                }
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("broken pipe");
      references.stop(false);
      references.close();
      assertThat(references.awaitEnd()).isTrue();
    }
  }

  /** Stock code suspects the block that it sends if the message begins in another way. */
  @Test
  void aBrokenPipeIsToldAsOne() throws Exception {
    assertThat(told(new IOException("Broken pipe"))).hasMessageStartingWith("Broken pipe");
    assertThat(told(new SocketException("Connection reset")))
        .hasMessageStartingWith("Connection reset");
    assertThat(told(new SocketTimeoutException("480000 millis timeout")))
        .isInstanceOf(SocketTimeoutException.class);
  }

  private Throwable told(IOException failure) throws Exception {
    try (RecordWriter records =
        new RecordWriter(
            bytes -> {
              throw failure;
            })) {
      ReferenceSender references = sender.references(BLOCK, peer(), records).open();
      PacketHead head = PacketHead.whole(head(0, PACKET, false), 33);
      references.send(0, head, ByteBuffer.allocateDirect(PACKET), false, null);
      Throwable told = catchThrowable(references::drain);
      references.stop(false);
      references.close();
      return told;
    }
  }

  private static BlockTokenSecretManager newKeys() {
    return new BlockTokenSecretManager(600_000, 600_000, 0, 1, BLOCK.poolId(), null, false);
  }

  private static BlockKeyProofs proofs(BlockTokenSecretManager namenode) throws IOException {
    BlockTokenSecretManager keys =
        new BlockTokenSecretManager(600_000, 600_000, BLOCK.poolId(), null, false);
    keys.addKeys(namenode.exportKeys());
    BlockPoolTokenSecretManager tokens = new BlockPoolTokenSecretManager();
    tokens.addBlockPool(BLOCK.poolId(), keys);
    return new BlockKeyProofs(tokens, poolId -> true);
  }

  @Test
  void whoCannotProveThatItIsADataNodeGetsNoAnswer() throws Exception {
    store.add(block);
    receiver.queries().setProofs(proofs(newKeys()));
    sender.queries().setProofs(proofs(newKeys()));
    assertArrives(number -> {});
    assertThat(referred()).isZero();
    assertThat(receiver.counters().value("mirrorProofsRefused")).isOne();
    assertThat(receiver.counters().value("mirrorAnswers")).isZero();
    assertThat(fallbacks(Fallback.ASK_REFUSED)).isOne();
  }

  @Test
  void whoCanGetsOne() throws Exception {
    store.add(block);
    BlockTokenSecretManager namenode = newKeys();
    receiver.queries().setProofs(proofs(namenode));
    sender.queries().setProofs(proofs(namenode));
    assertArrives(number -> {});
    assertThat(referred()).isPositive();
  }

  @Test
  void aStreamThatNamesNoSessionOfThisDataNodeIsRefused() throws Exception {
    store.add(block);
    send(number -> {});
    assertThatThrownBy(() -> received(sender))
        .isInstanceOf(CorruptWireException.class)
        .hasMessageContaining("session");
  }
}
