/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.volume;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads any bytes as a superblock. Runs on the kept inputs; with {@code JAZZER_FUZZ=1} and one
 * method chosen, it looks for new ones.
 */
class SuperblockFuzzTest {

  private static final Path NAME = Path.of("superblock.0");

  @FuzzTest(maxDuration = "1m")
  void anyBytes(byte[] file) {
    read(file);
  }

  /** With the right magic, length and CRC, to reach the code after these checks. */
  @FuzzTest(maxDuration = "1m")
  void checkedBytes(byte[] file) {
    if (file.length >= 64) {
      byte[] repaired = file.clone();
      ByteBuffer out = ByteBuffer.wrap(repaired).order(ByteOrder.LITTLE_ENDIAN);
      out.putInt(0, 0x42534889).put(4, (byte) 1).put(5, (byte) 0).putInt(8, file.length);
      int crc = Crc32c.update(0, ByteBuffer.wrap(repaired, 0, file.length - 4));
      out.putInt(file.length - 4, crc);
      read(repaired);
    }
  }

  /** An accepted superblock is written back unchanged. */
  private static void read(byte[] file) {
    try {
      byte[] again = SuperblockContent.parse(NAME, file).encode();
      if (!Arrays.equals(file, again)) {
        throw new AssertionError("two forms of one superblock");
      }
    } catch (CorruptFileException | UnknownFormatVersionException expected) {
      // Refused.
    }
  }
}
