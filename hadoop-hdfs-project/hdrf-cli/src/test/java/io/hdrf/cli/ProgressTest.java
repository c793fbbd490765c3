/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.TaskProgress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  private long now;

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
  void saysRateAndTimeLeftOfWhatMovedSinceItLooked() {
    // A job that others began: what it did before says nothing about its rate.
    Progress progress = progress("verify", 0, Progress.Unit.BYTES);
    progress.raise(500L << 20, 1000L << 20);
    pass(31);
    progress.raise(500L << 20, 1000L << 20);
    pass(31);
    progress.raise(624L << 20, 1000L << 20);
    assertThat(printed().lines())
        .containsExactly(
            "verify: 500.0 MiB of 1000.0 MiB",
            "verify: 624.0 MiB of 1000.0 MiB, 2.0 MiB/s, 3:08 min left");
  }

  @Test
  void theRateIsThatOfTheLastMinutes() {
    Progress progress = progress("convert", 100_000, Progress.Unit.COUNT);
    progress.set(0);
    for (int i = 1; i <= 3; i++) {
      pass(601);
      progress.set(601L * 10 * i);
    }
    for (int i = 1; i <= 3; i++) {
      pass(601);
      progress.set(601L * 30 + 601L * i);
    }
    assertThat(printed().lines()).last().isEqualTo("convert: 19833 of 100000, 1.0/s, 22:16 h left");
  }

  @Test
  void eachStepHasARateOfItsOwn() {
    Progress progress = progress("gc", 0, Progress.Unit.NONE);
    progress.show(TaskProgress.decode(""));
    progress.show(new TaskProgress("reading", 0, 0, TaskProgress.Unit.COUNT));
    pass(31);
    progress.show(new TaskProgress("reading", 3100, 0, TaskProgress.Unit.COUNT));
    pass(31);
    progress.show(new TaskProgress("rewriting", 1 << 20, 64 << 20, TaskProgress.Unit.BYTES));
    pass(31);
    progress.show(new TaskProgress("rewriting", 32 << 20, 64 << 20, TaskProgress.Unit.BYTES));
    assertThat(printed().lines())
        .containsExactly(
            "gc: reading: 3100, 100/s",
            "gc: rewriting: 1.0 MiB of 64.0 MiB",
            "gc: rewriting: 32.0 MiB of 64.0 MiB, 1.0 MiB/s, 32 s left");
  }

  private Progress progress(String label, long total, Progress.Unit unit) {
    return new Progress(out, false, label, total, unit, () -> now);
  }

  private void pass(long seconds) {
    now += seconds * 1_000_000_000L;
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
