/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessorLoadTest {

  @TempDir private Path directory;
  private Path stat;
  private ProcessorLoad load;

  @BeforeEach
  void open() throws IOException {
    stat = directory.resolve("stat");
    load = new ProcessorLoad(stat);
    write("cpu  100 10 20 5000 30 1 2 3 7 8");
  }

  private void write(String line) throws IOException {
    Files.writeString(stat, line + "\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 99\n");
  }

  @Test
  void idleAndWaitingTimeIsNotBusy() throws IOException {
    BooleanSupplier busy = load.beginFull();
    BooleanSupplier half = load.beginHalf();
    write("cpu  180 10 20 5010 40 1 2 3 7 8");
    assertThat(busy.getAsBoolean()).isFalse();
    write("cpu  180 12 40 5005 35 21 12 43 7 8");
    assertThat(busy.getAsBoolean()).isTrue();
    // As the Reducer's threads, which give way.
    write("cpu  180 92 40 5005 35 21 12 43 7 8");
    assertThat(busy.getAsBoolean()).isFalse();
    assertThat(half.getAsBoolean()).isTrue();
    write("cpu  180 92 40 5200 150 21 12 43 7 8");
    assertThat(half.getAsBoolean()).isFalse();
  }

  @Test
  void aShortTimeTellsNothing() throws IOException {
    BooleanSupplier busy = load.beginFull();
    write("cpu  100 10 20 5009 30 1 2 3 7 8");
    assertThat(busy.getAsBoolean()).isTrue();
    write("cpu  100 10 20 5010 30 1 2 3 7 8");
    assertThat(busy.getAsBoolean()).isFalse();
  }

  @Test
  void whereNothingIsToldNobodyIsBusy() throws IOException {
    BooleanSupplier busy = load.beginFull();
    write("cpu  180 x");
    assertThat(busy.getAsBoolean()).isFalse();
    Files.delete(stat);
    assertThat(busy.getAsBoolean()).isFalse();
    assertThat(load.beginFull().getAsBoolean()).isFalse();
  }

  /**
   * Where the kernel told nothing, no look would say yes; two of a moment do, which tell nothing.
   */
  @Test
  void thisKernelTells() {
    assertThat(
            IntStream.range(0, 1000)
                .anyMatch(look -> new ProcessorLoad().beginFull().getAsBoolean()))
        .isTrue();
  }
}
