/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.hdrf.io.BytesFile;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many kinds of damage: reads give the right bytes or a documented exception, and never take memory
 * in vain.
 */
class BlockDamageTest {

  private static final Path NAME = Path.of("blk_1073741825");
  private static final int ROUNDS = 20_000;
  private static final int MAX_LENGTH = 256 << 10;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir Path dir;
  private Random random;
  private final List<byte[]> files = new ArrayList<>();
  private final List<byte[]> contents = new ArrayList<>();
  private final ByteBuffer stored = ByteBuffer.allocateDirect(MAX_LENGTH);
  private final ByteBuffer frame = ByteBuffer.allocateDirect(MAX_LENGTH);

  private void writeBlocks(String test) throws IOException {
    random = TestSeed.random(test);
    for (int i = 0; i < 10; i++) {
      TestBlock block = TestBlock.random(random, 1 + random.nextInt(i * 8 + 1), 100, 3000);
      Path path = dir.resolve("f" + i);
      block.write(path);
      files.add(Files.readAllBytes(path));
      contents.add(block.data());
    }
  }

  @BeforeEach
  void measureAllocation() {
    assertThat(THREADS.isThreadAllocatedMemoryEnabled()).isTrue();
  }

  private int headerOrAnywhere(int length) {
    return random.nextInt(random.nextBoolean() ? Math.min(length, 200) : length);
  }

  private byte[] damage(byte[] file) {
    byte[] bad = file.clone();
    for (int n = random.nextInt(3); n >= 0 && bad.length > 0; n--) {
      switch (random.nextInt(7)) {
        case 0:
          bad = Arrays.copyOf(bad, headerOrAnywhere(bad.length));
          break;
        case 1:
          bad = Arrays.copyOf(bad, bad.length + random.nextInt(100));
          break;
        case 2:
          splice(bad);
          break;
        case 3:
          Arrays.fill(bad, headerOrAnywhere(bad.length), bad.length, (byte) 0);
          break;
        case 4:
          bad[headerOrAnywhere(bad.length)] = (byte) random.nextInt();
          break;
        case 5:
          bad[headerOrAnywhere(bad.length)] = (byte) (random.nextBoolean() ? 0xFF : 0x80);
          break;
        default:
          bad[headerOrAnywhere(bad.length)] ^= (byte) (1 << random.nextInt(8));
      }
    }
    return bad;
  }

  private void splice(byte[] bad) {
    byte[] other = files.get(random.nextInt(files.size()));
    int to = headerOrAnywhere(bad.length);
    int from = headerOrAnywhere(other.length);
    int n = random.nextInt(1 + Math.min(bad.length - to, other.length - from));
    System.arraycopy(other, from, bad, to, n);
  }

  /** All data of the block, or null if it was found to be damaged. */
  private byte[] read(byte[] file) throws IOException {
    long most = 64 * 1024 + 30L * file.length;
    long before = allocated();
    byte[] data = readUnmeasured(file);
    if (allocated() - before > most) {
      // Reads twice, because the first use of classes makes the JVM allocate.
      before = allocated();
      data = readUnmeasured(file);
      assertThat(allocated() - before).isLessThan(most);
    }
    return data;
  }

  private static long allocated() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  private byte[] readUnmeasured(byte[] file) throws IOException {
    try {
      ReducedBlock block =
          ReducedBlock.open(NAME, new BytesFile(file), TestBlock.ID, TestBlock.KEY);
      FrameTable frames = block.frames();
      assertThat(block.physicalLength()).isLessThanOrEqualTo(file.length);
      assertThat(frames.maxStoredLength()).isLessThanOrEqualTo(file.length);
      assertThat(frames.maxOriginalLength()).isLessThanOrEqualTo(file.length);
      assertThat(block.logicalLength()).isLessThanOrEqualTo(file.length);
      ByteBuffer all = ByteBuffer.allocate((int) block.logicalLength());
      for (int i = 0; i < frames.frameCount(); i++) {
        if (frames.frameAt(all.position()) != i) { // An assertion would allocate.
          throw new AssertionError("frame " + i + " is not found");
        }
        frame.clear();
        block.readFrame(i, ToyFrames.CODEC, stored, frame);
        all.put(frame.flip());
      }
      assertThat(all.hasRemaining()).isFalse();
      return all.array();
    } catch (CorruptBlockException | UnknownFormatVersionException e) {
      assertThat(e.getMessage()).startsWith(NAME + ": ");
      return null;
    }
  }

  @Test
  void damageIsFoundOrHarmless() throws IOException {
    writeBlocks("damage");
    int found = 0;
    for (int i = 0; i < ROUNDS; i++) {
      int which = random.nextInt(files.size());
      byte[] bad = damage(files.get(which));
      byte[] data = read(bad);
      found += data == null ? 1 : 0;
      if (data != null && !Arrays.equals(data, contents.get(which))) {
        assertThat(contents).as("another whole block").contains(data);
      }
    }
    assertThat(found).isBetween(ROUNDS / 4, ROUNDS - 1);
  }

  /** A faulty writer: wrong headers and tables, but signed. */
  @Test
  void signedNonsenseIsRefused() throws IOException {
    writeBlocks("nonsense");
    int read = 0;
    for (int i = 0; i < ROUNDS; i++) {
      byte[] bad = damage(files.get(random.nextInt(files.size())));
      if (bad.length >= BlockFormat.HEADER_LENGTH) {
        read += read(repair(bad)) != null ? 1 : 0;
      }
    }
    assertThat(read).isPositive();
  }

  /** Makes magic, version, CRCs, tag and file length right, and leaves the rest. */
  static byte[] repair(byte[] file) {
    byte[] repaired = file.clone();
    ByteBuffer out = ByteBuffer.wrap(repaired).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0, BlockFormat.MAGIC);
    out.put(4, (byte) 1).put(5, (byte) 0).putShort(6, (short) 64);
    out.putLong(16, TestBlock.ID.poolHash());
    out.putLong(24, TestBlock.ID.blockId());
    out.putInt(32, repaired.length).putShort(36, (short) 0);
    long position = out.getInt(38) & 0xFFFFFFFFL;
    int length = out.getInt(44);
    if (length >= 4 && position >= 64 && position + length <= repaired.length) {
      int begin = (int) position + 4;
      out.putInt((int) position, Crc32c.update(0, ByteBuffer.wrap(repaired, begin, length - 4)));
    }
    return BlockProbeTest.sign(repaired, TestBlock.KEY);
  }
}
