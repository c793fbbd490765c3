/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ColumnCorpusTest {

  private static final int ROWS = 1 << 20;
  private static final int[] WIDTHS = {8, 4, 8, 4, 8, 8};

  @TempDir Path home;

  private static ByteBuffer beginning(Path file, int length) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = FileChannel.open(file)) {
      channel.read(bytes);
    }
    return bytes.flip();
  }

  /** Each column by itself, and all of them row by row. */
  @Test
  void columnsAndRowsHoldTheSameNumbers() throws Exception {
    List<Path> files = new ColumnCorpus(home).files();
    assertThat(files)
        .extracting(file -> file.getFileName().toString())
        .containsExactly(
            "time-8", "sensor-4", "value-8", "quality-4", "traffic-8", "level-8", "rows-40");
    ByteBuffer rows = beginning(files.get(6), 40 * 1000);
    int offset = 0;
    for (int column = 0; column < WIDTHS.length; column++) {
      int width = WIDTHS[column];
      assertThat(Files.size(files.get(column))).isEqualTo((long) ROWS * width);
      ByteBuffer numbers = beginning(files.get(column), width * 1000);
      for (int i = 0; i < 1000; i++) {
        assertThat(numbers.slice(width * i, width)).isEqualTo(rows.slice(40 * i + offset, width));
      }
      offset += width;
    }
    ByteBuffer times = beginning(files.get(0), 16).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(times.getLong(8) - times.getLong(0)).isBetween(0L, 19L);
  }

  @Test
  void whatIsThereIsKept() throws Exception {
    Path file = home.resolve("target/corpus/columns/time-8");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "kept");
    assertThat(new ColumnCorpus(home).files().get(0)).hasContent("kept");
  }
}
