/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentDigestTest {

  private final Random random = TestSeed.random(ContentDigestTest.class.getName());

  private byte[] data(int length) {
    byte[] data = new byte[length];
    random.nextBytes(data);
    return data;
  }

  private byte[] digestInPieces(byte[] data) {
    ContentDigest digest = new ContentDigest();
    int longest = 1 + random.nextInt(200_000);
    for (int from = 0; from < data.length; ) {
      int length = Math.min(random.nextInt(longest), data.length - from);
      ByteBuffer piece =
          random.nextBoolean() ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
      piece.put(data, from, length).flip();
      digest.update(piece);
      assertThat(piece.hasRemaining()).isFalse();
      from += length;
    }
    return digest.finish();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 511, 512, 513, 8_388_608, 8_388_609, 20_000_000})
  void isThatOfTheChecksums(int length) throws IOException {
    byte[] data = data(length);
    BlockChecksums checksums = MetaFiles.open(DataChecksum.Type.CRC32C, 512, data);
    assertThat(digestInPieces(data))
        .hasSize(32)
        .isEqualTo(digestInPieces(data))
        .isEqualTo(ContentDigest.of(checksums, length));
  }

  @Test
  void anyOtherBitMakesAnother() throws IOException {
    for (int i = 0; i < 100; i++) {
      byte[] data = data(1 + random.nextInt(10_000));
      BlockChecksums checksums = MetaFiles.open(DataChecksum.Type.CRC32C, 512, data);
      data[random.nextInt(data.length)] ^= (byte) (1 << random.nextInt(8));
      assertThat(digestInPieces(data)).isNotEqualTo(ContentDigest.of(checksums, data.length));
    }
  }

  @Test
  void thereIsNoneOfChecksumsOfAnotherKind() throws IOException {
    byte[] data = data(5000);
    for (BlockChecksums other :
        new BlockChecksums[] {
          MetaFiles.open(DataChecksum.Type.CRC32, 512, data),
          MetaFiles.open(DataChecksum.Type.NULL, 512, data),
          MetaFiles.open(DataChecksum.Type.CRC32C, 1024, data)
        }) {
      assertThat(ContentDigest.of(other, data.length)).isNull();
    }
    BlockChecksums checksums = MetaFiles.open(DataChecksum.Type.CRC32C, 512, data);
    assertThat(ContentDigest.of(checksums, 5121)).isNull();
    assertThat(ContentDigest.of(checksums, 5000)).isNotNull();
  }
}
