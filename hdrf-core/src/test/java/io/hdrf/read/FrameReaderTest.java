/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.ReducedBlock;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The runs that a reader decodes, and its memory. */
@Timeout(60)
class FrameReaderTest {

  private static final int FRAMES = 20;
  private static final int LENGTH = FRAMES * HookedScheme.FRAME_LENGTH;

  /** Of a frame that is not decoded ahead. */
  private static final int LONG = (1 << 20) + 1;

  private static final int LONG_CAPACITY = BufferPool.capacityFor(LONG);
  private static final int CACHE = 4 * LONG_CAPACITY;

  private static final int READERS = 8;

  @TempDir Path directory;

  private final byte[] data =
      TestData.TEXT.bytes(LENGTH, TestSeed.random(FrameReaderTest.class.getName()));
  private final BufferPool buffers = new BufferPool(1L << 30);
  private final AtomicLong decoded = new AtomicLong();
  private long idle;
  private ReducedFile file;
  private ReducedBlock block;
  private FrameReads reads;

  @BeforeEach
  void open() throws IOException {
    file = new ReducedFile(directory, data);
    block = file.open();
    reads =
        new FrameReads(
            CACHE,
            2,
            buffers,
            new FrameReads.Owner() {
              @Override
              public IOException translate(ReducedBlock of, Throwable failure) {
                return new IOException(of.name() + " can't be read", failure);
              }

              @Override
              public void decoded(int bytes, long nanos) {
                decoded.incrementAndGet();
              }
            });
    fillPool();
  }

  /** More of each length than a reader takes: what it does not give back is missing then. */
  private void fillPool() {
    List<ByteBuffer> taken = new ArrayList<>();
    for (int length = 1; length <= LONG; ) {
      int capacity = BufferPool.capacityFor(length);
      for (int i = 0; i < READERS + 5; i++) {
        taken.add(buffers.take(length));
      }
      length = capacity + 1;
    }
    taken.forEach(buffers::give);
    idle = buffers.idleBytes();
  }

  @AfterEach
  void close() throws IOException {
    long kept = reads.cache().size() / LONG_CAPACITY * LONG_CAPACITY;
    assertThat(buffers.idleBytes() + kept).as("all buffers were given back").isEqualTo(idle);
    reads.close();
    block.close();
    file.close();
  }

  private FrameReader reader() {
    return reader(block, file);
  }

  private FrameReader reader(ReducedBlock of, ReducedFile from) {
    return reads.reader(of, from.codec, null, FrameCheck.NONE, 0);
  }

  /** Reads run by run, and returns how many frames each had. */
  private List<Integer> runs(FrameReader reader, int firstFrame, int most) throws IOException {
    List<Integer> runs = new ArrayList<>();
    int position = firstFrame * HookedScheme.FRAME_LENGTH;
    while (position < LENGTH && runs.size() < most) {
      ByteBuffer run = reader.at(position);
      byte[] found = new byte[run.remaining()];
      run.get(found);
      assertThat(found).isEqualTo(Arrays.copyOfRange(data, position, position + found.length));
      runs.add(found.length / HookedScheme.FRAME_LENGTH);
      position += found.length;
    }
    return runs;
  }

  /** Two runs are decoded ahead: each step's length is that of the run after the next. */
  @Test
  void runsGrowAsLongAsTheReaderGoesOn() throws IOException {
    try (FrameReader reader = reader()) {
      assertThat(runs(reader, 0, FRAMES)).containsExactly(1, 1, 1, 2, 2, 4, 4, 4, 1);
    }
  }

  /** Otherwise scattered short reads would decode much in vain. */
  @Test
  void runsBeginShortAgainAfterAJump() throws IOException {
    try (FrameReader reader = reader()) {
      assertThat(runs(reader, 0, 5)).containsExactly(1, 1, 1, 2, 2);
      assertThat(runs(reader, 2, 5)).containsExactly(1, 1, 1, 2, 2);
      assertThat(runs(reader, 15, FRAMES)).containsExactly(1, 1, 1, 2);
    }
  }

  @Test
  void aReaderMayBeClosedAtAnyTime() throws IOException {
    for (int runs = 0; runs <= 8; runs++) {
      try (FrameReader reader = reader()) {
        runs(reader, 0, runs);
        reader.close();
        assertThatThrownBy(() -> reader.at(0)).isInstanceOf(ClosedChannelException.class);
      }
      assertThat(buffers.idleBytes()).isEqualTo(idle);
    }
  }

  @Test
  void aDamagedFrameTakesNoRoom() throws IOException {
    byte[] raw = Files.readAllBytes(file.path);
    raw[(int) block.frames().storedPosition(6)] ^= 1;
    Files.write(file.path, raw);
    try (FrameReader reader = reader()) {
      assertThatThrownBy(() -> runs(reader, 0, FRAMES)).hasMessageContaining("blk_1");
      assertThat(runs(reader, 7, FRAMES)).first().isEqualTo(1);
    }
  }

  /** The writer of the block has chosen the length of its frames. */
  @Test
  void aReaderHoldsOneLongFrameAndNoneAhead() throws IOException {
    int[] lengths = {LONG, LONG, 9000, 9000, 9000, 9000, LONG, 9000, 9000, LONG, 9000};
    byte[] content = TestData.TEXT.bytes(Arrays.stream(lengths).sum(), TestSeed.random("long"));
    Path another = Files.createDirectory(directory.resolve("another"));
    try (ReducedFile other = new ReducedFile(another, content, lengths);
        ReducedBlock longFrames = other.open();
        FrameReader reader = reader(longFrames, other)) {
      for (int position = 0; position < content.length; ) {
        ByteBuffer run = reader.at(position);
        assertThat(idle - buffers.idleBytes() - reads.cache().size())
            .as("at %d, beside what is shared", position)
            .isLessThan(2 * LONG);
        byte[] found = new byte[run.remaining()];
        run.get(found);
        assertThat(found).isEqualTo(Arrays.copyOfRange(content, position, position + found.length));
        position += found.length;
      }
    }
  }

  private ReducedFile longFrames(int count) throws IOException {
    int[] lengths = new int[count];
    Arrays.fill(lengths, LONG);
    byte[] content = TestData.TEXT.bytes(count * LONG, TestSeed.random("long"));
    return new ReducedFile(Files.createDirectory(directory.resolve("long")), content, lengths);
  }

  private long decoded() {
    return decoded.get();
  }

  /** As HBase reads: each read opens the block. */
  @Test
  void aLongFrameIsDecodedOnceForManyPositionalReads() throws Exception {
    AtomicInteger atOnce = new AtomicInteger();
    try (ReducedFile other = longFrames(2);
        ReducedBlock longFrames = other.open()) {
      other.scheme.afterDecode =
          frame -> {
            atOnce.incrementAndGet();
            sleep(50);
          };
      atOnce(
          READERS,
          () -> {
            for (int i = 0; i < 20; i++) {
              try (FrameReader reader = reader(longFrames, other)) {
                ByteBuffer bytes = reader.at(LONG + 1000 * i);
                assertThat(bytes.remaining()).isEqualTo(LONG - 1000 * i);
              }
            }
          });
      assertThat(atOnce).hasValue(1);
      assertThat(decoded()).isEqualTo(1);
      assertThat(reads.cache().size()).isEqualTo(LONG_CAPACITY);
    }
  }

  /** What readers hold while it leaves the cache is theirs until they close. */
  @Test
  void manyLongFramesStayWithinTheCache() throws Exception {
    try (ReducedFile other = longFrames(10);
        ReducedBlock longFrames = other.open();
        ReducedBlock heldBlock = other.open();
        FrameReader held = reader(heldBlock, other)) {
      ByteBuffer first = held.at(0);
      byte[] before = new byte[LONG];
      first.get(before);
      for (int frame = 0; frame < 10; frame++) {
        try (FrameReader reader = reader(longFrames, other)) {
          assertThat(reader.at((long) frame * LONG).remaining()).isEqualTo(LONG);
        }
        assertThat(reads.cache().size()).isLessThanOrEqualTo(CACHE);
      }
      assertThat(decoded()).isEqualTo(10);
      assertThat(idle - buffers.idleBytes())
          .as("the cache, and what is held")
          .isEqualTo(CACHE + LONG_CAPACITY);
      byte[] after = new byte[LONG];
      held.at(0).get(after);
      assertThat(after).isEqualTo(before);
    }
  }

  /** A damaged frame makes all of its readers fail, and hangs none; each may try again. */
  @Test
  void readersOfALongDamagedFrameAreTold() throws Exception {
    try (ReducedFile other = longFrames(1);
        ReducedBlock longFrames = other.open()) {
      other.scheme.afterDecode =
          frame -> {
            sleep(20);
            throw new CorruptFrameException("as the test wants it");
          };
      atOnce(
          READERS,
          () -> {
            try (FrameReader reader = reader(longFrames, other)) {
              assertThatThrownBy(() -> reader.at(5)).hasMessageContaining("blk_1");
            }
          });
      other.scheme.afterDecode = frame -> {};
      try (FrameReader reader = reader(longFrames, other)) {
        assertThat(reader.at(5).remaining()).isEqualTo(LONG - 5);
      }
    }
  }

  @Test
  void anInterruptEndsTheWaitForAnotherReader() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    try (ReducedFile other = longFrames(1);
        ReducedBlock longFrames = other.open()) {
      other.scheme.afterDecode =
          frame -> {
            begun.countDown();
            await(gate);
          };
      ExecutorService threads = Executors.newFixedThreadPool(2);
      try {
        Future<Integer> decodes =
            threads.submit(
                () -> {
                  try (FrameReader reader = reader(longFrames, other)) {
                    return reader.at(0).remaining();
                  }
                });
        begun.await();
        Future<Boolean> waits =
            threads.submit(
                () -> {
                  try (FrameReader reader = reader(longFrames, other)) {
                    Thread.currentThread().interrupt();
                    assertThatThrownBy(() -> reader.at(0)).hasMessageContaining("blk_1");
                  }
                  return Thread.interrupted();
                });
        assertThat(waits.get()).as("the interrupt is there for whoever waits next").isTrue();
        gate.countDown();
        assertThat(decodes.get()).isEqualTo(LONG);
      } finally {
        gate.countDown();
        threads.shutdownNow();
      }
    }
  }

  /** Threads that all chains share must not wait for the turns of one. */
  @Test
  void framesOfALimitedSchemeAreNotDecodedAhead() throws IOException {
    Path limited = Files.createDirectory(directory.resolve("limited"));
    Set<String> decoders = ConcurrentHashMap.newKeySet();
    try (ReducedFile other = new ReducedFile(limited, data, 1);
        ReducedBlock of = other.open();
        FrameReader reader = reader(of, other)) {
      other.scheme.afterDecode = frame -> decoders.add(Thread.currentThread().getName());
      runs(reader, 0, FRAMES);
      assertThat(decoders).containsExactly(Thread.currentThread().getName());
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private static void atOnce(int count, Work work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        all.add(
            threads.submit(
                () -> {
                  work.run();
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void sleep(int millis) throws IOException {
    await(new CountDownLatch(1), millis);
  }

  private static void await(CountDownLatch latch) throws IOException {
    await(latch, Integer.MAX_VALUE);
  }

  private static void await(CountDownLatch latch, int millis) throws IOException {
    try {
      boolean unused = latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
  }
}
