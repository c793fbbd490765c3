/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hdrf.block.ReducedBlock;
import io.hdrf.jni.NativeLibrary;
import io.hdrf.read.ReducedFile;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams over reduced blocks, and their shared state. */
@Timeout(60)
class ReducedReadsTest {

  private static final int FRAMES = 30;
  private static final int LENGTH = (FRAMES - 1) * HookedScheme.FRAME_LENGTH + 1234;
  private static final String AHEAD = "hdrf-decode-ahead";

  @TempDir Path directory;

  private final byte[] data =
      TestData.TEXT.bytes(LENGTH, TestSeed.random(ReducedReadsTest.class.getName()));
  private final ReducerCounters counters = new ReducerCounters();
  private final AtomicInteger closed = new AtomicInteger();
  private final AtomicInteger decodings = new AtomicInteger();
  private final Set<Thread> decoders = ConcurrentHashMap.newKeySet();
  private ReducedFile file;
  private ReducedBlock block;
  private FileInputStream raw;

  @BeforeEach
  void open() throws IOException {
    file = new ReducedFile(directory, data);
    block = file.open();
    raw = new FileInputStream(file.path.toFile());
    file.scheme.afterDecode =
        frame -> {
          decodings.incrementAndGet();
          decoders.add(Thread.currentThread());
        };
  }

  @AfterEach
  void close() throws IOException {
    raw.close();
    block.close();
    file.close();
  }

  private FileInputStream open(ReducedReads reads, long position, boolean dropBehind)
      throws IOException {
    return reads.open(
        block,
        file.codec,
        () -> {
          closed.incrementAndGet();
          raw.close();
        },
        raw.getFD(),
        position,
        false,
        dropBehind);
  }

  private boolean decodedAhead() {
    return decoders.stream().anyMatch(thread -> thread.getName().startsWith(AHEAD));
  }

  /** On a busy machine a reader may be at the end before another thread has begun. */
  private void letThreadsBegin() {
    CountDownLatch begun = new CountDownLatch(1);
    file.scheme.afterDecode =
        frame -> {
          decoders.add(Thread.currentThread());
          if (decodedAhead()) {
            begun.countDown();
          } else if (decodings.get() > 0) {
            await(begun);
          }
          decodings.incrementAndGet();
        };
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0, true", "0, 2, false", "100000, 2, true", "100001, 0, false"})
  void aStreamGivesTheBlockFromItsPosition(int position, int threads, boolean dropBehind)
      throws IOException {
    if (threads > 0) {
      letThreadsBegin();
    }
    try (ReducedReads reads =
        new ReducedReads(1 << 20, threads, counters, MemoryBudget.unlimited())) {
      try (FileInputStream in = open(reads, position, dropBehind)) {
        assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOfRange(data, position, LENGTH));
        assertThat(closed.get()).isZero();
      }
      assertThat(closed.get()).isEqualTo(1);
      assertThat(raw.getFD().valid()).isFalse();
    }
    assertThat(counters.values()).containsEntry("reads", 1L);
    int first = position / HookedScheme.FRAME_LENGTH;
    assertThat(decodings.get()).as("each frame once").isEqualTo(FRAMES - first);
    assertThat(decodedAhead() || threads == 0).isTrue();
    assertThat(decodedAhead() && threads == 0).isFalse();
  }

  /** A reader that jumps about would discard frames decoded ahead. */
  @Test
  void positionalReadsDecodeNothingAhead() throws IOException {
    try (ReducedReads reads = new ReducedReads(1 << 20, 2, counters, MemoryBudget.unlimited());
        FileInputStream in = open(reads, 0, false)) {
      for (int frame : new int[] {5, 3, 9, 1}) {
        ByteBuffer found = ByteBuffer.allocate(100);
        in.getChannel().read(found, (long) frame * HookedScheme.FRAME_LENGTH);
        int from = frame * HookedScheme.FRAME_LENGTH;
        assertThat(found.array()).isEqualTo(Arrays.copyOfRange(data, from, from + 100));
      }
      assertThat(decodings.get()).isEqualTo(4);
      assertThat(decodedAhead()).isFalse();
    }
  }

  /** What was decoded ahead is of no use to a reader that went elsewhere; the data are right. */
  @Test
  void aReaderMayLeaveASequence() throws IOException {
    try (ReducedReads reads = new ReducedReads(1 << 20, 2, counters, MemoryBudget.unlimited());
        FileInputStream in = open(reads, 0, false)) {
      for (int begin : new int[] {0, 20, 7, 8, 0}) {
        int from = begin * HookedScheme.FRAME_LENGTH;
        in.getChannel().position(from);
        byte[] found = in.readNBytes(3 * HookedScheme.FRAME_LENGTH + 5);
        assertThat(found).isEqualTo(Arrays.copyOfRange(data, from, from + found.length));
      }
    }
  }

  /** What was decoded lately says nothing of the disk. */
  @Test
  void aScanUsesNoCachedFrame() throws IOException {
    try (ReducedReads reads = new ReducedReads(1 << 20, 0, counters, MemoryBudget.unlimited())) {
      readFrames(reads, 0);
      assertThat(hitsOfRead(reads, 0)).isEqualTo(1);
      int before = decodings.get();
      try (FileInputStream in =
          reads.open(block, file.codec, () -> {}, raw.getFD(), 0, true, true)) {
        assertThat(in.readNBytes(100)).isEqualTo(Arrays.copyOf(data, 100));
      }
      assertThat(decodings.get()).isEqualTo(before + 1);
      assertThat(hitsOfRead(reads, 0)).isEqualTo(1);
    }
  }

  private long hitsOfRead(ReducedReads reads, int frame) throws IOException {
    long before = counters.values().get("frameCacheHits");
    readFrames(reads, frame);
    return counters.values().get("frameCacheHits") - before;
  }

  private void readFrames(ReducedReads reads, int... frames) throws IOException {
    try (FileInputStream unused = new FileInputStream(file.path.toFile());
        FileInputStream in =
            reads.open(block, file.codec, () -> {}, unused.getFD(), 0, false, false)) {
      for (int frame : frames) {
        in.getChannel().read(ByteBuffer.allocate(1), (long) frame * HookedScheme.FRAME_LENGTH + 9);
      }
    }
  }

  /** The last frame is where the next reader probably goes on. */
  @Test
  void aReaderOfOneOrTwoFramesLeavesItsLastInTheCache() throws IOException {
    try (ReducedReads reads = new ReducedReads(8 << 20, 0, counters, MemoryBudget.unlimited())) {
      readFrames(reads, 4);
      assertThat(hitsOfRead(reads, 4)).isEqualTo(1);
      readFrames(reads, 10, 12);
      assertThat(hitsOfRead(reads, 12)).isEqualTo(1);
      assertThat(hitsOfRead(reads, 10)).isZero();
      readFrames(reads, 20, 22, 24);
      assertThat(hitsOfRead(reads, 24)).isZero();
    }
  }

  @Test
  void aFrameThatIsTooLongForTheCacheIsNotKept() throws IOException {
    try (ReducedReads reads =
        new ReducedReads(
            HookedScheme.FRAME_LENGTH * 2 - 1, 0, counters, MemoryBudget.unlimited())) {
      readFrames(reads, 4);
      assertThat(hitsOfRead(reads, 4)).isZero();
      readFrames(reads, FRAMES - 1);
      assertThat(hitsOfRead(reads, FRAMES - 1)).as("a shorter one is").isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void closingGivesTheBuffersBack(boolean early) throws IOException {
    try (ReducedReads reads = new ReducedReads(0, 0, counters, MemoryBudget.unlimited())) {
      open(reads, 0, false).close();
      for (int i = 0; i < 2; i++) {
        readFrames(reads, 1, 2, 3, 4);
      }
      long idle = BufferPool.shared().idleBytes();
      readFrames(reads, early ? new int[] {1, 2} : new int[] {1, 2, 3, 4});
      assertThat(BufferPool.shared().idleBytes()).isEqualTo(idle);
    }
  }

  /** Readers outlive the dataset for a moment when a DataNode stops. */
  @Test
  void afterItIsClosedReadersDecodeByThemselves() throws IOException {
    ReducedReads reads = new ReducedReads(0, 2, counters, MemoryBudget.unlimited());
    reads.close();
    try (FileInputStream in = open(reads, 0, false)) {
      assertThat(in.readAllBytes()).isEqualTo(data);
    }
    assertThat(decodedAhead()).isFalse();
  }

  /**
   * With {@code dfs.datanode.drop.cache.behind.reads}, too, what is read here and there stays in
   * the page cache for the next time, as in stock code.
   */
  @Test
  void onlyALongReadLeavesThePageCache() throws Exception {
    assumeTrue(NativeLibrary.isLoaded());
    assumeFalse(Files.getFileStore(file.path).type().equals("tmpfs"), "it is its page cache");
    try (FileChannel written = FileChannel.open(file.path, StandardOpenOption.WRITE)) {
      written.force(true);
    }
    long all = cachedBytes();
    assumeTrue(all > 100_000);
    try (ReducedReads reads = new ReducedReads(0, 0, counters, MemoryBudget.unlimited())) {
      try (FileInputStream in = open(reads, 100_000, true)) {
        assertThat(in.read(new byte[1000])).isEqualTo(1000);
      }
      assertThat(cachedBytes()).isEqualTo(all);
      raw = new FileInputStream(file.path.toFile());
      try (FileInputStream in = open(reads, 0, true)) {
        assertThat(in.readAllBytes()).isEqualTo(data);
      }
      // But for a page that the file shares with its hole.
      assertThat(cachedBytes()).isLessThan(10_000);
    }
  }

  /** Returns how much of the file is in the page cache; -1 where that can't be told. */
  private long cachedBytes() throws Exception {
    Process process;
    try {
      process = new ProcessBuilder("fincore", "-bno", "RES", file.path.toString()).start();
    } catch (IOException e) {
      return -1;
    }
    String found = new String(process.getInputStream().readAllBytes(), UTF_8).trim();
    return process.waitFor() == 0 ? Long.parseLong(found) : -1;
  }

  @Test
  void nothingIsReadAfterTheEnd() throws IOException {
    try (ReducedReads reads = new ReducedReads(0, 0, counters, MemoryBudget.unlimited())) {
      FileInputStream in = open(reads, 0, false);
      assertThat(in.read()).isEqualTo(data[0]);
      in.close();
      assertThatThrownBy(in::read).isInstanceOf(ClosedChannelException.class);
      assertThat(in.getFD().valid()).isFalse();
    }
  }
}
