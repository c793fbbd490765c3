/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuLimitTest {
  @TempDir private Path directory;

  @Test
  void findsTheControllerOfEitherVersion() throws IOException {
    String first = "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0";
    String set = "cgroup /sys/fs/cgroup/cpuset cgroup rw,relatime,cpuset 0 0";
    String second = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0";
    assertThat(CpuLimit.hierarchy(List.of(set, second, first)))
        .isEqualTo(Path.of("/sys/fs/cgroup/cpu,cpuacct"));
    assertThat(CpuLimit.hierarchy(List.of(set, second)))
        .isEqualTo(Path.of("/sys/fs/cgroup/unified"));
    assertThatThrownBy(() -> CpuLimit.hierarchy(List.of(set))).isInstanceOf(ClusterException.class);
  }

  @Test
  void writesWhatTheSecondVersionWants() throws IOException {
    Files.createFile(directory.resolve("cgroup.controllers"));
    CpuLimit limit = CpuLimit.create(directory, 1.5);
    Path group = Path.of(limit.command().get(4)).getParent();
    assertThat(group).hasParent(directory);
    assertThat(group.resolve("cpu.max")).hasContent("30000 20000");
    assertThat(directory.resolve("cgroup.subtree_control")).hasContent("+cpu");
  }

  @Test
  void refusesTooLittle() {
    assertThatThrownBy(() -> CpuLimit.create(directory, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CpuLimit.create(directory, Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void limitsAProcess() throws Exception {
    CpuLimit limit;
    try {
      limit = CpuLimit.create(0.25);
    } catch (ClusterException e) {
      assumeTrue(false, e.getMessage());
      return;
    }
    Path group = Path.of(limit.command().get(4)).getParent();
    List<String> command = new ArrayList<>(limit.command());
    command.addAll(List.of("sh", "-c", "while :; do :; done"));
    Process busy = new ProcessBuilder(command).inheritIO().start();
    try {
      long began = System.nanoTime();
      Thread.sleep(2000);
      double seconds = ProcessUsage.of(busy.pid()).cpuSeconds();
      double share = seconds / ((System.nanoTime() - began) / 1e9);
      assertThat(share).isGreaterThan(0).isLessThan(0.4);
    } finally {
      busy.destroyForcibly().waitFor();
      limit.close();
    }
    assertThat(group).doesNotExist();
  }
}
