/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.wire.Capabilities;
import io.hdrf.wire.CorruptWireException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PeerDirectoryTest {

  private static final long EXPIRY = TimeUnit.MINUTES.toNanos(10);
  private static final InetSocketAddress PEER = InetSocketAddress.createUnresolved("peer", 9866);
  private static final Capabilities HDRF = new Capabilities(1, List.of(7));

  /** Near the overflow, which must not matter. */
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);

  private final PeerDirectory peers = new PeerDirectory(EXPIRY, now::get);
  private IOException failure;
  private int asked;

  private Capabilities of() {
    return peers.of(
        PEER,
        () -> {
          asked++;
          if (failure != null) {
            throw failure;
          }
          return HDRF;
        });
  }

  /** Returns the pauses in seconds before the next questions. */
  private List<Long> pauses(int count) {
    List<Long> pauses = new ArrayList<>();
    of();
    for (int i = 0; i < count; i++) {
      int before = asked;
      long seconds = 0;
      while (asked == before) {
        now.addAndGet(TimeUnit.SECONDS.toNanos(10));
        seconds += 10;
        of();
      }
      pauses.add(seconds);
    }
    return pauses;
  }

  @Test
  void anAnswerIsRememberedForAWhile() {
    assertThat(of()).isSameAs(HDRF);
    now.addAndGet(EXPIRY);
    assertThat(of()).isSameAs(HDRF);
    assertThat(asked).isOne();
    now.addAndGet(1);
    of();
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void aPeerWhoseConnectionBrokeIsAskedAgain() {
    of();
    peers.forget(PEER);
    of();
    assertThat(asked).isEqualTo(2);
  }

  static List<IOException> closings() {
    return List.of(new EOFException(), new SocketException("Connection reset"));
  }

  @ParameterizedTest
  @MethodSource("closings")
  void aStockPeerIsAskedLessAndLessOften(IOException closing) {
    failure = closing;
    assertThat(pauses(7)).containsExactly(40L, 70L, 130L, 250L, 490L, 610L, 610L);
    assertThat(of().version()).isZero();
  }

  @Test
  void aPeerThatWasOnlyBusyIsSoonKnownForWhatItIs() {
    failure = new EOFException();
    assertThat(of().version()).isZero();
    failure = null;
    now.addAndGet(PeerDirectory.RETRY_NANOS + 1);
    assertThat(of()).isSameAs(HDRF);
    now.addAndGet(EXPIRY + 1);
    failure = new EOFException();
    assertThat(pauses(1)).containsExactly(40L);
  }

  static List<IOException> failures() {
    return List.of(
        new SocketTimeoutException(),
        new ConnectException("refused"),
        new NoRouteToHostException(),
        new CorruptWireException("damaged"),
        new IOException());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aPeerThatDoesNotAnswerIsAskedAgainSoon(IOException noAnswer) {
    failure = noAnswer;
    assertThat(of()).isNull();
    assertThat(pauses(3)).containsExactly(40L, 40L, 40L);
    failure = null;
    now.addAndGet(PeerDirectory.RETRY_NANOS + 1);
    assertThat(of()).isSameAs(HDRF);
  }

  /** Clients name the DataNodes of their pipelines. */
  @Test
  void whoWasNotSpokenToForLongestIsForgotten() {
    of();
    for (int i = 0; i < PeerDirectory.MAX_PEERS - 1; i++) {
      peers.of(InetSocketAddress.createUnresolved("peer" + i, 1), () -> HDRF);
    }
    of();
    assertThat(asked).isEqualTo(1);
    for (int i = 0; i < PeerDirectory.MAX_PEERS; i++) {
      peers.of(InetSocketAddress.createUnresolved("other" + i, 1), () -> HDRF);
    }
    of();
    assertThat(asked).isEqualTo(2);
  }
}
