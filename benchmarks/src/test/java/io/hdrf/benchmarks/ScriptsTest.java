/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts that do more than launch a JVM. */
class ScriptsTest {

  private static final Path BLKIO = Path.of("/sys/fs/cgroup/blkio");
  private static final int MEGABYTE = 1_000_000;

  private record Result(int status, String output) {}

  @TempDir private Path directory;

  private static Result run(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(words));
    command.set(0, Path.of("").toAbsolutePath().resolve(words[0]).toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  @ParameterizedTest
  @ValueSource(strings = {"kinds", "sets", "throttled", "chunker-tables", "cuckoo"})
  void helpTellsHowToCallIt(String script) throws Exception {
    Result result = run(script, "--help");
    assertThat(result.status()).isZero();
    assertThat(result.output()).startsWith("Usage: benchmarks/" + script);
  }

  @Test
  void kindsRefusesWhatItDoesNotHave() throws Exception {
    assertThat(run("kinds", "--kinds", "text,films"))
        .isEqualTo(new Result(2, "kinds: no such kind: films\n"));
    assertThat(run("kinds", "--btrfs", "lz4"))
        .isEqualTo(new Result(2, "kinds: btrfs has no such compression: lz4\n"));
    assertThat(run("kinds", "--size").output()).contains("--size");
  }

  @Test
  void setsRefusesWhatItDoesNotHave() throws Exception {
    assertThat(run("sets", "--sets", "logs,films"))
        .isEqualTo(new Result(2, "sets: no such set: films\n"));
    assertThat(run("sets", "--size-mb", "0"))
        .isEqualTo(new Result(2, "sets: --size-mb: 0 is not a number from 1 to 99999\n"));
  }

  @Test
  void throttledRefusesWhatIsNoRateOrDirectory() throws Exception {
    assertThat(run("throttled", "0", ".", "true"))
        .isEqualTo(new Result(2, "throttled: MB_PER_SECOND: 0 is not a number from 1 to 99999\n"));
    assertThat(run("throttled", "1", "/no/such", "true"))
        .isEqualTo(new Result(2, "throttled: no such directory: /no/such\n"));
    assertThat(run("throttled", "1", ".").status()).isEqualTo(2);
  }

  @Test
  void throttledLimitsReadsAndLeavesNothing() throws Exception {
    assumeTrue(Files.isWritable(BLKIO), "no control groups of version 1 that can be changed");
    Path file = directory.resolve("file");
    Files.write(file, new byte[8 * MEGABYTE]);
    PageCache.sync();
    Result disk = run("throttled", "99999", directory.toString(), "true");
    assumeTrue(disk.status() == 0, disk.output());

    long began = System.nanoTime();
    Result read =
        run(
            "throttled",
            "4",
            directory.toString(),
            "dd",
            "if=" + file,
            "of=/dev/null",
            "bs=1M",
            "iflag=direct",
            "status=none");
    double seconds = (System.nanoTime() - began) / 1e9;
    assertThat(read).isEqualTo(new Result(0, ""));
    assertThat(seconds).isGreaterThan(1.2);
    assertThat(run("throttled", "4", directory.toString(), "sh", "-c", "exit 7").status())
        .isEqualTo(7);
    try (DirectoryStream<Path> left = Files.newDirectoryStream(BLKIO, "hdrf-throttled-*")) {
      assertThat(left).isEmpty();
    }
  }
}
