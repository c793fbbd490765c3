/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.InMemory;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameSpoolTest {

  private static final long GENERATION = 1007;
  private static final int[] CHAIN = {1, 2};
  private static final int FRAME = 64 << 10;

  @TempDir(factory = InMemory.class)
  Path directory;

  private final Random random = TestSeed.random(FrameSpoolTest.class.getName());
  private final List<String> frames = new ArrayList<>();
  private int places;

  private FrameSpool open() {
    return new FrameSpool(
        GENERATION,
        () -> {
          places++;
          return SpoolFile.create(LocalDurableFiles.INSTANCE, directory.resolve("spool"));
        });
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }

  private static String describe(int originalLength, int stages, ByteBuffer stored) {
    return originalLength + " " + stages + " " + Tape.crc(stored);
  }

  private boolean frame(FrameSpool spool, int originalLength, int storedLength) throws IOException {
    byte[] bytes = new byte[storedLength];
    random.nextBytes(bytes);
    ByteBuffer stored = ByteBuffer.allocateDirect(storedLength).put(bytes).flip();
    int stages = random.nextInt(4);
    frames.add(describe(originalLength, stages, stored));
    boolean wanted = spool.frame(CHAIN, originalLength, stages, stored);
    assertThat(stored.remaining()).as("left in the buffer").isEqualTo(storedLength);
    return wanted;
  }

  private static List<String> replayed(SpooledFrames spooled) throws IOException {
    List<String> replayed = new ArrayList<>();
    spooled.replay(
        (originalLength, stages, stored) -> {
          assertThat(stored.isDirect()).isTrue();
          replayed.add(describe(originalLength, stages, stored));
          stored.position(stored.limit());
        });
    return replayed;
  }

  private void fill(FrameSpool spool, int count, int storedLength) throws IOException {
    for (int i = 0; i < count; i++) {
      assertThat(spool.packet((long) i * FRAME, FRAME)).isTrue();
      assertThat(frame(spool, FRAME, storedLength)).isTrue();
    }
  }

  @Test
  void tooManyShortFramesAreGivenUpBeforeTheyTakeMuchMemory() throws IOException {
    try (FrameSpool spool = open()) {
      int taken = 0;
      boolean wanted = true;
      while (wanted) {
        assertThat(spool.packet(20L * taken, 20)).isTrue();
        wanted = frame(spool, 20, 10);
        taken++;
        assertThat(taken).isLessThan(2 * FrameSpool.MAX_SHORT_FRAMES);
      }
      assertThat(taken).isGreaterThan(FrameSpool.MAX_SHORT_FRAMES);
    }
  }

  @Test
  void someShortFramesAreNotTooMany() throws IOException {
    try (FrameSpool spool = open()) {
      for (int i = 0; i < FrameSpool.MAX_SHORT_FRAMES; i++) {
        spool.packet(20L * i, 20);
        assertThat(frame(spool, 20, 10)).isTrue();
      }
      long end = 20L * FrameSpool.MAX_SHORT_FRAMES;
      for (int i = 0; i < 400; i++) {
        spool.packet(end + (long) i * FRAME, FRAME);
        assertThat(frame(spool, FRAME, 100)).isTrue();
      }
      try (SpooledFrames spooled = spool.finish()) {
        assertThat(spooled).isNotNull();
        assertThat(replayed(spooled)).isEqualTo(frames);
      }
    }
  }

  @Test
  void aShortBlockStaysInMemory() throws IOException {
    try (FrameSpool spool = open()) {
      fill(spool, 8, FrameSpool.BUFFER_SIZE / 8);
      assertThat(spool.packet(8 * FRAME, 0)).isTrue();
      try (SpooledFrames spooled = spool.finish()) {
        spool.close();
        assertThat(spooled.chainIds()).isEqualTo(CHAIN);
        assertThat(spooled.length()).isEqualTo(8 * FRAME);
        assertThat(spooled.generationStamp()).isEqualTo(GENERATION);
        assertThat(spooled.frameCount()).isEqualTo(8);
        assertThat(spooled.memoryBytes()).isEqualTo(FrameSpool.BUFFER_SIZE + 8 * 13);
        assertThat(replayed(spooled)).isEqualTo(frames);
        assertThat(replayed(spooled)).isEqualTo(frames);
      }
    }
    assertThat(places).isZero();
  }

  @Test
  void aLongerBlockGoesToAFileThatIsDeleted() throws IOException {
    try (FrameSpool spool = open()) {
      fill(spool, 8, FrameSpool.BUFFER_SIZE / 8);
      nothingIsLeft();
      assertThat(places).isZero();
      assertThat(spool.packet(8 * FRAME, 1)).isTrue();
      assertThat(frame(spool, 1, 1)).isTrue();
      assertThat(directory.resolve("spool")).exists();
      assertThat(places).isEqualTo(1);
      SpooledFrames spooled = spool.finish();
      spool.close();
      assertThat(spooled.length()).isEqualTo(8 * FRAME + 1);
      assertThat(spooled.memoryBytes()).isEqualTo(9 * 13);
      assertThat(replayed(spooled)).isEqualTo(frames);
      assertThat(replayed(spooled)).isEqualTo(frames);
      spooled.close();
      assertThatThrownBy(() -> replayed(spooled)).hasMessageContaining("was closed");
    }
    assertThat(places).isEqualTo(1);
  }

  @Test
  void framesOfAnyLengthComeBackInOrder() throws IOException {
    try (FrameSpool spool = open()) {
      long end = 0;
      for (int i = 0; i < 600; i++) {
        int length = FRAME + random.nextInt(FRAME);
        assertThat(spool.packet(end, length)).isTrue();
        end += length;
        int stored = random.nextInt(100) == 0 ? random.nextInt(FRAME) : random.nextInt(5000);
        assertThat(frame(spool, length, stored)).isTrue();
      }
      assertThat(spool.packet(end, 0)).isTrue();
      try (SpooledFrames spooled = spool.finish()) {
        assertThat(spooled.length()).isEqualTo(end);
        assertThat(replayed(spooled)).isEqualTo(frames);
      }
    }
  }

  @Test
  void aFrameLongerThanTheBufferComesBack() throws IOException {
    try (FrameSpool spool = open()) {
      spool.packet(0, 3_000_000);
      frame(spool, 3_000_000, 2_000_000);
      try (SpooledFrames spooled = spool.finish()) {
        assertThat(replayed(spooled)).isEqualTo(frames);
      }
    }
  }

  @Test
  void framesAndPacketsNeedNotEndTogether() throws IOException {
    try (FrameSpool spool = open()) {
      spool.packet(0, 10_000);
      frame(spool, 100_000, 10);
      spool.packet(10_000, 90_000);
      spool.packet(100_000, 60_000);
      frame(spool, 40_000, 10);
      frame(spool, 20_000, 10);
      try (SpooledFrames spooled = spool.finish()) {
        assertThat(spooled.length()).isEqualTo(160_000);
        assertThat(replayed(spooled)).isEqualTo(frames);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, FRAME - 1, FRAME + 1, 2 * FRAME, Long.MAX_VALUE, -1})
  void gapsOverlapsAndPacketsSentAgainBreakTheSequence(long offset) throws IOException {
    try (FrameSpool spool = open()) {
      fill(spool, 1, 100);
      assertThat(spool.packet(offset, FRAME)).isFalse();
    }
  }

  @Test
  void aBlockThatDoesNotBeginAtItsBeginningIsNoUse() throws IOException {
    try (FrameSpool spool = open()) {
      assertThat(spool.packet(512, FRAME)).isFalse();
    }
  }

  /** As hflush sends them, wherever the block is. */
  @Test
  void packetsWithoutDataDoNotMatter() throws IOException {
    try (FrameSpool spool = open()) {
      assertThat(spool.packet(0, 0)).isTrue();
      fill(spool, 1, 100);
      assertThat(spool.packet(0, 0)).isTrue();
      assertThat(spool.packet(FRAME, 0)).isTrue();
      try (SpooledFrames spooled = spool.finish()) {
        assertThat(spooled.length()).isEqualTo(FRAME);
      }
    }
  }

  @Test
  void framesOfAnotherChainAreRefused() throws IOException {
    try (FrameSpool spool = open()) {
      fill(spool, 1, 100);
      ByteBuffer stored = ByteBuffer.allocateDirect(1);
      assertThat(spool.frame(new int[] {1}, FRAME, 1, stored)).isFalse();
      assertThat(spool.frame(new int[] {2, 1}, FRAME, 1, stored)).isFalse();
    }
  }

  @Test
  void aPacketBehindTheLastIsRefused() throws IOException {
    try (FrameSpool spool = open()) {
      fill(spool, 1, 100);
      spool.finish().close();
      assertThat(spool.packet(FRAME, 1)).isFalse();
    }
  }

  @Test
  void framesThatAreNotTheBlockAreNoUse() throws IOException {
    try (FrameSpool spool = open()) {
      spool.packet(0, FRAME);
      assertThat(spool.finish()).as("no frames").isNull();
    }
    for (int length : new int[] {FRAME - 1, FRAME + 1}) {
      try (FrameSpool spool = open()) {
        spool.packet(0, FRAME);
        frame(spool, length, 10);
        assertThat(spool.finish()).as("frames of %d bytes", length).isNull();
      }
    }
    try (FrameSpool spool = open()) {
      assertThat(spool.finish()).as("an empty block").isNull();
    }
  }

  @Test
  void framesThatAreTooShortAreNoUse() throws IOException {
    for (int more : new int[] {0, 1}) {
      try (FrameSpool spool = open()) {
        int length = 2 * FrameSpool.MIN_MEAN_FRAME - 1 + more;
        spool.packet(0, length);
        frame(spool, 1, 1);
        frame(spool, length - 1, 1);
        SpooledFrames spooled = spool.finish();
        assertThat(spooled == null).isEqualTo(more == 0);
      }
    }
    try (FrameSpool spool = open()) {
      spool.packet(0, 100);
      frame(spool, 100, 10);
      assertThat(spool.finish()).as("the only one may be short").isNotNull();
    }
  }

  /** Each reader of the block would hold as much as its writer has chosen. */
  @Test
  void aFrameThatIsTooLongIsNoUse() throws IOException {
    try (FrameSpool spool =
        new FrameSpool(
            GENERATION,
            () -> SpoolFile.create(LocalDurableFiles.INSTANCE, directory.resolve("spool")),
            FRAME,
            ReceiveMemory.unlimited())) {
      fill(spool, 2, 100);
      assertThat(spool.packet(2 * FRAME, FRAME + 1)).isTrue();
      assertThat(frame(spool, FRAME + 1, 100)).isFalse();
    }
  }

  @Test
  void framesThatSaveNothingAreGivenUpAfterAWhile() throws IOException {
    try (FrameSpool spool = open()) {
      boolean wanted = true;
      int count = 0;
      while (wanted) {
        spool.packet((long) count * FRAME, FRAME);
        wanted = frame(spool, FRAME, FRAME / 100 * 97);
        count++;
      }
      assertThat(count).isEqualTo((4 << 20) / FRAME);
    }
    try (FrameSpool spool = open()) {
      fill(spool, 200, FRAME / 100 * 94);
    }
  }

  @Test
  void aFullDiskIsAnErrorAndTheBufferComesBack() throws IOException {
    FrameSpool spool =
        new FrameSpool(
            GENERATION,
            () -> {
              throw new IOException("No space left on device");
            });
    fill(spool, 8, FrameSpool.BUFFER_SIZE / 8);
    assertThatThrownBy(() -> frame(spool, FRAME, 1)).hasMessage("No space left on device");
    long idle = BufferPool.shared().idleBytes();
    spool.close();
    assertThat(BufferPool.shared().idleBytes()).isEqualTo(idle + FrameSpool.BUFFER_SIZE);
  }

  @Test
  void aFileOfThatNameIsNeverTouched() throws IOException {
    Path file = directory.resolve("spool");
    Files.write(file, new byte[] {1, 2, 3});
    try (FrameSpool spool = open()) {
      fill(spool, 8, FrameSpool.BUFFER_SIZE / 8);
      assertThatThrownBy(() -> frame(spool, FRAME, 1))
          .isInstanceOf(FileAlreadyExistsException.class);
    }
    assertThat(file).hasBinaryContent(new byte[] {1, 2, 3});
    Files.delete(file);
  }

  @Test
  void closingGivesTheBufferBackOnce() throws IOException {
    open().close();
    long idle = BufferPool.shared().idleBytes();
    FrameSpool spool = open();
    assertThat(BufferPool.shared().idleBytes()).isEqualTo(idle - FrameSpool.BUFFER_SIZE);
    fill(spool, 20, FRAME / 2);
    spool.close();
    spool.close();
    assertThat(BufferPool.shared().idleBytes()).isEqualTo(idle);
  }

  @Test
  void theStoredBytesAreThoseThatCame() throws IOException {
    try (FrameSpool spool = open()) {
      spool.packet(0, 5);
      spool.frame(CHAIN, 5, 3, ByteBuffer.allocateDirect(3).put(new byte[] {7, 8, 9}).flip());
      try (SpooledFrames spooled = spool.finish()) {
        spooled.chainIds()[0] = 99;
        assertThat(spooled.chainIds()).isEqualTo(CHAIN);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        spooled.replay((originalLength, stages, stored) -> Tape.take(stored, bytes));
        assertThat(bytes.toByteArray()).containsExactly(7, 8, 9);
      }
    }
  }
}
