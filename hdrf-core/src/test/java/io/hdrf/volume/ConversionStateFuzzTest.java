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
 * Reads any bytes as a file with the state of conversion. Runs on the kept inputs; with {@code
 * JAZZER_FUZZ=1} it looks for new ones.
 */
class ConversionStateFuzzTest {

  private static final Path NAME = Path.of(ConversionState.FILE);

  @FuzzTest(maxDuration = "1m")
  void anyBytes(byte[] file) {
    read(file);
    if (file.length >= 20) {
      byte[] repaired = file.clone();
      ByteBuffer out = ByteBuffer.wrap(repaired).order(ByteOrder.LITTLE_ENDIAN);
      out.putInt(0, 0x56434889).put(4, (byte) 1);
      int end = file.length - Integer.BYTES;
      out.putInt(end, Crc32c.update(0, ByteBuffer.wrap(repaired, 0, end)));
      read(repaired);
    }
  }

  /** What is accepted has one form. */
  private static void read(byte[] file) {
    try {
      if (!Arrays.equals(file, ConversionState.parse(NAME, file).encode())) {
        throw new AssertionError("two forms of one state");
      }
    } catch (CorruptFileException | UnknownFormatVersionException expected) {
      // Refused.
    }
  }
}
