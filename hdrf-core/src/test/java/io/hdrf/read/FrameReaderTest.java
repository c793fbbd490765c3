/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.ReducedBlock;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

  @TempDir Path directory;

  private final byte[] data =
      TestData.TEXT.bytes(LENGTH, TestSeed.random(FrameReaderTest.class.getName()));
  private final BufferPool buffers = new BufferPool(1L << 30);
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
            8 << 20,
            2,
            buffers,
            (of, failure) -> new IOException(of.name() + " can't be read", failure));
    fillPool();
  }

  /** More of each length than a reader takes: what it does not give back is missing then. */
  private void fillPool() {
    List<ByteBuffer> taken = new ArrayList<>();
    for (int length = 1; length <= LONG; ) {
      int capacity = BufferPool.capacityFor(length);
      for (int i = 0; i < 5; i++) {
        taken.add(buffers.take(length));
      }
      length = capacity + 1;
    }
    taken.forEach(buffers::give);
    idle = buffers.idleBytes();
  }

  @AfterEach
  void close() throws IOException {
    assertThat(buffers.idleBytes()).as("all buffers were given back").isEqualTo(idle);
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
        assertThat(idle - buffers.idleBytes()).as("at %d", position).isLessThan(2 * LONG);
        byte[] found = new byte[run.remaining()];
        run.get(found);
        assertThat(found).isEqualTo(Arrays.copyOfRange(content, position, position + found.length));
        position += found.length;
      }
    }
  }
}
