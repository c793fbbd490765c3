/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.BytesFile;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockProbeTest {

  private static final Path NAME = Path.of("blk_1073741825");

  @TempDir Path dir;
  private byte[] reduced;

  @BeforeEach
  void writeBlock() throws IOException {
    reduced = write(TestBlock.ID, TestBlock.KEY);
  }

  private byte[] write(BlockRef id, TagKey key) throws IOException {
    Path path = Files.createTempDirectory(dir, "block").resolve("f");
    TestBlock block = TestBlock.random(new Random(3), 5, 100, 1000);
    block.write(io.hdrf.spi.io.LocalDurableFiles.INSTANCE, path, id, key);
    return Files.readAllBytes(path);
  }

  private static BlockProbe probe(byte[] bytes) throws IOException {
    return BlockProbe.examine(NAME, new BytesFile(bytes), TestBlock.ID, TestBlock.KEY);
  }

  /** Returns the bytes with right CRC and tag for the key. */
  static byte[] sign(byte[] bytes, TagKey key) {
    byte[] signed = bytes.clone();
    ByteBuffer out = ByteBuffer.wrap(signed).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(48, Crc32c.update(0, ByteBuffer.wrap(signed, 0, 48)));
    System.arraycopy(key.tag(signed, 52), 0, signed, 52, 12);
    return signed;
  }

  private byte[] with(int offset, int... values) {
    byte[] changed = reduced.clone();
    for (int i = 0; i < values.length; i++) {
      changed[offset + i] = (byte) values[i];
    }
    return changed;
  }

  private static void assertForeign(byte[] bytes, String reason) throws IOException {
    BlockProbe probe = probe(bytes);
    assertThat(probe.kind()).isEqualTo(BlockProbe.Kind.FOREIGN);
    assertThat(probe.header()).isNull();
    assertThat(probe.reason())
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageStartingWith(NAME + ": ")
        .hasMessageContaining(reason);
    assertThatThrownBy(
            () -> ReducedBlock.open(NAME, new BytesFile(bytes), TestBlock.ID, TestBlock.KEY))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessage(probe.reason().getMessage());
  }

  @Test
  void reducedBlockIsKnown() throws IOException {
    BlockProbe probe = probe(reduced);
    assertThat(probe.kind()).isEqualTo(BlockProbe.Kind.REDUCED);
    assertThat(probe.reason()).isNull();
    assertThat(probe.header().blockId()).isEqualTo(TestBlock.ID.blockId());
    assertThat(probe.header().logicalLength()).isEqualTo(reduced.length);
    assertThat(probe.header().physicalLength()).isLessThan(reduced.length);
  }

  @Test
  void anythingWithoutMagicIsPlain() throws IOException {
    Random random = TestSeed.random("plain");
    for (int i = 0; i < 1000; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      if (bytes.length > 0) {
        bytes[0] &= 0x7F;
      }
      assertThat(probe(bytes).kind()).isEqualTo(BlockProbe.Kind.PLAIN);
    }
    for (int length = 0; length < 64; length++) {
      assertThat(probe(Arrays.copyOf(reduced, length)).kind()).isEqualTo(BlockProbe.Kind.PLAIN);
    }
  }

  @Test
  void everyFlippedBitOfTheHeaderIsSeen() throws IOException {
    for (int bit = 0; bit < 64 * 8; bit++) {
      byte[] bad = reduced.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(probe(bad).kind())
          .isEqualTo(bit < 32 ? BlockProbe.Kind.PLAIN : BlockProbe.Kind.FOREIGN);
    }
  }

  @Test
  void shorterFileIsDamagedAndLongerOneIsNot() throws IOException {
    assertForeign(Arrays.copyOf(reduced, reduced.length - 1), "file length");
    assertThat(probe(Arrays.copyOf(reduced, reduced.length + 1)).kind())
        .isEqualTo(BlockProbe.Kind.REDUCED);
  }

  @Test
  void anotherVolumesBlockIsForeign() throws IOException {
    assertForeign(write(TestBlock.ID, TestBlock.key(8)), "tag");
  }

  @Test
  void anotherBlockIsForeign() throws IOException {
    assertForeign(
        write(new BlockRef(TestBlock.ID.poolId(), 5), TestBlock.KEY),
        "block id: expected 1073741825, found 5");
    assertForeign(
        write(new BlockRef("BP-1", TestBlock.ID.blockId()), TestBlock.KEY),
        "block pool: expected BP-526805057");
  }

  @Test
  void laterVersionWithTheRightTagIsNotCorrupt() throws IOException {
    byte[] later = sign(with(4, 2), TestBlock.KEY);
    assertThat(probe(later).kind()).isEqualTo(BlockProbe.Kind.FOREIGN);
    assertThat(probe(later).reason())
        .isInstanceOfSatisfying(
            UnknownFormatVersionException.class,
            e -> {
              assertThat(e.isTooNew()).isTrue();
              assertThat(e.file()).isEqualTo(NAME.toString());
            })
        .hasMessageContaining("version 2 is too new");
    assertThat(probe(sign(with(4, 0), TestBlock.KEY)).reason())
        .isInstanceOf(UnknownFormatVersionException.class)
        .hasMessageContaining("version 0 is too old");
    assertForeign(sign(with(4, 2), TestBlock.key(8)), "tag");
    assertForeign(with(4, 2), "CRC32C");
  }

  @Test
  void everyFieldIsChecked() throws IOException {
    assertForeign(sign(with(5, 1), TestBlock.KEY), "flags");
    assertForeign(sign(with(6, 65), TestBlock.KEY), "header length");
    assertForeign(sign(with(8, 0, 0), TestBlock.KEY), "scheme chain");
    assertForeign(sign(with(12, 1), TestBlock.KEY), "scheme chain");
    assertForeign(sign(with(38, 63, 0, 0, 0, 0, 0), TestBlock.KEY), "frame table position");
    assertForeign(sign(with(44, 13, 0, 0, 0), TestBlock.KEY), "frame table length");
    assertForeign(sign(with(44, 1, 0, 0, 1), TestBlock.KEY), "frame table length");
    assertForeign(sign(with(44, 255, 255, 255, 255), TestBlock.KEY), "frame table length");
    assertForeign(sign(with(38, 0, 0, 0, 0, 1, 0), TestBlock.KEY), "physical end");
    assertForeign(sign(with(32, 0, 0, 0, 0, 1, 0), TestBlock.KEY), "file length");
  }

  @Test
  void untrustedOpenIgnoresTagAndIdentityOnly() throws IOException {
    byte[] other = write(new BlockRef("BP-1", 5), TestBlock.key(8));
    ReducedBlock block = ReducedBlock.openUntrusted(NAME, new BytesFile(other));
    assertThat(block.header().blockId()).isEqualTo(5);
    byte[] bad = other.clone();
    bad[9] ^= 1;
    assertThatThrownBy(() -> ReducedBlock.openUntrusted(NAME, new BytesFile(bad)))
        .isInstanceOf(CorruptBlockException.class);
  }

  /** A user who knows the format writes a block that looks like a reduced form of itself. */
  @Test
  void imitationsAreReadAsTheyWereWritten() throws IOException {
    byte[][] imitations = {
      write(TestBlock.ID, TestBlock.key(0)),
      Arrays.copyOf(reduced, 64 + 100),
      sign(reduced, TestBlock.key(1)),
      with(52, new int[12]),
      write(new BlockRef(TestBlock.ID.poolId(), 5), TestBlock.KEY),
    };
    for (byte[] imitation : imitations) {
      assertThat(probe(imitation).kind()).isEqualTo(BlockProbe.Kind.FOREIGN);
      for (DataChecksum.Type type :
          new DataChecksum.Type[] {DataChecksum.Type.CRC32, DataChecksum.Type.CRC32C}) {
        BlockChecksums meta = MetaFiles.open(type, 512, imitation);
        assertThat(BlockVerifier.verifyPlain(new BytesFile(imitation), meta).isOk()).isTrue();
      }
    }
  }

  @Test
  void damagedReducedBlockDoesNotVerifyAsPlain() throws IOException {
    TestBlock block = TestBlock.random(new Random(3), 5, 100, 1000);
    BlockChecksums meta = MetaFiles.open(DataChecksum.Type.CRC32C, 512, block.data());
    byte[] bad = with(60, 0);
    assertThat(probe(bad).kind()).isEqualTo(BlockProbe.Kind.FOREIGN);
    VerifyResult result = BlockVerifier.verifyPlain(new BytesFile(bad), meta);
    assertThat(result.outcome()).isEqualTo(VerifyResult.Outcome.MISMATCH);
    assertThat(result.offset()).isZero();
  }

  @Test
  void failureToReadIsNotTakenForDamage() {
    IOException failure = new IOException("Input/output error");
    BytesFile failing =
        new BytesFile(reduced) {
          @Override
          public int read(ByteBuffer dst, long position) throws IOException {
            throw failure;
          }
        };
    assertThatThrownBy(() -> BlockProbe.examine(NAME, failing, TestBlock.ID, TestBlock.KEY))
        .isSameAs(failure);
  }
}
