/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.scheme.ChunkLookup;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DetachedLookupTest {

  private static final int[] ENDS = {2, 5, 6};

  private final BitSet found = new BitSet();
  private final ByteBuffer dst = ByteBuffer.allocateDirect(10);

  private void find(ChunkLookup lookup) throws IOException {
    lookup.find(new byte[96], ENDS, 3, found, dst);
  }

  @Test
  void whatIsFoundIsCopiedAndNothingElse() throws IOException {
    AtomicReference<Thread> asked = new AtomicReference<>();
    ChunkLookup lookup =
        new DetachedLookup(
            (fingerprints, ends, count, has, bytes) -> {
              asked.set(Thread.currentThread());
              assertThat(has.get(0)).isTrue();
              for (int i = 0; i < 6; i++) {
                bytes.put(bytes.position() + i, (byte) 9);
              }
              has.set(2);
            },
            "hdrf-test");
    dst.position(3);
    found.set(0);
    find(lookup);
    assertThat(found.stream()).containsExactly(0, 2);
    assertThat(dst.position()).isEqualTo(3);
    for (int i = 0; i < 10; i++) {
      assertThat(dst.get(i)).as("byte %d", i).isEqualTo((byte) (i == 8 ? 9 : 0));
    }
    assertThat(asked.get()).isNotSameAs(Thread.currentThread());
    assertThat(asked.get().isDaemon()).isTrue();
  }

  @Test
  void oneThreadAnswersManyQuestions() throws IOException {
    Set<Thread> asked = ConcurrentHashMap.newKeySet();
    ChunkLookup lookup =
        new DetachedLookup(
            (fingerprints, ends, count, has, bytes) -> asked.add(Thread.currentThread()),
            "hdrf-test");
    for (int i = 0; i < 100; i++) {
      find(lookup);
    }
    assertThat(asked).hasSize(1);
  }

  /** Megabytes of each store would lie there until the next damage. */
  @Test
  void anAnswerIsNotKept() throws Exception {
    AtomicReference<WeakReference<BitSet>> answer = new AtomicReference<>();
    ChunkLookup lookup =
        new DetachedLookup(
            (fingerprints, ends, count, has, bytes) -> answer.set(new WeakReference<>(has)),
            "hdrf-test");
    find(lookup);
    for (int i = 0; i < 300 && answer.get().get() != null; i++) {
      System.gc();
      Thread.sleep(100);
    }
    assertThat(answer.get().get()).isNull();
    find(lookup);
  }

  @Test
  void whateverItThrowsIsAFailure() {
    ChunkLookup lookup =
        new DetachedLookup(
            (fingerprints, ends, count, has, bytes) -> {
              throw new OutOfMemoryError("for a test");
            },
            "hdrf-test");
    assertThatThrownBy(() -> find(lookup))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("for a test");
    assertThat(found.isEmpty()).isTrue();
  }

  /** A store that is closed interrupts its threads, and waits for them. */
  @Test
  void anInterruptEndsTheWaitAndNotTheOther() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    ChunkLookup lookup =
        new DetachedLookup(
            (fingerprints, ends, count, has, bytes) -> {
              try {
                end.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
              bytes.put(bytes.position(), (byte) 9);
              has.set(0);
              ended.countDown();
            },
            "hdrf-test");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> find(lookup)).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(() -> find(lookup)).hasMessageContaining("have not answered the last");
    end.countDown();
    assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(found.isEmpty()).isTrue();
    assertThat(dst.get(0)).isZero();
  }
}
