/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.BytesFile;
import io.hdrf.jni.Crc32c;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GoldenBlocksTest {

  @TempDir Path dir;

  @ParameterizedTest
  @MethodSource("io.hdrf.block.GoldenBlocks#all")
  void oldFilesStayReadable(GoldenBlocks golden) throws IOException {
    byte[] file = golden.read();
    ReducedBlock reduced =
        ReducedBlock.open(
            Path.of(golden.fileName()), new BytesFile(file), TestBlock.ID, TestBlock.KEY);
    assertThat(reduced.header().chainIds()).isEqualTo(golden.chain);
    assertThat(reduced.frames().frameCount()).isEqualTo(golden.block.lengths.length);
    for (int i = 0; i < golden.block.lengths.length; i++) {
      assertThat(reduced.frames().originalLength(i)).isEqualTo(golden.block.lengths[i]);
      assertThat(reduced.frames().stages(i)).isEqualTo(golden.block.stages[i]);
    }
    ByteBuffer data = ByteBuffer.allocate(file.length);
    for (int i = 0; i < golden.block.lengths.length; i++) {
      ByteBuffer stored = ByteBuffer.allocate(reduced.frames().storedLength(i));
      reduced.readStored(i, stored);
      data.limit(data.position() + golden.block.lengths[i]);
      ToyFrames.decode(golden.block.stages[i], stored.flip(), data);
    }
    assertThat(data.flip().remaining()).isEqualTo(file.length);
    assertThat(HexFormat.of().toHexDigits(Crc32c.update(0, data)))
        .isEqualTo(HexFormat.of().toHexDigits(golden.dataChecksum));
  }

  /** The bytes may change one day, but only by a decision. */
  @ParameterizedTest
  @MethodSource("io.hdrf.block.GoldenBlocks#all")
  void theSameIsWrittenToday(GoldenBlocks golden) throws IOException {
    golden.write(dir.resolve("f"));
    assertThat(Files.readAllBytes(dir.resolve("f"))).isEqualTo(golden.read());
  }

  /** The bytes follow the specification, written by hand. */
  @Test
  void singleFrameByteByByte() throws IOException {
    byte[] file = GoldenBlocks.SINGLE_FRAME.read();
    String header =
        "89485242" + "01" + "00" + "4000" + "1100000000000000" + "%016x" + "0100004000000000";
    String pool = String.format(header, Long.reverseBytes(TestBlock.ID.poolHash()));
    String lengths = "2c0100000000" + "480000000000" + "0f000000";
    assertThat(HexFormat.of().formatHex(file, 0, 48)).isEqualTo(pool + lengths);
    assertThat(HexFormat.of().formatHex(file, 64, 72)).isEqualTo("e803000000000000");
    // Behind the CRC: 1 frame; 1 frame of 300 bytes; 1 frame with stages 1; 8 stored bytes.
    assertThat(HexFormat.of().formatHex(file, 76, 82)).isEqualTo("01" + "01ac02" + "0101");
    assertThat(file[82]).isEqualTo((byte) 8);
    assertThat(file).hasSize(300);
    for (int i = 87 + 2; i < 300; i++) {
      assertThat(file[i]).isZero();
    }
  }
}
