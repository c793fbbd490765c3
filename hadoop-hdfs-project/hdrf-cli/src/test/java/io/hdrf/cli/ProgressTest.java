/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  private String printed() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void plainOutputIsOneLine() {
    try (Progress progress = new Progress(out, false, "Writing", 10, Progress.Unit.BYTES)) {
      progress.add(10);
      progress.done("3 files");
      progress.done("again");
      progress.add(1);
    }
    assertThat(printed()).matches("Writing: 3 files \\(0\\.\\d s\\)\\R");
  }

  @Test
  void aTerminalGetsABarThatGoes() {
    try (Progress progress = new Progress(out, true, "Writing", 100, Progress.Unit.COUNT)) {
      assertThat(printed()).contains("[..............................] 0 of 100");
      progress.done("all");
    }
    assertThat(printed()).contains("\r\033[KWriting: all (").endsWith(")" + System.lineSeparator());
  }

  @Test
  void aStepThatFailsSaysSo() {
    new Progress(out, true, "Writing", 0, Progress.Unit.COUNT).close();
    assertThat(printed()).endsWith("Writing: not finished" + System.lineSeparator());
  }

  @Test
  void sizesAndTimes() {
    assertThat(Sizes.bytes(0)).isEqualTo("0 B");
    assertThat(Sizes.bytes(1023)).isEqualTo("1023 B");
    assertThat(Sizes.bytes(1536)).isEqualTo("1.5 KiB");
    assertThat(Sizes.bytes(Long.MAX_VALUE)).isEqualTo("8192.0 PiB");
    assertThat(Sizes.percent(0.4321)).isEqualTo("43.2 %");
    assertThat(Sizes.seconds(3.44)).isEqualTo("3.4 s");
    assertThat(Sizes.seconds(125.2)).isEqualTo("2:05 min");
  }

  @Test
  void tableIsAligned() {
    new Terminal(out, out, false).table(List.of(List.of("", "blocks"), List.of("DataNode 0", "7")));
    assertThat(printed().lines()).containsExactly("            blocks", "DataNode 0       7");
  }
}
