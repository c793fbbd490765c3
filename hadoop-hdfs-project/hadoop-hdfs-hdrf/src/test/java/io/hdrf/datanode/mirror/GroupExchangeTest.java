/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.datanode.HdrfCluster;
import io.hdrf.datanode.mirror.group.GroupOffers;
import io.hdrf.datanode.mirror.group.GroupStores;
import io.hdrf.datanode.mirror.query.BlockKeyProofs;
import io.hdrf.datanode.mirror.query.PeerConnection;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.GroupExport;
import io.hdrf.spi.scheme.GroupImport;
import io.hdrf.wire.GroupStream;
import io.hdrf.wire.ManualTimer;
import io.hdrf.wire.ProvedStream;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Offers of groups and who takes them, over real sockets, with stores in memory. */
@Timeout(120)
class GroupExchangeTest {

  private static final BlockRef BLOCK = new BlockRef("BP-1", 42);
  private static final int GROUPS = 100;

  private final ManualTimer timer = new ManualTimer();
  private final Store from = new Store();
  private final Store to = new Store();
  private final List<Socket> accepted = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger connections = new AtomicInteger();
  private Mirroring sender;
  private Mirroring receiver;
  private GroupOffers offers;
  private ServerSocket server;

  /** What the accepting side does. */
  private interface Accepting {
    void serve(Socket socket) throws IOException;
  }

  private volatile Accepting accepting = this::take;

  /** A store with one block that waits or was reduced. */
  private static final class Store implements GroupStores {
    private final List<Integer> taken = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean waits;
    private volatile boolean finished;
    private final AtomicInteger releases = new AtomicInteger();
    private volatile boolean isAwaitable = true;
    private volatile int refusesFrom = Integer.MAX_VALUE;
    private volatile boolean fails;

    @Override
    public GroupStream.Offer offer(BlockRef block) {
      return new GroupStream.Offer(block, 1001, 7, new int[] {3, 2});
    }

    @Override
    public Closeable use(GroupStream.Offer offer) {
      return () -> {};
    }

    @Override
    public Awaited await(GroupStream.Offer offer) {
      if (!isAwaitable) {
        return null;
      }
      waits = true;
      return new Awaited() {
        @Override
        public Incoming begin() {
          GroupImport groups = imports();
          return new Incoming() {
            @Override
            public GroupImport groups() {
              return groups;
            }

            @Override
            public void close() {}
          };
        }

        @Override
        public void close() {
          waits = false;
          releases.incrementAndGet();
        }
      };
    }

    private GroupImport imports() {
      return new GroupImport() {
        @Override
        public boolean wants(ByteBuffer names) {
          int group = names.getInt();
          return group % 3 != 0;
        }

        @Override
        public void add(ByteBuffer content) throws IOException {
          int group = content.getInt();
          if (group >= refusesFrom) {
            throw new CorruptFrameException("not what was named");
          }
          taken.add(group);
        }

        @Override
        public GroupExport finish() {
          finished = true;
          return null;
        }

        @Override
        public void close() {}
      };
    }

    static ByteBuffer numbered(int length, int number) {
      return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).putInt(0, number);
    }

    private GroupExport export(int count) {
      return new GroupExport() {
        @Override
        public int count() {
          return count;
        }

        @Override
        public ByteBuffer names(int group) {
          return numbered(100, group);
        }

        @Override
        public ByteBuffer content(int group) throws IOException {
          if (fails && group > count / 2) {
            throw new IOException("the disk fails");
          }
          return numbered(50_000, group);
        }
      };
    }
  }

  @BeforeEach
  void open() throws Exception {
    sender = mirroring();
    receiver = mirroring();
    offers = sender.exchangeGroups(from, 0);
    receiver.exchangeGroups(to, 0);
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept);
    thread.setDaemon(true);
    thread.start();
  }

  private Mirroring mirroring() throws IOException {
    SchemeRegistry registry = SchemeRegistry.of(List.of(new MemoryStore.Scheme()));
    SchemeChain chain = SchemeChain.parse("chain", MemoryStore.SCHEME, registry);
    return new MemoryStore(chain).mirroring(new Configuration(false), registry, chain, timer);
  }

  @AfterEach
  void close() throws Exception {
    server.close();
    for (Socket socket : new ArrayList<>(accepted)) {
      socket.close();
    }
    sender.close();
    receiver.close();
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = server.accept();
        accepted.add(socket);
        new Thread(
                () -> {
                  try (socket) {
                    accepting.serve(socket);
                  } catch (IOException e) {
                    // As in a DataNode.
                  }
                })
            .start();
      } catch (IOException e) {
        return;
      }
    }
  }

  private void take(Socket socket) throws IOException {
    Peer peer =
        (Peer)
            Proxy.newProxyInstance(
                Peer.class.getClassLoader(),
                new Class<?>[] {Peer.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("setReadTimeout")) {
                    socket.setSoTimeout((Integer) arguments[0]);
                  } else if (method.getName().equals("close")) {
                    socket.close();
                  }
                  return method.getName().endsWith("AddressString") ? address() : null;
                });
    receiver.takeGroups(
        peer, new IOStreamPair(socket.getInputStream(), socket.getOutputStream()), "the test");
  }

  private String address() {
    return BlockKeyProofs.address((InetSocketAddress) server.getLocalSocketAddress());
  }

  private PeerConnection<GroupStream> connect() throws IOException {
    connections.incrementAndGet();
    Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
    return new PeerConnection<>(
        new GroupStream(socket.getInputStream(), socket.getOutputStream()), address(), socket);
  }

  private void offer() throws Exception {
    offers.note(BLOCK, this::connect);
    offers.finalized(BLOCK);
  }

  private long failed() {
    return sender.counters().value("mirrorOffersFailed");
  }

  private static void await(String what, java.util.function.BooleanSupplier condition)
      throws InterruptedException {
    HdrfCluster.await(what, condition);
  }

  @Test
  void theGroupsThatAreWantedCome() throws Exception {
    offer();
    await("the other one to wait", () -> to.waits);
    offers.reduced(BLOCK, from.export(GROUPS));
    await("the other one to go on", () -> to.releases.get() == 1);
    assertThat(to.finished).isTrue();
    assertThat(to.taken).hasSize(GROUPS * 2 / 3).isSorted().doesNotContain(0, 3, 6);
    await("the offer to be counted", () -> sender.counters().value("mirrorOffers") == 1);
    assertThat(sender.counters().value("mirrorGroupsSent")).isEqualTo(to.taken.size());
    assertThat(sender.counters().value("mirrorGroupBytesSent"))
        .isEqualTo(50_000L * to.taken.size());
    assertThat(failed()).isZero();
  }

  /** The block may be reduced before the connection is there. */
  @Test
  void aBlockThatIsReducedEarlyGoesToo() throws Exception {
    Object gate = new Object();
    synchronized (gate) {
      offers.note(
          BLOCK,
          () -> {
            synchronized (gate) {
              return connect();
            }
          });
      offers.finalized(BLOCK);
      offers.reduced(BLOCK, from.export(GROUPS));
    }
    await("the other one to go on", () -> to.releases.get() == 1);
    assertThat(to.taken).hasSize(GROUPS * 2 / 3);
  }

  @Test
  void groupsThatCameGoOnAtOnce() throws Exception {
    offer();
    await("the other one to wait", () -> to.waits);
    offers.received(BLOCK, null);
    offers.received(BLOCK, from.export(0));
    assertThat(to.waits).isTrue();
    offers.received(BLOCK, from.export(5));
    offers.reduced(BLOCK, from.export(2));
    await("the other one to go on", () -> to.releases.get() == 1);
    assertThat(to.taken).containsExactly(1, 2, 4);
  }

  @Test
  void theOtherOneWaitsNoLongerForABlockThatStaysPlain() throws Exception {
    offer();
    await("the other one to wait", () -> to.waits);
    offers.dropped(BLOCK);
    await("the other one to go on", () -> to.releases.get() == 1);
    assertThat(to.taken).isEmpty();
  }

  @Test
  void theOtherOneWaitsNoLongerThanItsTime() throws Exception {
    offer();
    await("the other one to wait", () -> to.waits);
    timer.pass(TimeUnit.MINUTES.toNanos(2));
    await("the other one to go on", () -> to.releases.get() == 1);
    offers.reduced(BLOCK, from.export(GROUPS));
    assertThat(to.taken).isEmpty();
  }

  @Test
  void whatWasNotPassedOnIsNotOffered() {
    offers.finalized(BLOCK);
    offers.reduced(BLOCK, from.export(GROUPS));
    assertThat(connections).hasValue(0);
  }

  @Test
  void whoRefusesIsLeftAlone() throws Exception {
    to.isAwaitable = false;
    offer();
    await("the refusal", () -> failed() == 1);
    offers.reduced(BLOCK, from.export(GROUPS));
    assertThat(to.taken).isEmpty();
    assertThat(to.releases).hasValue(0);
  }

  @Test
  void whatCameBeforeAFailureIsKept() throws Exception {
    from.fails = true;
    offer();
    await("the other one to wait", () -> to.waits);
    offers.reduced(BLOCK, from.export(GROUPS));
    await("the other one to go on", () -> to.releases.get() == 1);
    assertThat(to.finished).isTrue();
    await("the failure to be counted", () -> failed() == 1);
  }

  @Test
  void aGroupThatIsNotWhatWasNamedEndsTheTransfer() throws Exception {
    to.refusesFrom = 10;
    offer();
    await("the other one to wait", () -> to.waits);
    offers.reduced(BLOCK, from.export(GROUPS));
    await("the other one to go on", () -> to.releases.get() == 1);
    assertThat(to.taken).containsExactly(1, 2, 4, 5, 7, 8);
    assertThat(to.finished).isTrue();
  }

  private static BlockKeyProofs proofs(BlockTokenSecretManager namenode) throws IOException {
    BlockTokenSecretManager keys =
        new BlockTokenSecretManager(600_000, 600_000, BLOCK.poolId(), null, false);
    keys.addKeys(namenode.exportKeys());
    BlockPoolTokenSecretManager tokens = new BlockPoolTokenSecretManager();
    tokens.addBlockPool(BLOCK.poolId(), keys);
    return new BlockKeyProofs(tokens, poolId -> true);
  }

  private static BlockTokenSecretManager newKeys() {
    return new BlockTokenSecretManager(600_000, 600_000, 0, 1, BLOCK.poolId(), null, false);
  }

  @Test
  void bothSidesProveThemselves() throws Exception {
    BlockTokenSecretManager namenode = newKeys();
    sender.queries().setProofs(proofs(namenode));
    receiver.queries().setProofs(proofs(namenode));
    offer();
    await("the other one to wait", () -> to.waits);
    offers.reduced(BLOCK, from.export(GROUPS));
    await("the other one to go on", () -> to.releases.get() == 1);
    assertThat(to.taken).hasSize(GROUPS * 2 / 3);
  }

  @Test
  void whoHasOtherKeysIsRefused() throws Exception {
    sender.queries().setProofs(proofs(newKeys()));
    receiver.queries().setProofs(proofs(newKeys()));
    offer();
    await("the refusal", () -> failed() == 1);
    assertThat(to.waits).isFalse();
    assertThat(receiver.counters().value("mirrorProofsRefused")).isOne();
  }

  /** A client can name itself as the next DataNode: it must not learn which chunks are new. */
  @Test
  void whoOnlyPretendsToBeADataNodeGetsNoGroups() throws Exception {
    sender.queries().setProofs(proofs(newKeys()));
    BlockKeyProofs others = proofs(newKeys());
    List<ByteBuffer> learned = Collections.synchronizedList(new ArrayList<>());
    for (boolean tries : new boolean[] {false, true}) {
      long before = failed();
      accepting =
          socket -> {
            try (GroupStream stream =
                new GroupStream(socket.getInputStream(), socket.getOutputStream())) {
              stream.readOffer();
              stream.accept();
              byte[] challenge = stream.readChallenge();
              stream.prove(
                  tries
                      ? others.prove(BLOCK.poolId(), challenge, address())
                      : new ProvedStream.Proof(new byte[32], new byte[0]));
              learned.add(stream.readNames());
            }
          };
      offer();
      await("the pretence to fail", () -> failed() == before + 1);
      offers.reduced(BLOCK, from.export(GROUPS));
    }
    await("the connections to end", () -> learned.size() == 2);
    assertThat(learned).containsOnlyNulls();
  }

  /** Of the offering DataNode itself: sent back, it proves nothing. */
  @Test
  void aProofOfOneSideIsNoneOfTheOther() throws Exception {
    BlockKeyProofs keys = proofs(newKeys());
    sender.queries().setProofs(keys);
    accepting =
        socket -> {
          try (GroupStream stream =
              new GroupStream(socket.getInputStream(), socket.getOutputStream())) {
            stream.readOffer();
            stream.accept();
            // As it would make for this challenge, were it asked to prove itself first.
            stream.prove(keys.prove(BLOCK.poolId(), stream.readChallenge(), address()));
            stream.readNames();
          }
        };
    offer();
    await("the pretence to fail", () -> failed() == 1);
    offers.reduced(BLOCK, from.export(GROUPS));
    assertThat(sender.counters().value("mirrorGroupsSent")).isZero();
  }

  /** They take the place of no others for long. */
  @Test
  void whoSaysNothingIsForgotten() throws Exception {
    accepting =
        socket -> {
          while (socket.getInputStream().read() >= 0) {}
        };
    for (int i = 0; i < 100; i++) {
      BlockRef block = new BlockRef("BP-1", i);
      offers.note(block, this::connect);
      offers.finalized(block);
      offers.reduced(block, from.export(1));
    }
    await("all connections", () -> accepted.size() == 16);
    timer.pass(TimeUnit.MINUTES.toNanos(2));
    accepting = this::take;
    await(
        "the others to be heard",
        () -> {
          offers.note(BLOCK, this::connect);
          offers.finalized(BLOCK);
          offers.reduced(BLOCK, from.export(GROUPS));
          return to.releases.get() > 0;
        });
  }

  /** A handshake that does not end. */
  @Test
  void threadsThatWaitForAConnectionEndWithTheirOffers() throws Exception {
    AtomicInteger waiting = new AtomicInteger();
    for (int i = 0; i < 300; i++) {
      BlockRef block = new BlockRef("BP-1", i);
      offers.note(
          block,
          () -> {
            waiting.incrementAndGet();
            try {
              Thread.sleep(600_000);
              throw new IOException("it did not end");
            } catch (InterruptedException e) {
              throw new java.io.InterruptedIOException();
            } finally {
              waiting.decrementAndGet();
            }
          });
      offers.finalized(block);
      offers.dropped(block);
    }
    await("the threads to go on", () -> waiting.get() == 0);
    assertThat(failed()).isZero();
  }

  /** A byte now and then is not enough to keep others from their turn. */
  @Test
  void aTransferThatTakesTooLongEnds() throws Exception {
    try (PeerConnection<GroupStream> connection = connect();
        GroupStream stream = connection.stream()) {
      stream.offer(from.offer(BLOCK));
      assertThat(stream.readGrant()).isNotNull();
      stream.names(Store.numbered(100, 1));
      stream.flush();
      assertThat(stream.readAnswer()).isTrue();
      timer.pass(TimeUnit.MINUTES.toNanos(1));
      await("the turn to end", () -> to.releases.get() == 1);
    }
  }

  /** Nobody has a turn before it has named a group. */
  @Test
  void aGroupThatComesFirstIsRefusedByItsHeader() throws Exception {
    try (PeerConnection<GroupStream> connection = connect();
        GroupStream stream = connection.stream()) {
      stream.offer(from.offer(BLOCK));
      assertThat(stream.readGrant()).isNotNull();
      stream.group(Store.numbered(100, 1));
      stream.flush();
      await("the connection to end", () -> to.releases.get() == 1);
      assertThat(to.taken).isEmpty();
    }
  }
}
