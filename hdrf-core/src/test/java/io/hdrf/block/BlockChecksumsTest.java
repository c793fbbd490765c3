/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BlockChecksumsTest {

  private static final int[] CHUNKS = {1, 7, 511, 512, 513, 4096, 100_000, Integer.MAX_VALUE};

  /** Hands the data over in random pieces, direct or not. */
  private static VerifyResult verify(BlockChecksums checksums, byte[] data, Random random)
      throws IOException {
    ChecksumVerifier verifier = checksums.verifier();
    boolean direct = random.nextBoolean();
    int most = random.nextBoolean() ? data.length + 1 : 2000;
    for (int position = 0; position < data.length; ) {
      int n = Math.min(data.length - position, random.nextInt(most));
      ByteBuffer piece = direct ? ByteBuffer.allocateDirect(n + 9) : ByteBuffer.allocate(n + 9);
      piece.position(4);
      piece.put(data, position, n).limit(4 + n).position(4);
      verifier.update(piece);
      assertThat(piece.position()).isEqualTo(4 + n);
      assertThat(piece.limit()).isEqualTo(4 + n);
      position += n;
    }
    return verifier.finish();
  }

  @ParameterizedTest
  @EnumSource(names = {"CRC32", "CRC32C"})
  void agreesWithHdfs(DataChecksum.Type type) throws IOException {
    Random random = TestSeed.random("agreesWithHdfs");
    for (int chunk : CHUNKS) {
      for (int length : new int[] {0, 1, 511, 512, 513, 5120, 70_000}) {
        byte[] data = ToyFrames.data(random.nextLong(), length);
        BlockChecksums checksums = MetaFiles.open(type, chunk, data);
        assertThat(checksums.type().name()).isEqualTo(type.name());
        assertThat(checksums.bytesPerChecksum()).isEqualTo(chunk);
        assertThat(checksums.isComplete(length)).isTrue();
        assertThat(verify(checksums, data, random).isOk()).isTrue();
        if (length > 0) {
          int bad = random.nextInt(length);
          data[bad] ^= (byte) (1 << random.nextInt(8));
          VerifyResult result = verify(checksums, data, random);
          assertThat(result.outcome()).isEqualTo(VerifyResult.Outcome.MISMATCH);
          assertThat(result.offset()).isEqualTo((long) (bad / chunk) * chunk);
        }
      }
    }
  }

  @Test
  void firstOfSeveralBadChunksIsReported() throws IOException {
    byte[] data = ToyFrames.data(1, 5000);
    BlockChecksums checksums = MetaFiles.open(DataChecksum.Type.CRC32C, 512, data);
    data[4000] ^= 1;
    data[1100] ^= 1;
    data[3000] ^= 1;
    VerifyResult result = verify(checksums, data, new Random(1));
    assertThat(result.offset()).isEqualTo(1024);
    assertThat(result).hasToString("MISMATCH at 1024");
    ChecksumVerifier verifier = checksums.verifier();
    assertThat(verifier.update(ByteBuffer.wrap(data, 0, 1536))).isFalse();
    assertThat(verifier.update(ByteBuffer.wrap(data, 1536, 100))).isFalse();
  }

  @Test
  void longerOrShorterDataAreAMismatch() throws IOException {
    byte[] data = ToyFrames.data(1, 5000);
    BlockChecksums checksums = MetaFiles.open(DataChecksum.Type.CRC32C, 512, data);
    assertThat(verify(checksums, Arrays.copyOf(data, 5001), new Random(1)).outcome())
        .isEqualTo(VerifyResult.Outcome.MISMATCH);
    assertThat(verify(checksums, Arrays.copyOf(data, 4999), new Random(1)).outcome())
        .isEqualTo(VerifyResult.Outcome.MISMATCH);
    assertThat(verify(checksums, Arrays.copyOf(data, 5121), new Random(1)).isOk()).isFalse();
  }

  @Test
  void moreChecksumsThanFitIntoTheBuffer() throws IOException {
    byte[] data = ToyFrames.data(1, 100_000);
    BlockChecksums checksums = MetaFiles.open(DataChecksum.Type.CRC32, 3, data);
    assertThat(verify(checksums, data, new Random(1)).isOk()).isTrue();
    data[99_999] ^= 1;
    assertThat(verify(checksums, data, new Random(1)).offset()).isEqualTo(99_999);
  }

  @Test
  void trailingBytesAreIgnored() throws IOException {
    byte[] data = ToyFrames.data(1, 5000);
    byte[] meta = MetaFiles.of(DataChecksum.Type.CRC32C, 512, data);
    for (int more : new int[] {1, 4, 1000}) {
      BlockChecksums checksums = MetaFiles.open(Arrays.copyOf(meta, meta.length + more));
      assertThat(checksums.isComplete(5000)).isTrue();
      assertThat(verify(checksums, data, new Random(1)).isOk()).isTrue();
    }
  }

  @Test
  void shortMetaIsIncomplete() throws IOException {
    byte[] data = ToyFrames.data(1, 5000);
    byte[] meta = MetaFiles.of(DataChecksum.Type.CRC32C, 512, data);
    for (int missing : new int[] {1, 4, 10, meta.length - 7}) {
      BlockChecksums checksums = MetaFiles.open(Arrays.copyOf(meta, meta.length - missing));
      assertThat(checksums.isComplete(5000)).isFalse();
      assertThat(verify(checksums, data, new Random(1)).outcome())
          .isEqualTo(VerifyResult.Outcome.CHECKSUMS_INCOMPLETE);
    }
    BlockChecksums checksums = MetaFiles.open(meta);
    assertThat(checksums.isComplete(5120)).isTrue();
    assertThat(checksums.isComplete(5121)).isFalse();
    assertThat(checksums.isComplete(Long.MAX_VALUE)).isFalse();
  }

  @Test
  void noChecksums() throws IOException {
    BlockChecksums checksums = MetaFiles.open(DataChecksum.Type.NULL, 512, new byte[5000]);
    assertThat(checksums.type()).isEqualTo(BlockChecksums.Type.NULL);
    assertThat(checksums.isComplete(5000)).isTrue();
    assertThatThrownBy(checksums::verifier).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void headersThatAreNone() {
    byte[][] headers = {
      {},
      {0, 1, 2, 0, 0, 2},
      {0, 2, 2, 0, 0, 2, 0},
      {1, 0, 2, 0, 0, 2, 0},
      {0, 1, 3, 0, 0, 2, 0},
      {0, 1, -1, 0, 0, 2, 0},
      {0, 1, 2, 0, 0, 0, 0},
      {0, 1, 2, -1, 0, 0, 0},
    };
    for (byte[] header : headers) {
      assertThatThrownBy(() -> MetaFiles.open(header))
          .isInstanceOf(CorruptFileException.class)
          .hasMessageStartingWith("blk_1_1001.meta: ");
    }
  }
}
