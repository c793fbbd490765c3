/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hdrf test}. */
@Command(
    name = "test",
    mixinStandardHelpOptions = true,
    description = "Run HDRF's test suite in its source tree.")
final class TestCommand implements Callable<Integer> {
  /** Kills a DataNode process again and again while a writer and the Reducer work. */
  private static final String CRASH_MODULE = "hadoop-hdfs-project/hdrf-crash-tests";

  private static final String CRASH_TEST = "CrashTest";

  @ArgGroup private Selection selection;

  static final class Selection {
    @Option(
        names = "--hadoop",
        arity = "0..*",
        paramLabel = "CLASS",
        description = "Hadoop's own test classes under HDRF: those named, or all.")
    private List<String> hadoop;

    @Option(
        names = "--crash",
        arity = "0..1",
        fallbackValue = "100",
        paramLabel = "ROUNDS",
        description = "kill -9 of a DataNode at random moments (${FALLBACK-VALUE} rounds).")
    private Integer crash;
  }

  @Override
  public Integer call() throws IOException {
    Path home = Home.directory();
    if (selection != null && selection.hadoop != null) {
      return run(home, hadoopTests(home, selection.hadoop));
    }
    if (selection != null && selection.crash != null) {
      return run(home, crashTest(selection.crash));
    }
    int status = run(home, List.of("mvn", "-B", "-ntp", "verify"));
    return status == ExitCode.OK ? run(home, hadoopTests(home, List.of("--quick"))) : status;
  }

  private static List<String> crashTest(int rounds) {
    return List.of(
        "mvn",
        "-B",
        "-ntp",
        "-pl",
        CRASH_MODULE,
        "-am",
        "package",
        "-Dtest=" + CRASH_TEST,
        "-Dsurefire.failIfNoSpecifiedTests=false",
        "-Dhdrf.crash.rounds=" + rounds);
  }

  private static List<String> hadoopTests(Path home, List<String> arguments) throws IOException {
    Path script = home.resolve("hadoop-hdfs-project/hadoop-tests/run");
    if (!Files.isExecutable(script)) {
      throw new ClusterException("No " + script);
    }
    List<String> command = new ArrayList<>();
    command.add(script.toString());
    arguments.stream().filter(argument -> !argument.isEmpty()).forEach(command::add);
    return command;
  }

  private static int run(Path home, List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).directory(home.toFile()).inheritIO().start();
    try {
      return process.waitFor() == 0 ? ExitCode.OK : ExitCode.DIFFERENT;
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new ClusterException("Interrupted", e);
    }
  }
}
