/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.BlockRef;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpooledBlocksTest {

  private static final int FRAME = 1 << 20;

  @TempDir(factory = InMemory.class)
  Path directory;

  /** Near the overflow, which must not matter. */
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);

  /** What the timer has to do. */
  private final List<Runnable> tasks = new ArrayList<>();

  private SpooledBlocks blocks;
  private int files;
  private int dropped;

  private SpooledBlocks open(int maxBlocks, long maxMemory) {
    blocks =
        new SpooledBlocks(
            maxBlocks,
            maxMemory,
            () -> {
              assertThat(Thread.holdsLock(blocks)).isFalse();
              dropped++;
            },
            (nanos, task) -> {
              assertThat(nanos).isEqualTo(SpooledBlocks.MAX_AGE_NANOS);
              tasks.add(task);
            },
            now::get);
    return blocks;
  }

  @AfterEach
  void close() {
    if (blocks != null) {
      blocks.close();
    }
  }

  private static BlockRef block(long id) {
    return new BlockRef("BP-1", id);
  }

  private SpooledFrames frames(int storedLength) throws IOException {
    try (FrameSpool spool =
        new FrameSpool(
            1001,
            () ->
                SpoolFile.create(
                    LocalDurableFiles.INSTANCE, directory.resolve("spool" + files++)))) {
      spool.packet(0, FRAME);
      spool.frame(new int[] {1}, FRAME, 1, ByteBuffer.allocateDirect(storedLength));
      return spool.finish();
    }
  }

  private SpooledFrames inFile() throws IOException {
    return frames(FrameSpool.BUFFER_SIZE + 1);
  }

  private static void replay(SpooledFrames frames) throws IOException {
    frames.replay((originalLength, stages, stored) -> {});
  }

  private static void assertClosed(SpooledFrames frames) {
    assertThatThrownBy(() -> replay(frames)).hasMessageContaining("was closed");
  }

  private static void assertOpen(SpooledFrames frames) {
    assertThatCode(() -> replay(frames)).doesNotThrowAnyException();
  }

  @Test
  void whatIsPutIsTakenOnce() throws IOException {
    open(10, 1 << 20);
    SpooledFrames frames = inFile();
    blocks.put(block(1), frames);
    assertThat(blocks.take(block(2))).isNull();
    assertThat(blocks.take(new BlockRef("BP-2", 1))).isNull();
    assertThat(blocks.size()).isEqualTo(1);
    assertThat(blocks.take(block(1))).isSameAs(frames);
    assertThat(blocks.take(block(1))).isNull();
    assertThat(blocks.size()).isZero();
    assertOpen(frames);
    frames.close();
  }

  @Test
  void anotherTryTakesThePlace() throws IOException {
    open(10, 1 << 20);
    SpooledFrames first = inFile();
    SpooledFrames second = inFile();
    blocks.put(block(1), first);
    blocks.put(block(1), second);
    assertClosed(first);
    assertThat(blocks.size()).isEqualTo(1);
    blocks.drop(block(2));
    assertOpen(second);
    blocks.drop(block(1));
    assertClosed(second);
    blocks.drop(block(1));
    assertThat(blocks.size()).isZero();
    assertThat(dropped).isZero();
  }

  @Test
  void theOldestGoWhereThereAreTooMany() throws IOException {
    open(3, 1 << 20);
    SpooledFrames[] frames = new SpooledFrames[6];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = inFile();
      blocks.put(block(i), frames[i]);
      if (i == 3) {
        // The second is put again, so that the third is the oldest.
        frames[1] = inFile();
        blocks.put(block(1), frames[1]);
      }
    }
    assertThat(blocks.size()).isEqualTo(3);
    assertClosed(frames[0]);
    assertClosed(frames[2]);
    assertClosed(frames[3]);
    for (int i : new int[] {1, 4, 5}) {
      assertThat(blocks.take(block(i))).isSameAs(frames[i]);
      assertOpen(frames[i]);
      frames[i].close();
    }
  }

  @Test
  void theOldestGoWhereTheyTakeTooMuchMemory() throws IOException {
    int stored = 100_000;
    open(100, 3L * (stored + 13));
    for (int i = 0; i < 3; i++) {
      blocks.put(block(i), frames(stored));
    }
    assertThat(blocks.size()).isEqualTo(3);
    blocks.take(block(1)).close();
    blocks.put(block(3), frames(stored));
    assertThat(blocks.size()).isEqualTo(3);
    blocks.put(block(4), frames(stored));
    assertThat(blocks.size()).isEqualTo(3);
    assertThat(blocks.take(block(0))).isNull();
    blocks.put(block(5), frames(2 * stored));
    assertThat(blocks.size()).isEqualTo(2);
    assertThat(blocks.take(block(4))).isNotNull();
    assertThat(blocks.take(block(5))).isNotNull();
  }

  @Test
  void filesCountWithTheMemoryThatTheyTake() throws IOException {
    open(100, 13 * 3);
    for (int i = 0; i < 5; i++) {
      blocks.put(block(i), inFile());
    }
    assertThat(blocks.size()).isEqualTo(3);
  }

  @Test
  void whatIsTooLargeIsNotKept() throws IOException {
    open(100, 1000);
    blocks.put(block(1), frames(1000));
    assertThat(blocks.size()).isZero();
    blocks.put(block(2), frames(987));
    assertThat(blocks.size()).isEqualTo(1);
  }

  @Test
  void theOldAreDropped() throws IOException {
    open(100, 1 << 20);
    SpooledFrames old = inFile();
    SpooledFrames younger = inFile();
    blocks.put(block(1), old);
    now.addAndGet(1000);
    blocks.put(block(2), younger);
    now.addAndGet(SpooledBlocks.MAX_AGE_NANOS - 1000);
    blocks.put(block(3), inFile());
    assertThat(blocks.size()).isEqualTo(2);
    assertClosed(old);
    assertOpen(younger);
    now.addAndGet(1000);
    blocks.put(block(4), inFile());
    assertClosed(younger);
    assertThat(blocks.size()).isEqualTo(2);
  }

  private void runTimer() {
    now.addAndGet(SpooledBlocks.MAX_AGE_NANOS);
    assertThat(tasks).hasSize(1);
    tasks.remove(0).run();
  }

  @Test
  void theOldAreDroppedWhereNoOthersCome() throws IOException {
    open(100, 1 << 20);
    SpooledFrames old = inFile();
    SpooledFrames younger = inFile();
    blocks.put(block(1), old);
    now.addAndGet(1000);
    blocks.put(block(2), younger);
    now.addAndGet(-1000);
    runTimer();
    assertClosed(old);
    assertOpen(younger);
    assertThat(dropped).isOne();
    runTimer();
    assertClosed(younger);
    assertThat(dropped).isEqualTo(2);
    assertThat(tasks).isEmpty();
    blocks.put(block(3), inFile());
    assertThat(tasks).hasSize(1);
  }

  @Test
  void closingClosesAllAndTakesNoMore() throws IOException {
    open(100, 1 << 20);
    SpooledFrames before = inFile();
    SpooledFrames after = inFile();
    blocks.put(block(1), before);
    blocks.close();
    blocks.put(block(2), after);
    assertThat(blocks.size()).isZero();
    assertThat(blocks.take(block(1))).isNull();
    assertClosed(before);
    assertClosed(after);
  }
}
