/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.ReducedBlock;
import io.hdrf.read.FrameReader;
import io.hdrf.read.ReducedFile;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class DecodedBlockChannelTest {

  private static final int LENGTH = 11 * HookedScheme.FRAME_LENGTH + 4321;

  @TempDir Path directory;

  private final Random random = TestSeed.random(DecodedBlockChannelTest.class.getName());
  private final byte[] data = TestData.TEXT.bytes(LENGTH, random);
  private final ReducerCounters counters = new ReducerCounters();
  private final BufferPool buffers = new BufferPool(64 << 20);
  private final AtomicInteger closed = new AtomicInteger();
  private ReducedFile file;
  private ReducedBlock block;
  private ReducedReads reads;

  @BeforeEach
  void open() throws IOException {
    file = new ReducedFile(directory, data);
    block = file.open();
    reads = new ReducedReads(4 << 20, 2, counters, buffers, MemoryBudget.unlimited());
  }

  @AfterEach
  void close() throws IOException {
    reads.close();
    block.close();
    file.close();
  }

  private DecodedBlockChannel channel(long position) {
    return channel(position, reads);
  }

  private DecodedBlockChannel channel(long position, ReducedReads by) {
    return channel(block, file.codec, position, by);
  }

  private DecodedBlockChannel channel(
      ReducedBlock of, ChainCodec codec, long position, ReducedReads by) {
    FrameReader reader = by.reader(of, codec, null);
    return new DecodedBlockChannel(reader, closed::incrementAndGet, position, handedOut -> {});
  }

  private byte[] range(long from, long count) {
    return Arrays.copyOfRange(data, (int) from, (int) Math.min(from + count, LENGTH));
  }

  /** Takes at most so many bytes at a time, like a socket whose buffer fills up. */
  private static final class Narrow implements WritableByteChannel {
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private final Random random;
    private final int most;

    Narrow(Random random, int most) {
      this.random = random;
      this.most = most;
    }

    @Override
    public int write(ByteBuffer src) {
      int count = Math.min(src.remaining(), random.nextInt(most + 1));
      byte[] bytes = new byte[count];
      src.get(bytes);
      taken.write(bytes, 0, count);
      return count;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 5_000, 64 << 10, 200_000})
  void transfersGoOnWhereTheTargetStopped(int most) throws IOException {
    Narrow target = new Narrow(random, most);
    long position = random.nextInt(LENGTH / 2);
    long begin = position;
    try (DecodedBlockChannel channel = channel(position)) {
      while (position < LENGTH) {
        long wanted = 1L + random.nextInt(150_000);
        long sent = channel.transferTo(position, wanted, target);
        assertThat(sent).isBetween(0L, wanted);
        position += sent;
        assertThat(target.taken.size()).isEqualTo((int) (position - begin));
      }
      assertThat(channel.transferTo(LENGTH, 10, target)).isZero();
      assertThat(channel.transferTo(LENGTH + 10L, 10, target)).isZero();
      assertThat(channel.transferTo(0, 0, target)).isZero();
    }
    assertThat(target.taken.toByteArray()).isEqualTo(range(begin, LENGTH));
  }

  @Test
  void aTargetThatTakesEverythingGetsAllAtOnce() throws IOException {
    ByteArrayOutputStream taken = new ByteArrayOutputStream();
    try (DecodedBlockChannel channel = channel(0)) {
      assertThat(channel.transferTo(5, LENGTH, Channels.newChannel(taken))).isEqualTo(LENGTH - 5);
    }
    assertThat(taken.toByteArray()).isEqualTo(range(5, LENGTH));
  }

  @Test
  void transfersLeaveThePositionAlone() throws IOException {
    try (DecodedBlockChannel channel = channel(77)) {
      channel.transferTo(1000, 200_000, new Narrow(random, 1 << 20));
      assertThat(channel.position()).isEqualTo(77);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void randomReadsOfEveryKind(int threads) throws IOException {
    try (ReducedReads own =
        new ReducedReads(4 << 20, threads, counters, buffers, MemoryBudget.unlimited())) {
      for (int round = 0; round < 300; round++) {
        int position = random.nextInt(LENGTH);
        int steps = 1 + random.nextInt(round % 2 == 0 ? 1 : 12);
        try (DecodedBlockChannel channel = channel(position, own)) {
          for (int step = 0; step < steps; step++) {
            position = randomStep(channel, position);
            assertThat(channel.position()).isEqualTo(position);
          }
        }
      }
    }
    assertThat(counters.values().get("frameCacheHits")).isPositive();
  }

  private int randomStep(DecodedBlockChannel channel, int position) throws IOException {
    int length = 1 + random.nextInt(random.nextInt(4) == 0 ? 200_000 : 700);
    int elsewhere = random.nextInt(LENGTH);
    ByteBuffer buffer =
        random.nextBoolean() ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
    switch (random.nextInt(4)) {
      case 0:
        channel.position(elsewhere);
        return elsewhere;
      case 1:
        assertRead(channel.read(buffer, elsewhere), buffer, elsewhere);
        return position;
      case 2:
        ByteBuffer[] parts = {ByteBuffer.allocate(3), ByteBuffer.allocate(0), buffer};
        long total = channel.read(parts);
        assertThat(total)
            .isEqualTo(position == LENGTH ? -1 : Math.min(3 + length, LENGTH - position));
        if (total > 0) {
          byte[] found = new byte[(int) total];
          int first = Math.min(3, found.length);
          parts[0].flip().get(found, 0, first);
          parts[2].flip().get(found, first, found.length - first);
          assertThat(found).isEqualTo(range(position, total));
        }
        return position + (int) Math.max(0, total);
      default:
        int count = channel.read(buffer);
        assertRead(count, buffer, position);
        return position + Math.max(0, count);
    }
  }

  private void assertRead(int count, ByteBuffer buffer, int position) {
    int expected = Math.min(buffer.capacity(), LENGTH - position);
    assertThat(count).isEqualTo(expected == 0 ? -1 : expected);
    byte[] found = new byte[buffer.flip().remaining()];
    buffer.get(found);
    assertThat(found).isEqualTo(range(position, found.length));
  }

  @Test
  void theEndAndWhatLiesBehindIt() throws IOException {
    try (DecodedBlockChannel channel = channel(0)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      assertThat(channel.size()).isEqualTo(LENGTH);
      assertThat(channel.read(one, LENGTH)).isEqualTo(-1);
      assertThat(channel.read(one, Long.MAX_VALUE)).isEqualTo(-1);
      assertThat(channel.read(one, LENGTH - 1)).isEqualTo(1);
      assertThat(channel.position(LENGTH + 5L).read(ByteBuffer.allocate(4))).isEqualTo(-1);
      assertThatThrownBy(() -> channel.read(one, -1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> channel.position(-1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> channel.transferTo(-1, 1, new Narrow(random, 1)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> channel.transferTo(0, -1, new Narrow(random, 1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** What is sent to a DataNode that stores blocks the same way. */
  @Test
  void framesAreReadAsTheyAreStored() throws IOException {
    byte[] raw = Files.readAllBytes(file.path);
    try (DecodedBlockChannel channel = channel(0)) {
      assertThat(channel.storedBlock()).isSameAs(block);
      for (int frame = 0; frame < block.frames().frameCount(); frame++) {
        ByteBuffer stored = ByteBuffer.allocateDirect(block.frames().storedLength(frame));
        channel.readStored(frame, stored);
        int from = (int) block.frames().storedPosition(frame);
        assertThat(stored.flip())
            .isEqualTo(ByteBuffer.wrap(raw, from, block.frames().storedLength(frame)));
      }
      raw[(int) block.frames().storedPosition(3)] ^= 1;
      Files.write(file.path, raw);
      assertThatThrownBy(
              () ->
                  channel.readStored(3, ByteBuffer.allocateDirect(block.frames().storedLength(3))))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("blk_1");
    }
  }

  @Test
  void nothingChangesABlockAndNothingMapsIt() throws IOException {
    try (DecodedBlockChannel channel = channel(0)) {
      ByteBuffer bytes = ByteBuffer.allocate(4);
      assertThatThrownBy(() -> channel.write(bytes))
          .isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> channel.write(bytes, 0))
          .isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> channel.write(new ByteBuffer[] {bytes}))
          .isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> channel.truncate(0)).isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> channel.map(FileChannel.MapMode.READ_ONLY, 0, 10))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(channel::tryLock).isInstanceOf(IOException.class);
      assertThatThrownBy(channel::lock).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> channel.transferFrom(channel, 0, 1))
          .isInstanceOf(NonWritableChannelException.class);
    }
  }

  @Test
  void closingGivesEverythingBackOnce() throws IOException {
    DecodedBlockChannel channel = channel(0);
    channel.read(ByteBuffer.allocate(3 * HookedScheme.FRAME_LENGTH));
    long inUse = buffers.idleBytes();
    channel.close();
    channel.close();
    assertThat(closed.get()).isEqualTo(1);
    long idle = buffers.idleBytes();
    assertThat(idle).isGreaterThan(inUse);
    assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1), 0))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.transferTo(0, 1, new Narrow(random, 1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1), LENGTH))
        .as("not even its end is told")
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.transferTo(LENGTH, 1, new Narrow(random, 1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(channel::size).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(channel::position).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.position(0)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.readStored(0, ByteBuffer.allocate(HookedScheme.FRAME_LENGTH)))
        .isInstanceOf(ClosedChannelException.class);
    assertThat(buffers.idleBytes()).isEqualTo(idle);
  }

  /** A scheme may store up to 64 KiB more than a frame stands for. */
  @Test
  void framesThatTakeMoreThanTheyStandForAreReadInShortRuns() throws IOException {
    int bloated = 250;
    byte[] content = Arrays.copyOf(data, 20 << 20);
    try (ReducedFile large =
            new ReducedFile(
                Files.createDirectory(directory.resolve("large")), content, bloated, 60 << 10);
        ReducedBlock opened = large.open()) {
      assertThat(opened.frames().storedPosition(bloated)).isGreaterThan(14 << 20);
      try (DecodedBlockChannel channel = channel(opened, large.codec, 0, reads)) {
        ByteBuffer found = ByteBuffer.allocate(content.length);
        channel.read(found);
        assertThat(Arrays.mismatch(found.array(), content)).isEqualTo(-1);
      }
    }
    assertThat(buffers.idleBytes()).isLessThan(4 << 20);
  }

  @Test
  void aChannelClosedWhileItDecodesAheadIsSafe() throws IOException {
    for (int round = 0; round < 300; round++) {
      try (DecodedBlockChannel channel = channel(0)) {
        ByteBuffer buffer = ByteBuffer.allocate(HookedScheme.FRAME_LENGTH + 10 + round * 500);
        channel.read(buffer);
        assertThat(buffer.array()).isEqualTo(range(0, buffer.capacity()));
      }
    }
  }

  /** Also where it lies in the middle of frames that are decoded at once. */
  @Test
  void everythingBeforeAndBehindADamagedFrameCanBeRead() throws IOException {
    for (int damaged = 0; damaged < block.frames().frameCount(); damaged++) {
      byte[] sound = Files.readAllBytes(file.path);
      byte[] raw = sound.clone();
      raw[(int) block.frames().storedPosition(damaged)] ^= 1;
      Files.write(file.path, raw);
      int begin = (int) block.frames().originalPosition(damaged);
      int end = (int) block.frames().originalEnd(damaged);
      try (DecodedBlockChannel channel = channel(0)) {
        byte[] before = new byte[begin];
        for (int at = 0; at < begin; ) {
          ByteBuffer piece = ByteBuffer.wrap(before, at, Math.min(10_000, begin - at));
          at += channel.read(piece);
        }
        assertThat(before).isEqualTo(range(0, begin));
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("blk_1");
        channel.position(end);
        ByteBuffer behind = ByteBuffer.allocate(LENGTH - end);
        channel.read(behind);
        assertThat(behind.array()).isEqualTo(range(end, LENGTH));
      }
      Files.write(file.path, sound);
    }
  }

  @Test
  void repeatedPositionalReadsDecodeOnce() throws IOException {
    AtomicInteger decodings = new AtomicInteger();
    file.scheme.afterDecode = frame -> decodings.incrementAndGet();
    for (int i = 0; i < 10; i++) {
      try (DecodedBlockChannel channel = channel(0)) {
        ByteBuffer buffer = ByteBuffer.allocate(100);
        channel.read(buffer, 5 * HookedScheme.FRAME_LENGTH + 70L * i);
        assertThat(buffer.array()).isEqualTo(range(5 * HookedScheme.FRAME_LENGTH + 70L * i, 100));
      }
    }
    assertThat(decodings.get()).isEqualTo(1);
  }

  @Test
  void theStreamReadsSkipsAndEnds() throws IOException {
    try (DecodedBlockInputStream in = new DecodedBlockInputStream(channel(10))) {
      assertThat(in.read()).isEqualTo(data[10] & 0xFF);
      assertThat(in.available()).isEqualTo(LENGTH - 11);
      assertThat(in.skip(100_000)).isEqualTo(100_000);
      assertThat(in.skip(-5)).isZero();
      assertThat(in.read(new byte[0])).isZero();
      byte[] few = new byte[10];
      assertThat(in.read(few)).isEqualTo(10);
      assertThat(few).isEqualTo(range(100_011, 10));
      byte[] rest = in.readAllBytes();
      assertThat(rest).isEqualTo(range(100_021, LENGTH));
      assertThat(in.read()).isEqualTo(-1);
      assertThat(in.skip(1)).isZero();
      assertThat(in.available()).isZero();
    }
    assertThat(closed.get()).isEqualTo(1);
  }

  /** If its descriptor ever reached a client, that would find nothing rather than reduced bytes. */
  @Test
  void theStreamsDescriptorShowsNothing() throws IOException {
    try (DecodedBlockInputStream in = new DecodedBlockInputStream(channel(0));
        FileInputStream raw = new FileInputStream(in.getFD())) {
      assertThat(raw.read()).isEqualTo(-1);
    }
  }
}
