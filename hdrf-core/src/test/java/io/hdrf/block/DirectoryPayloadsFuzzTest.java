/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads any bytes as payloads of a directory. Runs on the kept inputs; with {@code JAZZER_FUZZ=1}
 * it looks for new ones.
 */
class DirectoryPayloadsFuzzTest {

  private static final Path NAME = Path.of("current.hdp");
  private static final int SCHEME = 3;
  private static final long VOLUME = 7;
  private static final int HEADER = 28;
  private static final int CRC = 4;

  @FuzzTest(maxDuration = "1m")
  void anyBytes(byte[] file) throws IOException {
    read(file);
    if (file.length >= HEADER + CRC) {
      byte[] repaired = file.clone();
      ByteBuffer out = ByteBuffer.wrap(repaired).order(ByteOrder.LITTLE_ENDIAN);
      out.putInt(0x4C504889).put((byte) 1).put((byte) 0).putShort((short) SCHEME).putLong(VOLUME);
      out.putInt(file.length - HEADER - CRC).putInt(file[20] & 7).putInt(0);
      int end = file.length - CRC;
      out.putInt(end, Crc32c.update(0, ByteBuffer.wrap(repaired, 0, end)));
      read(repaired);
    }
  }

  /** What is accepted has one form, and all of it can be shown. */
  private static void read(byte[] file) throws IOException {
    DirectoryPayloads payloads;
    try {
      payloads = DirectoryPayloads.parse(NAME, file, SCHEME, VOLUME);
    } catch (CorruptFileException | UnknownFormatVersionException expected) {
      return;
    }
    for (long blockId : payloads.blockIds()) {
      payloads.show(blockId, (id, length, payload) -> {});
    }
    byte[] again = payloads.encode();
    if (again != null && !Arrays.equals(file, again)) {
      throw new AssertionError("two forms of one content");
    }
  }
}
