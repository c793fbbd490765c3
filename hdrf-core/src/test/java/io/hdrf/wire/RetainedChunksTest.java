/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.io.BufferPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class RetainedChunksTest {

  private static final long LINGER = 60;

  private final ManualTimer timer = new ManualTimer();
  private final ChunkQuerySessions sessions = new ChunkQuerySessions(1000, 1500, LINGER, timer);

  private static ChunkBatch batch(int number, int... ends) {
    return new ChunkBatch(number, ends, new byte[ends.length * 32]);
  }

  private static BitSet bits(int... set) {
    BitSet bits = new BitSet();
    for (int bit : set) {
      bits.set(bit);
    }
    return bits;
  }

  /** Holds a batch whose bytes are their own positions. */
  private static boolean hold(RetainedChunks held, ChunkBatch batch, int... found)
      throws IOException {
    ByteBuffer bytes = held.take(batch);
    if (bytes == null) {
      return false;
    }
    assertThat(bytes.remaining()).isEqualTo(batch.totalLength());
    for (int i = 0; i < bytes.limit(); i++) {
      bytes.put(i, (byte) i);
    }
    return held.hold(batch, bits(found), bytes);
  }

  private static byte[] resolve(RetainedChunks held, int number, int first, int count, int skip)
      throws IOException {
    ByteBuffer bytes = held.resolve(number, first, count, skip);
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  private static void assertRefused(
      RetainedChunks held, int number, int first, int count, int skip) {
    assertThatThrownBy(() -> held.resolve(number, first, count, skip))
        .isInstanceOf(CorruptWireException.class);
  }

  @Test
  void theSessionsOfAPoolEndWithIt() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    RetainedChunks other = sessions.open("BP-2");
    hold(held, batch(0, 100), 0);
    hold(other, batch(0, 200), 0);
    sessions.end("BP-1");
    assertThat(sessions.memory()).isEqualTo(200);
    assertThat(sessions.join(held.id())).isNull();
    assertThat(held.take(batch(1, 10))).isNull();
    assertThat(sessions.join(other.id())).isSameAs(other);
    held.finish();
    other.leave();
    other.finish();
    assertThat(sessions.count()).isZero();
    assertThat(sessions.memory()).isZero();
  }

  @Test
  void aStreamWhosePoolEndedFindsNothing() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    hold(held, batch(0, 100), 0);
    assertThat(sessions.join(held.id())).isSameAs(held);
    sessions.end("BP-1");
    assertRefused(held, 0, 0, 1, 0);
    held.finish();
    held.leave();
    assertThat(sessions.memory()).isZero();
  }

  /** Otherwise another connection would get the buffer, and this stream its bytes. */
  @Test
  void whatAStreamHandsOutStaysItsOwnThoughThePoolEnded() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    hold(held, batch(0, 1000), 0);
    assertThat(sessions.join(held.id())).isSameAs(held);
    ByteBuffer handedOut = held.resolve(0, 0, 1, 0);
    sessions.end("BP-1");
    assertThat(sessions.memory()).isEqualTo(1000);
    ByteBuffer another = BufferPool.shared().take(1000);
    try {
      for (int i = 0; i < 1000; i++) {
        another.put(i, (byte) ~i);
      }
      for (int i = 0; i < 1000; i++) {
        assertThat(handedOut.get(i)).isEqualTo((byte) i);
      }
    } finally {
      BufferPool.shared().give(another);
    }
    assertThat(held.take(batch(1, 10))).isNull();
    held.leave();
    assertThat(sessions.memory()).isZero();
  }

  @Test
  void whatIsHeldAfterThePoolEndedIsGivenBackToo() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    ByteBuffer late = held.take(batch(0, 100));
    assertThat(sessions.join(held.id())).isSameAs(held);
    sessions.end("BP-1");
    held.hold(batch(0, 100), bits(0), late);
    assertRefused(held, 0, 0, 1, 0);
    held.leave();
    held.finish();
    assertThat(sessions.memory()).isZero();
  }

  @Test
  void whatCouldNotBeAllocatedIsNotTaken() throws IOException {
    ChunkQuerySessions boundless =
        new ChunkQuerySessions(Long.MAX_VALUE, Long.MAX_VALUE, LINGER, timer);
    RetainedChunks held = boundless.open("BP-1");
    assertThatThrownBy(() -> held.take(batch(0, Integer.MAX_VALUE)))
        .isInstanceOfAny(OutOfMemoryError.class, RuntimeException.class);
    assertThat(boundless.memory()).isZero();
    assertThat(held.memory()).isZero();
  }

  @Test
  void whatIsHeldIsResolved() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    hold(held, batch(0, 2, 5, 9, 10), 0, 1, 3);
    assertThat(resolve(held, 0, 0, 1, 0)).containsExactly(0, 1);
    assertThat(resolve(held, 0, 0, 2, 1)).containsExactly(1, 2, 3, 4);
    assertThat(resolve(held, 0, 3, 1, 0)).containsExactly(9);
  }

  @Test
  void nothingElseIs() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    hold(held, batch(0, 2, 5, 9, 10), 0, 1, 3);
    assertRefused(held, 1, 0, 1, 0);
    assertRefused(held, -1, 0, 1, 0);
    assertRefused(held, 0, 2, 1, 0);
    assertRefused(held, 0, 1, 2, 0);
    assertRefused(held, 0, 0, 0, 0);
    assertRefused(held, 0, 3, 2, 0);
    assertRefused(held, 0, 65535, 65535, 0);
    assertRefused(held, 0, 0, 2, 2);
    assertRefused(held, 0, 1, 1, 3);
    assertRefused(held, 0, 0, 1, -1);
  }

  @Test
  void aReferenceReleasesWhatCameBefore() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    hold(held, batch(0, 100), 0);
    hold(held, batch(1, 200), 0);
    hold(held, batch(5, 300), 0);
    assertThat(held.memory()).isEqualTo(600);
    assertThat(resolve(held, 1, 0, 1, 0)).hasSize(200);
    assertThat(held.memory()).isEqualTo(500);
    assertRefused(held, 0, 0, 1, 0);
    held.release(5);
    assertThat(held.memory()).isZero();
    assertThat(sessions.memory()).isZero();
    assertRefused(held, 5, 0, 1, 0);
    assertThat(hold(held, batch(6, 1), 0)).isTrue();
  }

  @Test
  void whatIsReleasedBeforeItIsThereIsNotHeld() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    ByteBuffer bytes = held.take(batch(3, 100));
    held.release(4);
    assertThat(held.hold(batch(3, 100), bits(0), bytes)).isFalse();
    ByteBuffer last = held.take(batch(5, 100));
    held.release(5);
    assertThat(held.hold(batch(5, 100), bits(0), last)).isFalse();
    assertThat(sessions.memory()).isZero();
    held.release(7);
    assertThat(held.take(batch(7, 100))).isNull();
    assertThat(held.take(batch(8, 100))).isNotNull();
    assertThat(sessions.memory()).isEqualTo(100);
  }

  @Test
  void memoryIsBounded() throws IOException {
    RetainedChunks one = sessions.open("BP-1");
    RetainedChunks other = sessions.open("BP-1");
    assertThat(hold(one, batch(0, 1000), 0)).isTrue();
    assertThat(hold(one, batch(1, 1), 0)).isFalse();
    assertThat(hold(other, batch(0, 501), 0)).isFalse();
    assertThat(hold(other, batch(1, 500), 0)).isTrue();
    one.release(0);
    assertThat(hold(other, batch(2, 500), 0)).isTrue();
    assertThat(hold(one, batch(2, 500), 0)).isTrue();
    ByteBuffer bytes = other.take(batch(3, 1));
    assertThat(bytes).isNull();
    other.finish();
    timer.pass(LINGER);
    assertThat(hold(one, batch(3, 500), 0)).isTrue();
    assertThat(sessions.memory()).isEqualTo(1000);
  }

  @Test
  void numbersRise() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    hold(held, batch(7, 1), 0);
    assertThatThrownBy(() -> held.take(batch(7, 1))).isInstanceOf(CorruptWireException.class);
    assertThatThrownBy(() -> held.take(batch(6, 1))).isInstanceOf(CorruptWireException.class);
  }

  /** The stream keeps its promised chunks, whatever happens to the connection that asked. */
  @Test
  void theSessionEndsWithTheStream() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    hold(held, batch(0, 10), 0);
    assertThat(sessions.join(held.id())).isSameAs(held);
    held.finish();
    timer.pass(LINGER);
    assertThat(resolve(held, 0, 0, 1, 0)).hasSize(10);
    held.leave();
    assertThat(sessions.memory()).isZero();
    assertThat(sessions.count()).isZero();
    assertThat(sessions.join(held.id())).isNull();
    assertThat(hold(held, batch(1, 10), 0)).isFalse();
  }

  @Test
  void nothingIsHeldWhenTheStreamHasEnded() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    hold(held, batch(0, 10), 0);
    assertThat(sessions.join(held.id())).isSameAs(held);
    held.leave();
    assertThat(sessions.memory()).isZero();
    assertThat(hold(held, batch(1, 10), 0)).isFalse();
    held.finish();
    assertThat(sessions.count()).isZero();
  }

  @Test
  void aStreamMayJoinLate() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    hold(held, batch(0, 10), 0);
    held.finish();
    timer.pass(LINGER - 1);
    assertThat(sessions.join(held.id())).isSameAs(held);
    timer.pass(LINGER);
    assertThat(resolve(held, 0, 0, 1, 0)).hasSize(10);
    held.leave();
    assertThat(sessions.memory()).isZero();
  }

  /** This needs no other call. */
  @Test
  void aStreamThatDoesNotComeIsForgotten() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    hold(held, batch(0, 10), 0);
    timer.pass(LINGER);
    held.finish();
    RetainedChunks later = sessions.open("BP-1");
    hold(later, batch(0, 20), 0);
    timer.pass(LINGER - 1);
    later.finish();
    assertThat(sessions.memory()).isEqualTo(30);
    timer.pass(1);
    assertThat(sessions.memory()).isEqualTo(20);
    assertThat(sessions.join(held.id())).isNull();
    timer.pass(LINGER - 1);
    assertThat(sessions.memory()).isZero();
    assertThat(sessions.count()).isZero();
  }

  /** Otherwise each of any number of connections would leave a session behind for a while. */
  @Test
  void aSessionThatHoldsNothingEndsWithItsQuestions() throws IOException {
    RetainedChunks unasked = sessions.open("BP-1");
    RetainedChunks without = sessions.open("BP-1");
    ChunkBatch batch = batch(0, 10);
    without.giveBack(batch, without.take(batch));
    unasked.finish();
    without.finish();
    assertThat(sessions.count()).isZero();
    assertThat(sessions.join(unasked.id())).isNull();
    assertThat(sessions.join(without.id())).isNull();
  }

  @Test
  void aStreamThatJoinedKeepsASessionThatHoldsNothing() throws IOException {
    RetainedChunks held = sessions.open("BP-1");
    assertThat(sessions.join(held.id())).isSameAs(held);
    held.finish();
    assertThat(sessions.count()).isOne();
    held.leave();
    assertThat(sessions.count()).isZero();
  }

  @Test
  void sessionsAreBounded() throws IOException {
    RetainedChunks first = sessions.open("BP-1");
    for (int i = 1; i < ChunkQuerySessions.MAX_SESSIONS; i++) {
      assertThat(sessions.open("BP-1")).isNotNull();
    }
    assertThat(sessions.open("BP-1")).isNull();
    first.finish();
    assertThat(sessions.open("BP-1")).isNotNull();
    assertThat(sessions.open("BP-1")).isNull();
  }

  @Test
  void oneStreamJoins() {
    RetainedChunks held = sessions.open("BP-1");
    byte[] guessed = held.id();
    guessed[15] ^= 1;
    assertThat(sessions.join(guessed)).isNull();
    assertThat(sessions.join(held.id())).isSameAs(held);
    assertThat(sessions.join(held.id())).isNull();
    assertThat(sessions.open("BP-1").id()).isNotEqualTo(held.id());
  }
}
