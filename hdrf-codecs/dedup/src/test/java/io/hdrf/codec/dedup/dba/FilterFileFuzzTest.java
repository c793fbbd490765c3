/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.io.BytesFile;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * Reads any bytes as a filter's file. Runs on the kept inputs; with {@code JAZZER_FUZZ=1} and one
 * method chosen, it looks for new ones.
 */
class FilterFileFuzzTest {

  private static final Path NAME = Path.of("filter-00000001.hbf");
  private static final int HEADER = 32;

  @FuzzTest(maxDuration = "1m")
  void anyBytes(byte[] file) throws IOException {
    read(file);
  }

  /** With the right magic and CRCs of the head, to reach the code after these checks. */
  @FuzzTest(maxDuration = "1m")
  void checkedBytes(byte[] file) throws IOException {
    if (file.length < HEADER) {
      return;
    }
    byte[] repaired = file.clone();
    ByteBuffer out = ByteBuffer.wrap(repaired).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0, 0x46424889).put(4, (byte) 1);
    out.putInt(HEADER - 4, Crc32c.update(0, ByteBuffer.wrap(repaired, 0, HEADER - 4)));
    int table = 12 * (out.getShort(6) & 0xFFFF);
    if (HEADER + table + 4 <= repaired.length) {
      out.putInt(HEADER + table, Crc32c.update(0, ByteBuffer.wrap(repaired, HEADER, table)));
    }
    read(repaired);
  }

  private static void read(byte[] bytes) throws IOException {
    try (BytesFile file = new BytesFile(bytes)) {
      FilterFile.readHeader(NAME, file).readRows(NAME, file);
    } catch (CorruptFileException | UnknownFormatVersionException expected) {
      // Refused.
    }
  }
}
