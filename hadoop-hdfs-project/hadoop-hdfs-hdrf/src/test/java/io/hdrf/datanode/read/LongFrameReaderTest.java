/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.ReducedBlock;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.io.TestBytes;
import io.hdrf.reduce.DecodingTurns;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.TestSeed;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Frames that are decoded once for many reads, and what that takes. */
@Timeout(120)
class LongFrameReaderTest {

  private static final int LONG = DecodingTurns.MAX_SHORT_FRAME + 100_001;
  private static final int SHORT = 50_000;
  private static final int LENGTH = LONG + SHORT;

  @TempDir Path directory;

  private final byte[] data = TestBytes.text(LENGTH, 1);
  private final ReducerCounters counters = new ReducerCounters();
  private final BufferPool buffers = new BufferPool(1L << 30);
  private final AtomicInteger names = new AtomicInteger();
  private final List<Closeable> opened = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (Closeable each : opened) {
      each.close();
    }
    assertThat(written()).isEmpty();
  }

  private DecodedFiles files(long capacity, int turns) {
    DecodedFiles files =
        new DecodedFiles(
            capacity,
            LocalDurableFiles.INSTANCE,
            new DecodingTurns(any -> turns),
            buffers,
            counters);
    opened.add(files);
    return files;
  }

  private ReducedReads reads(DecodedFiles files) {
    return new ReducedReads(0, 0, counters, buffers, files);
  }

  /** A block of a long frame and a short one; each has another content. */
  private ReducedFile block(int number) throws IOException {
    Path own = Files.createDirectories(directory.resolve("block" + number));
    byte[] content = data.clone();
    content[0] = (byte) number;
    ReducedFile block = new ReducedFile(own, content, new int[] {LONG, SHORT});
    opened.add(block);
    return block;
  }

  private Path newFile(long length) {
    return directory.resolve("tmp" + names.incrementAndGet());
  }

  private List<Path> written() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.getFileName().toString().startsWith("tmp")).toList();
    }
  }

  private void read(
      ReducedReads reads, ReducedFile of, DecodedFiles.Place place, int from, int length)
      throws IOException {
    try (ReducedBlock block = of.open();
        FrameReader reader = new FrameReader(reads, block, of.codec, null, place)) {
      assertRange(reader, from, length);
    }
  }

  private void assertRange(FrameReader reader, int from, int length) throws IOException {
    byte[] found = new byte[length];
    for (int done = 0; done < length; ) {
      ByteBuffer bytes = reader.at(from + done);
      int count = Math.min(bytes.remaining(), length - done);
      bytes.get(found, done, count);
      done += count;
    }
    byte[] expected = Arrays.copyOfRange(data, from, from + length);
    if (from == 0) {
      expected[0] = found[0];
    }
    TestBytes.assertSame("from " + from, found, expected);
  }

  private long decoded() {
    return counters.values().get("bytesDecoded");
  }

  @Test
  void manyReadersDecodeOnce() throws IOException {
    ReducedReads reads = reads(files(1L << 30, 1));
    ReducedFile block = block(1);
    Random random = TestSeed.random(LongFrameReaderTest.class.getName());
    for (int i = 0; i < 50; i++) {
      int from = random.nextInt(LONG - 70_000);
      read(reads, block, this::newFile, from, 1 + random.nextInt(70_000));
    }
    read(reads, block, this::newFile, LONG - 5, 5);
    assertThat(decoded()).isEqualTo(LONG);
    assertThat(counters.values().get("decodedFileHits")).isEqualTo(50);
    assertThat(written()).hasSize(1);
    assertThat(reads.decodedFiles().size()).isEqualTo(LONG);
  }

  /** It would only push out what positional readers come back for. */
  @Test
  void whatWasReadToItsEndIsNotKept() throws IOException {
    ReducedReads reads = reads(files(1L << 30, 1));
    read(reads, block(1), this::newFile, 0, LENGTH);
    assertThat(decoded()).isEqualTo(LENGTH);
    assertThat(written()).isEmpty();
    assertThat(reads.decodedFiles().size()).isZero();
  }

  @Test
  void theLeastRecentlyUsedLeavesAndItsReaderGoesOn() throws IOException {
    ReducedReads reads = reads(files(2L * LONG, 1));
    ReducedFile first = block(1);
    try (ReducedBlock block = first.open();
        FrameReader reader = new FrameReader(reads, block, first.codec, null, this::newFile)) {
      assertRange(reader, 10, 10);
      read(reads, block(2), this::newFile, 10, 10);
      read(reads, block(3), this::newFile, 10, 10);
      assertThat(written()).hasSize(2);
      assertRange(reader, LONG / 2, LONG / 2);
      assertThat(decoded()).isEqualTo(3L * LONG);
      read(reads, first, this::newFile, 10, 10);
      assertThat(decoded()).isEqualTo(4L * LONG);
    }
  }

  @Test
  void withoutCapacityAReaderStillDecodesOnce() throws IOException {
    ReducedReads reads = reads(files(0, 1));
    ReducedFile file = block(1);
    try (ReducedBlock block = file.open();
        FrameReader reader = new FrameReader(reads, block, file.codec, null, this::newFile)) {
      for (int from = 10; from < LONG; from += 1_000_000) {
        assertRange(reader, from, 100);
      }
      assertThat(written()).isEmpty();
    }
    assertThat(decoded()).isEqualTo(LONG);
  }

  @Test
  void aBlockThatIsGoneTakesNoRoom() throws IOException {
    DecodedFiles files = files(1L << 30, 1);
    ReducedReads reads = reads(files);
    ReducedFile file = block(1);
    read(reads, file, this::newFile, 10, 10);
    files.dropBlock(2);
    assertThat(written()).hasSize(1);
    files.dropBlock(1);
    assertThat(written()).isEmpty();
    assertThat(files.size()).isZero();
    read(reads, file, this::newFile, 10, 10);
    assertThat(decoded()).isEqualTo(2L * LONG);
  }

  /** On a full disk, say. Each piece is as long as what other readers hold. */
  @Test
  void withoutRoomForAFileItIsDecodedAnewForEachPiece() throws IOException {
    ReducedReads reads = reads(files(1L << 30, 1));
    read(reads, block(1), DecodedFiles.Place.NONE, 0, LENGTH);
    assertThat(decoded()).isEqualTo(2L * LONG + SHORT);
    Path nowhere = directory.resolve("missing").resolve("file");
    read(reads, block(2), length -> nowhere, 0, LENGTH);
    assertThat(decoded()).isEqualTo(5L * LONG + 2 * SHORT);
  }

  /** It must not be taken for damage of the block, nor be passed on. */
  @Test
  void aFileThatLostItsContentIsMadeAgain() throws IOException {
    ReducedReads reads = reads(files(1L << 30, 1));
    ReducedFile file = block(1);
    read(reads, file, this::newFile, 10, 10);
    byte[] raw = Files.readAllBytes(written().get(0));
    raw[1_000_000] ^= 1;
    Files.write(written().get(0), raw);
    read(reads, file, this::newFile, 999_999, 10);
    assertThat(decoded()).isEqualTo(2L * LONG);
    Files.write(written().get(0), new byte[1000]);
    read(reads, file, this::newFile, 999_999, 10);
    Files.delete(written().get(0));
    read(reads, file, this::newFile, 999_999, 10);
    assertThat(decoded()).isEqualTo(4L * LONG);
    assertThat(counters.values().get("corruptBlocks")).isZero();
  }

  @Test
  void damageOfTheBlockIsToldFromOtherFailures() throws IOException {
    ReducedReads reads = reads(files(1L << 30, 1));
    ReducedFile file = block(1);
    file.scheme.afterDecode =
        frame -> {
          throw new OutOfMemoryError("Direct buffer memory");
        };
    assertThatThrownBy(() -> read(reads, file, this::newFile, 10, 10))
        .isInstanceOf(UnavailableException.class);
    file.scheme.afterDecode = frame -> {};
    read(reads, file, this::newFile, 10, 10);
    reads.decodedFiles().dropBlock(1);
    byte[] raw = Files.readAllBytes(file.path);
    try (ReducedBlock block = file.open()) {
      raw[(int) block.frames().storedPosition(0) + 99] ^= 1;
    }
    Files.write(file.path, raw);
    assertThatThrownBy(() -> read(reads, file, this::newFile, 10, 10))
        .isInstanceOf(DiskFileCorruptException.class);
    assertThat(written()).isEmpty();
  }

  private void inParallel(List<Callable<Void>> tasks) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      for (Future<Void> task : threads.invokeAll(tasks)) {
        task.get();
      }
    } finally {
      threads.shutdown();
      assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  /** However many readers there are, and wherever they read. */
  @Test
  void noMoreAreDecodedAtOnceThanTheSchemeAllows() throws Exception {
    ReducedReads reads = reads(files(1L << 30, 1));
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      ReducedFile block = block(i);
      block.scheme.beforeDecode =
          () -> {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            Thread.sleep(20);
          };
      block.scheme.afterDecode = frame -> inside.decrementAndGet();
      int from = 1000 * i;
      tasks.add(
          () -> {
            read(reads, block, this::newFile, from, 100);
            return null;
          });
    }
    inParallel(tasks);
    assertThat(most).hasValue(1);
    assertThat(decoded()).isEqualTo(6L * LONG);
  }

  @Test
  void readersOfOneFrameWaitForTheFirst() throws Exception {
    ReducedReads reads = reads(files(1L << 30, Integer.MAX_VALUE));
    ReducedFile block = block(1);
    block.scheme.beforeDecode = () -> Thread.sleep(100);
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int from = 1_000_000 * i;
      tasks.add(
          () -> {
            read(reads, block, this::newFile, from, 100);
            return null;
          });
    }
    inParallel(tasks);
    assertThat(decoded()).isEqualTo(LONG);
  }
}
