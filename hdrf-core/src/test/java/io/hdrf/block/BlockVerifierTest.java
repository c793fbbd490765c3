/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.BytesFile;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockVerifierTest {

  @TempDir Path dir;

  private ReducedBlock reduced(TestBlock block) throws IOException {
    Path path = Files.createTempDirectory(dir, "block").resolve("f");
    block.write(path);
    return TestBlock.open(path);
  }

  @Test
  void rightBlocksVerify() throws IOException {
    Random random = TestSeed.random("rightBlocks");
    for (int i = 0; i < 100; i++) {
      TestBlock block = TestBlock.random(random, 1 + random.nextInt(50), 100, 5000);
      byte[] data = block.data();
      try (ReducedBlock reduced = reduced(block)) {
        for (DataChecksum.Type type :
            new DataChecksum.Type[] {
              DataChecksum.Type.CRC32, DataChecksum.Type.CRC32C, DataChecksum.Type.NULL
            }) {
          BlockChecksums meta = MetaFiles.open(type, 1 + random.nextInt(2000), data);
          assertThat(BlockVerifier.verify(reduced, ToyFrames.CODEC, meta, new BytesFile(data)))
              .hasToString("OK");
        }
      }
    }
  }

  /** The file is whole, but its content is not what the client wrote. */
  @Test
  void wrongContentIsFoundAtTheRightPlace() throws IOException {
    Random random = TestSeed.random("wrongContent");
    for (int i = 0; i < 100; i++) {
      TestBlock block = TestBlock.random(random, 1 + random.nextInt(20), 100, 5000);
      byte[] data = block.data();
      int bad = random.nextInt(data.length);
      data[bad] ^= 4;
      try (ReducedBlock reduced = reduced(block)) {
        BlockChecksums meta = MetaFiles.open(DataChecksum.Type.CRC32C, 512, data);
        assertThat(BlockVerifier.verify(reduced, ToyFrames.CODEC, meta, null))
            .hasToString("MISMATCH at " + bad / 512 * 512);
        BlockChecksums none = MetaFiles.open(DataChecksum.Type.NULL, 512, data);
        assertThat(BlockVerifier.verify(reduced, ToyFrames.CODEC, none, new BytesFile(data)))
            .hasToString("MISMATCH at " + bad);
      }
    }
  }

  @Test
  void framesLongerThanTheComparersBuffer() throws IOException {
    int length = (5 << 20) + 77;
    TestBlock block = new TestBlock(new int[] {length}, new long[] {3}, new int[] {1});
    byte[] data = block.data();
    try (ReducedBlock reduced = reduced(block)) {
      assertThat(ToyFrames.compare(reduced, data).isOk()).isTrue();
      data[length - 1] ^= 1;
      assertThat(ToyFrames.compare(reduced, data).offset()).isEqualTo(length - 1);
    }
  }

  @Test
  void plainFileOfAnotherLengthDiffers() throws IOException {
    TestBlock block = TestBlock.random(new Random(1), 5, 100, 5000);
    byte[] data = block.data();
    try (ReducedBlock reduced = reduced(block)) {
      for (int length : new int[] {0, data.length - 1, data.length + 1}) {
        assertThat(ToyFrames.compare(reduced, Arrays.copyOf(data, length)))
            .hasToString("MISMATCH at " + Math.min(length, data.length));
      }
    }
  }

  @Test
  void saysWhatCannotBeProved() throws IOException {
    TestBlock block = TestBlock.random(new Random(1), 5, 1000, 5000);
    byte[] data = block.data();
    byte[] meta = MetaFiles.of(DataChecksum.Type.CRC32C, 512, data);
    byte[] shortMeta = Arrays.copyOf(meta, meta.length - 1);
    BlockChecksums none = MetaFiles.open(DataChecksum.Type.NULL, 512, data);
    try (ReducedBlock reduced = reduced(block)) {
      assertThat(
              BlockVerifier.verify(reduced, ToyFrames.CODEC, MetaFiles.open(shortMeta), null)
                  .outcome())
          .isEqualTo(VerifyResult.Outcome.CHECKSUMS_INCOMPLETE);
      assertThat(BlockVerifier.verify(reduced, ToyFrames.CODEC, none, null).outcome())
          .isEqualTo(VerifyResult.Outcome.NO_CHECKSUMS);
    }
    assertThat(BlockVerifier.verifyPlain(new BytesFile(data), MetaFiles.open(shortMeta)).outcome())
        .isEqualTo(VerifyResult.Outcome.CHECKSUMS_INCOMPLETE);
    assertThat(BlockVerifier.verifyPlain(new BytesFile(data), none).outcome())
        .isEqualTo(VerifyResult.Outcome.NO_CHECKSUMS);
  }

  @Test
  void plainBlocksVerify() throws IOException {
    Random random = TestSeed.random("plainBlocks");
    for (int length : new int[] {0, 1, 512, 1000, (1 << 20) - 1, 1 << 20, (3 << 20) + 5}) {
      byte[] data = ToyFrames.data(random.nextLong(), length);
      BlockChecksums meta = MetaFiles.open(DataChecksum.Type.CRC32C, 512, data);
      assertThat(BlockVerifier.verifyPlain(new BytesFile(data), meta).isOk()).isTrue();
      if (length > 0) {
        int bad = random.nextInt(length);
        data[bad] ^= 64;
        assertThat(BlockVerifier.verifyPlain(new BytesFile(data), meta).offset())
            .isEqualTo(bad / 512 * 512L);
      }
    }
  }

  /** A frame that can't be decoded is damage, not a mismatch. */
  @Test
  void damageIsThrown() throws IOException {
    TestBlock block = TestBlock.random(new Random(1), 5, 1000, 5000);
    Path path = dir.resolve("damaged");
    block.write(path);
    byte[] raw = Files.readAllBytes(path);
    raw[70] ^= 1;
    ReducedBlock reduced = ReducedBlock.open(path, new BytesFile(raw), TestBlock.ID, TestBlock.KEY);
    BlockChecksums meta = MetaFiles.open(DataChecksum.Type.CRC32C, 512, block.data());
    assertThatThrownBy(() -> BlockVerifier.verify(reduced, ToyFrames.CODEC, meta, null))
        .isInstanceOf(CorruptBlockException.class);
  }

  /** The maker of frames can match the checksums with other data; only the plain form decides. */
  @Test
  void foreignFramesMustGiveThePlainFormItself() throws IOException {
    TestBlock block = TestBlock.random(new Random(1), 5, 1000, 5000);
    byte[] data = block.data();
    BlockChecksums meta = MetaFiles.open(DataChecksum.Type.CRC32C, 512, data);
    BlockChecksums none = MetaFiles.open(DataChecksum.Type.NULL, 512, data);
    try (ReducedBlock reduced = reduced(block)) {
      assertThat(foreign(reduced, meta, data)).hasToString("OK");
      assertThat(foreign(reduced, none, data)).hasToString("OK");
      for (int bad : new int[] {0, 2000, data.length - 1}) {
        byte[] other = data.clone();
        other[bad] ^= 1;
        assertThat(foreign(reduced, meta, other)).hasToString("MISMATCH at " + bad);
        assertThat(foreign(reduced, none, other)).hasToString("MISMATCH at " + bad);
        BlockChecksums others = MetaFiles.open(DataChecksum.Type.CRC32C, 512, other);
        assertThat(foreign(reduced, others, data)).hasToString("MISMATCH at " + bad / 512 * 512);
      }
      for (int length : new int[] {0, data.length - 1, data.length + 1}) {
        assertThat(foreign(reduced, meta, Arrays.copyOf(data, length)))
            .hasToString("MISMATCH at " + Math.min(length, data.length));
      }
      byte[] raw = MetaFiles.of(DataChecksum.Type.CRC32C, 512, data);
      BlockChecksums incomplete = MetaFiles.open(Arrays.copyOf(raw, raw.length - 1));
      assertThat(foreign(reduced, incomplete, data)).hasToString("CHECKSUMS_INCOMPLETE");
    }
  }

  private static VerifyResult foreign(ReducedBlock reduced, BlockChecksums meta, byte[] plain)
      throws IOException {
    return BlockVerifier.verify(reduced, ToyFrames.CODEC, meta, new BytesFile(plain));
  }

  @Test
  void allFramesAreDecodedWhereThereIsNothingToCompareWith() throws IOException {
    int[] ones = {1, 1, 1, 1, 1, 1, 1};
    TestBlock block =
        new TestBlock(new int[] {9, 99, 999, 9, 9, 9, 99}, new long[] {1, 2, 3, 4, 5, 6, 7}, ones);
    int[] decoded = new int[1];
    try (ReducedBlock reduced = reduced(block)) {
      BlockVerifier.decode(
          reduced,
          ToyFrames.codec(
              (stored, frame) -> {
                decoded[0]++;
                ToyFrames.decode(1, stored, frame);
              }));
    }
    assertThat(decoded[0]).isEqualTo(7);
  }

  /** A file that is shorter than it said, as one that is truncated meanwhile. */
  @Test
  void aPlainFileThatEndsEarlyIsAMismatch() throws IOException {
    byte[] data = ToyFrames.data(1, 1024);
    BlockChecksums meta = MetaFiles.open(DataChecksum.Type.CRC32C, 512, data);
    BytesFile truncated =
        new BytesFile(Arrays.copyOf(data, 512)) {
          @Override
          public long length() {
            return 1024;
          }
        };
    assertThat(BlockVerifier.verifyPlain(truncated, meta)).hasToString("MISMATCH at 512");
  }

  @Test
  void buffersAreGivenBack() throws IOException {
    TestBlock block = TestBlock.random(new Random(1), 5, 1000, 5000);
    byte[] data = block.data();
    byte[] other = data.clone();
    other[0] ^= 1;
    BlockChecksums meta = MetaFiles.open(DataChecksum.Type.CRC32C, 512, data);
    try (ReducedBlock reduced = reduced(block)) {
      FrameTable frames = reduced.frames();
      long idle =
          TestBlock.idleWithSpares(1 << 20, frames.maxStoredLength(), frames.maxOriginalLength());
      for (byte[] plain : new byte[][] {data, other}) {
        foreign(reduced, meta, plain);
        ToyFrames.compare(reduced, plain);
        BlockVerifier.verifyPlain(new BytesFile(plain), meta);
      }
      assertThat(BufferPool.shared().idleBytes()).isEqualTo(idle);
    }
  }
}
