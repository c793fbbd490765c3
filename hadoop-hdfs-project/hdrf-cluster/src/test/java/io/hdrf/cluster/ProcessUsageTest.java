/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ProcessUsageTest {
  private static final String IO =
      "rchar: 9\nwchar: 9\nread_bytes: 4096\nwrite_bytes: 20480\ncancelled_write_bytes: 8192\n";

  @Test
  void readsFieldsBehindAnAwkwardCommand() throws IOException {
    String stat = "42 (a) b (c) S 1 42 42 0 -1 4194560 1 2 3 4 250 50 0 0 20 0 1 0 99 1 1";
    ProcessUsage usage = ProcessUsage.parse(stat, IO, "Name:\tx\nVmRSS:\t   12 kB\n");
    assertThat(usage.cpuSeconds()).isEqualTo(3.0);
    assertThat(usage.readBytes()).isEqualTo(4096);
    assertThat(usage.writtenBytes()).isEqualTo(20480 - 8192);
    assertThat(usage.residentBytes()).isEqualTo(12 * 1024);
    assertThat(usage.since(new ProcessUsage(1, 96, 288, 5)))
        .isEqualTo(new ProcessUsage(2.0, 4000, 12000, 12 * 1024));
  }

  @Test
  void readsThisProcess() throws IOException {
    ProcessUsage usage = ProcessUsage.of(ProcessHandle.current().pid());
    assertThat(usage.cpuSeconds()).isPositive();
    assertThat(usage.residentBytes()).isGreaterThan(1 << 20);
  }

  @Test
  void saysWhatIsMissing() {
    assertThatThrownBy(() -> ProcessUsage.parse("1 (x) S 1 1 1 0 0 0 0 0 0 0 0 0", "", ""))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("read_bytes");
  }
}
