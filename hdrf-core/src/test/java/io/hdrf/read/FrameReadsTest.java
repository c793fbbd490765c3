/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.ReducedBlock;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The threads that decode ahead. */
@Timeout(60)
class FrameReadsTest {

  private static final int FRAMES = 30;
  private static final int LENGTH = (FRAMES - 1) * HookedScheme.FRAME_LENGTH + 1234;
  private static final String AHEAD = "hdrf-decode-ahead";

  @TempDir Path directory;

  private final byte[] data =
      TestData.TEXT.bytes(LENGTH, TestSeed.random(FrameReadsTest.class.getName()));
  private final AtomicInteger decodings = new AtomicInteger();
  private final Set<Thread> decoders = ConcurrentHashMap.newKeySet();
  private final FrameReads none = reads(0);
  private ReducedFile file;
  private ReducedBlock block;

  private static FrameReads reads(int threads) {
    return new FrameReads(
        0,
        threads,
        BufferPool.shared(),
        (of, failure) -> new IOException(of.name() + " can't be read", failure));
  }

  @BeforeEach
  void open() throws IOException {
    file = new ReducedFile(directory, data);
    block = file.open();
  }

  @AfterEach
  void close() throws IOException {
    block.close();
    file.close();
  }

  private FrameSlot slot(int frame) {
    FrameSlot slot = new FrameSlot(block, file.codec, none, FrameCheck.NONE);
    slot.assign(frame, 1);
    return slot;
  }

  @Test
  void withoutThreadsThereIsNoDecodingAhead() {
    try (FrameReads none = reads(0);
        FrameReads one = reads(1)) {
      assertThat(none.decodesAhead()).isFalse();
      assertThat(one.decodesAhead()).isTrue();
    }
  }

  /** As many wait as were asked for; who comes later decodes by itself. */
  @Test
  void aReaderNeverWaitsForAThreadThatHasNoTime() throws Exception {
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch gate = new CountDownLatch(1);
    file.scheme.afterDecode =
        frame -> {
          decodings.incrementAndGet();
          if (Thread.currentThread().getName().startsWith(AHEAD)) {
            decoders.add(Thread.currentThread());
            begun.countDown();
            awaitUninterruptibly(gate);
          }
        };
    FrameSlot late;
    FrameSlot[] waiting = new FrameSlot[2 * 16];
    FrameReads ahead = reads(2);
    try {
      ahead.decodeAhead(slot(0));
      ahead.decodeAhead(slot(0));
      begun.await();
      for (int i = 0; i < waiting.length; i++) {
        waiting[i] = slot(i % FRAMES);
        ahead.decodeAhead(waiting[i]);
      }
      late = slot(20);
      ahead.decodeAhead(late);
      assertThat(late.get().remaining()).isEqualTo(HookedScheme.FRAME_LENGTH);
      assertThat(decodings.get()).isEqualTo(3);
    } finally {
      gate.countDown();
      ahead.close();
    }
    for (Thread thread : decoders) {
      thread.join();
    }
    assertThat(decodings.get()).as("those that waited were decoded").isEqualTo(3 + waiting.length);
    ahead.decodeAhead(slot(25));
    assertThat(decodings.get()).isEqualTo(3 + waiting.length);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
