/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.io.BytesFile;
import io.hdrf.jni.Crc32c;
import io.hdrf.jni.CuckooTable;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Path;

/**
 * Reads any bytes as saved places, and uses them. Runs on the kept inputs; with {@code
 * JAZZER_FUZZ=1} and one method chosen, it looks for new ones.
 */
class PlacesFileFuzzTest {

  private static final int MOST_LOG2 = 6;

  private final PlacesFile file =
      new PlacesFile(Path.of(PlacesFile.NAME), LocalDurableFiles.INSTANCE, 0, 32);

  @FuzzTest(maxDuration = "1m")
  void anyBytes(byte[] bytes) throws IOException {
    read(bytes);
  }

  /** With the right magic, version, sample, length and CRCs, to reach the code behind. */
  @FuzzTest(maxDuration = "1m")
  void checkedBytes(byte[] bytes) throws IOException {
    if (bytes.length < PlacesFile.HEADER_LENGTH) {
      return;
    }
    byte[] repaired = new byte[56 + (32 << (bytes[6] & 7))];
    System.arraycopy(bytes, 0, repaired, 0, Math.min(bytes.length, repaired.length));
    ByteBuffer out = ByteBuffer.wrap(repaired).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0, PlacesFile.MAGIC).put(4, (byte) PlacesFile.VERSION).put(5, (byte) 32);
    out.put(6, (byte) (bytes[6] & 7)).putLong(8, 0);
    out.put(32, (byte) (repaired[32] | 1)).put(40, (byte) (repaired[40] | 1));
    out.putInt(48, Crc32c.update(0, ByteBuffer.wrap(repaired, 0, 48)));
    int end = repaired.length - 4;
    out.putInt(end, Crc32c.update(0, ByteBuffer.wrap(repaired, 52, end - 52)));
    read(repaired);
  }

  private void read(byte[] bytes) throws IOException {
    CuckooTable table = null;
    try (BytesFile in = new BytesFile(bytes)) {
      PlacesFile.Header header = file.readHeader(in, MOST_LOG2);
      table = new CuckooTable(header.bucketsLog2);
      file.readSlots(in, table, Throttle.NONE);
      use(table);
    } catch (CorruptFileException | UnknownFormatVersionException expected) {
      // Refused.
    } finally {
      if (table != null) {
        table.free();
      }
    }
  }

  private static void use(CuckooTable table) {
    LongBuffer hashes = CuckooTable.longs(100);
    LongBuffer values = CuckooTable.longs(100);
    for (int i = 0; i < 100; i++) {
      hashes.put(i, i * 0x9E3779B97F4A7C15L);
    }
    table.find(hashes, 100, values);
    table.put(hashes, values, 100);
    table.makeTwice();
    table.makeOld();
    table.find(hashes, 100, values);
    table.dropOld();
    table.halve();
  }
}
