/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FrameSlotTest {

  private static final int FRAMES = 5;
  private static final int LENGTH = (FRAMES - 1) * HookedScheme.FRAME_LENGTH + 1234;

  /** What the reader is told. */
  private static final class TranslatedException extends IOException {
    TranslatedException(Throwable failure) {
      super(failure);
    }
  }

  @TempDir Path directory;

  private final Random random = TestSeed.random(FrameSlotTest.class.getName());
  private final byte[] data = TestData.TEXT.bytes(LENGTH, random);
  private final BufferPool buffers = new BufferPool(1 << 20);
  private long decodedBytes;
  private long decodeNanos;
  private final FrameReads reads =
      new FrameReads(
          0,
          0,
          buffers,
          new FrameReads.Owner() {
            @Override
            public IOException translate(ReducedBlock of, Throwable failure) {
              return new TranslatedException(failure);
            }

            @Override
            public synchronized void decoded(int bytes, long nanos) {
              decodedBytes += bytes;
              decodeNanos += nanos;
            }
          });
  private ReducedFile file;
  private ReducedBlock block;

  @BeforeEach
  void open() throws IOException {
    file = new ReducedFile(directory, data);
    block = file.open();
    assertThat(block.frames().frameCount()).isEqualTo(FRAMES);
  }

  @AfterEach
  void close() throws IOException {
    block.close();
    file.close();
  }

  private FrameSlot slot() {
    return new FrameSlot(block, file.codec, reads, FrameCheck.NONE);
  }

  private void assertHolds(ByteBuffer decoded, int frame) {
    byte[] found = new byte[decoded.remaining()];
    decoded.duplicate().get(found);
    int from = frame * HookedScheme.FRAME_LENGTH;
    assertThat(found).isEqualTo(Arrays.copyOfRange(data, from, from + found.length));
    assertThat(found).hasSize(block.frames().originalLength(frame));
  }

  private void assertHoldsAll(ByteBuffer decoded, int first, int end) {
    byte[] found = new byte[decoded.remaining()];
    decoded.duplicate().get(found);
    assertThat(found)
        .isEqualTo(
            Arrays.copyOfRange(
                data,
                (int) block.frames().originalPosition(first),
                (int) block.frames().originalEnd(end - 1)));
  }

  @Test
  void framesThatFollowEachOtherAreDecodedAtOnce() throws IOException {
    FrameSlot slot = slot();
    for (int first = 0; first < FRAMES; first++) {
      for (int end = first + 1; end <= FRAMES; end++) {
        slot.assign(first, end - first);
        assertHoldsAll(slot.get(), first, end);
        assertThat(slot.end()).isEqualTo(end);
      }
    }
    slot.release();
  }

  @Test
  void framesBeforeADamagedOneCanBeRead() throws Exception {
    byte[] raw = Files.readAllBytes(file.path);
    raw[(int) block.frames().storedPosition(2)] ^= 1;
    Files.write(file.path, raw);
    FrameSlot slot = slot();
    slot.assign(0, FRAMES);
    assertHoldsAll(slot.get(), 0, 1);
    assertThat(slot.end()).isEqualTo(1);
    slot.assign(1, FRAMES - 1);
    assertHoldsAll(slot.get(), 1, 2);
    slot.assign(2, FRAMES - 2);
    assertThatThrownBy(slot::get)
        .isInstanceOf(TranslatedException.class)
        .hasCauseInstanceOf(CorruptFileException.class);
    slot.assign(3, FRAMES - 3);
    assertHoldsAll(slot.get(), 3, FRAMES);
    slot.release();
  }

  @Test
  void theReaderDecodesWhatNobodyDecodedAhead() throws IOException {
    FrameSlot slot = slot();
    for (int frame : new int[] {4, 0, 3, 3}) {
      slot.assign(frame, 1);
      assertThat(slot.first()).isEqualTo(frame);
      assertHolds(slot.get(), frame);
      assertHolds(slot.get(), frame);
    }
    slot.release();
  }

  @Test
  void aFrameIsDecodedOnceWhoeverComesFirst() throws Exception {
    AtomicInteger decodings = new AtomicInteger();
    file.scheme.afterDecode = frame -> decodings.incrementAndGet();
    FrameSlot slot = slot();
    ExecutorService ahead = Executors.newFixedThreadPool(2);
    int rounds = 3000;
    for (int round = 0; round < rounds; round++) {
      int frame = round % FRAMES;
      slot.assign(frame, 1);
      ahead.execute(slot);
      ahead.execute(slot);
      if (random.nextBoolean()) {
        Thread.yield();
      }
      assertHolds(slot.get(), frame);
    }
    slot.release();
    ahead.shutdown();
    assertThat(ahead.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    assertThat(decodings.get()).isEqualTo(rounds);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void assigningAndReleasingWaitForADecodingUnderWay(boolean assign) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    file.scheme.afterDecode =
        frame -> {
          begun.countDown();
          try {
            gate.await();
          } catch (InterruptedException e) {
            throw new java.io.InterruptedIOException();
          }
        };
    FrameSlot slot = slot();
    slot.assign(1, 1);
    Thread ahead = new Thread(slot);
    ahead.start();
    begun.await();
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread reader =
        new Thread(
            () -> {
              if (assign) {
                slot.assign(2, 1);
              }
              slot.release();
              interrupted.set(Thread.interrupted());
            });
    reader.start();
    while (reader.isAlive() && reader.getState() != Thread.State.WAITING) {
      Thread.sleep(2);
    }
    assertThat(slot.first()).isEqualTo(1);
    assertThat(buffers.idleBytes()).isZero();
    reader.interrupt();
    gate.countDown();
    reader.join();
    assertThat(interrupted).as("the interrupt is there for whoever waits next").isTrue();
    ahead.join();
    assertThat(buffers.idleBytes()).isPositive();
  }

  /** The buffers may belong to another block by then. */
  @Test
  void aTaskThatComesAfterTheReleaseDoesNothing() throws Exception {
    AtomicInteger decodings = new AtomicInteger();
    file.scheme.afterDecode = frame -> decodings.incrementAndGet();
    FrameSlot slot = slot();
    slot.assign(1, 1);
    slot.release();
    slot.run();
    assertThat(decodings.get()).isZero();
    assertThat(slot.first()).isEqualTo(-1);
    assertThat(slot.end()).isEqualTo(-1);
  }

  private long roomFor(int first, int end) {
    FrameTable frames = block.frames();
    return (long)
            BufferPool.capacityFor(
                (int) (frames.originalEnd(end - 1) - frames.originalPosition(first)))
        + BufferPool.capacityFor((int) (frames.storedEnd(end - 1) - frames.storedPosition(first)));
  }

  @Test
  void buffersAreGivenBackWhenLargerOnesTakeTheirPlaceAndAtTheEnd() throws IOException {
    FrameSlot slot = slot();
    slot.assign(0, 1);
    assertHolds(slot.get(), 0);
    assertThat(buffers.idleBytes()).isZero();
    slot.assign(0, 3);
    assertHoldsAll(slot.get(), 0, 3);
    assertThat(buffers.idleBytes()).isEqualTo(roomFor(0, 1));
    slot.assign(FRAMES - 1, 1);
    assertThat(buffers.idleBytes()).as("there is room enough").isEqualTo(roomFor(0, 1));
    slot.release();
    assertThat(buffers.idleBytes()).isEqualTo(roomFor(0, 1) + roomFor(0, 3));
    slot.release();
    assertThat(buffers.idleBytes()).isEqualTo(roomFor(0, 1) + roomFor(0, 3));
  }

  @Test
  void whatIsTakenBackIsNotDecodedUnlessThatHasBegun() throws IOException {
    AtomicInteger decodings = new AtomicInteger();
    file.scheme.afterDecode = frame -> decodings.incrementAndGet();
    FrameSlot slot = slot();
    slot.assign(1, 2);
    slot.unassign();
    assertThat(slot.first()).isEqualTo(-1);
    slot.run();
    assertThat(decodings.get()).isZero();
    slot.assign(1, 2);
    slot.run();
    slot.unassign();
    assertThat(slot.first()).isEqualTo(1);
    assertHoldsAll(slot.get(), 1, 3);
    assertThat(decodings.get()).isEqualTo(2);
    slot.release();
  }

  @Test
  void whatIsDecodedIsCounted() throws IOException {
    long start = System.nanoTime();
    FrameSlot slot = slot();
    slot.assign(1, 2);
    slot.get();
    slot.get();
    slot.release();
    assertThat(decodedBytes).isEqualTo(2L * HookedScheme.FRAME_LENGTH);
    assertThat(decodeNanos).isBetween(0L, System.nanoTime() - start);
  }

  @Test
  void damageFoundAheadIsToldToTheReader() throws Exception {
    byte[] raw = Files.readAllBytes(file.path);
    int position =
        (int) (block.frames().storedPosition(2) + random.nextInt(block.frames().storedLength(2)));
    raw[position] ^= 1;
    Files.write(file.path, raw);
    FrameSlot slot = slot();
    slot.assign(2, 1);
    slot.run();
    assertThatThrownBy(slot::get)
        .isInstanceOf(TranslatedException.class)
        .hasMessageContaining("blk_1");
    assertThat(slot.first()).isEqualTo(-1);
    slot.assign(3, 1);
    assertHolds(slot.get(), 3);
  }

  /** A thread that waits for another's decoding gets the error, and everything can be released. */
  @Test
  void anErrorOfTheThreadThatDecodesAheadEndsTheWait() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    file.scheme.afterDecode =
        frame -> {
          begun.countDown();
          try {
            gate.await();
          } catch (InterruptedException e) {
            throw new java.io.InterruptedIOException();
          }
          // Others come as an IOException.
          throw new OutOfMemoryError("for a test");
        };
    FrameSlot slot = slot();
    slot.assign(1, 1);
    ExecutorService ahead = Executors.newFixedThreadPool(2);
    ahead.execute(slot);
    begun.await();
    Future<ByteBuffer> reader = ahead.submit(slot::get);
    gate.countDown();
    assertThatThrownBy(() -> reader.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(TranslatedException.class);
    slot.release();
    assertThat(buffers.idleBytes()).isPositive();
    ahead.shutdown();
  }
}
