/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hdrf test}. */
@Command(
    name = "test",
    mixinStandardHelpOptions = true,
    description = "Run HDRF's test suite in its source tree.")
final class TestCommand implements Callable<Integer> {
  private static final String CRASH_MODULE = ":hdrf-crash-tests";
  private static final String CRASH_TEST = "io.hdrf.crash.CrashTest";
  private static final String STORE_LOSS_TEST = "io.hdrf.crash.StoreLossTest";

  private static final String POWER_LOSS_MODULE = ":hdrf-codec-dedup";
  private static final String POWER_LOSS_TEST = "io.hdrf.codec.dedup.PowerMachineTest";

  /** Two modules at a time, where they don't need each other: most tests wait. */
  private static final List<String> SUITE = List.of("mvn", "-B", "-ntp", "-T", "2", "verify");

  private static final String HADOOP_TESTS = "hadoop-hdfs-project/hadoop-tests/run";

  /** After {@link #SUITE}, which compiles what these need; their daemons wait, too. */
  private static final List<String> QUICK_HADOOP_TESTS =
      List.of("--quick", "--built", "--forks", "3");

  private static final String FAULTS = "faults/run";

  private static final int MAX_FUZZ_MINUTES = 10_000;

  private static final String COMPATIBILITY = "hadoop-hdfs-project/hdrf-crash-tests/compatibility";

  /** An earlier build whose DataNodes and volumes today's build must work with. */
  private static final String LAST_WITHOUT_ORDER = "e551c68b546ecd236082e51ea5074d5d388873ea";

  private static final List<String> LIFECYCLE =
      List.of(
          "mvn",
          "-B",
          "-ntp",
          "-pl",
          ":hdrf-lifecycle-tests",
          "-am",
          "package",
          "-Dtest=io.hdrf.lifecycle.*Test",
          "-Dsurefire.failIfNoSpecifiedTests=false",
          "-Dhdrf.lifecycle.full=true");

  @Spec private CommandSpec spec;

  @ArgGroup private Selection selection;

  static final class Selection {
    @ArgGroup(exclusive = false)
    private HadoopTests hadoop;

    @ArgGroup(exclusive = false)
    private Crash crash;

    @Option(
        names = "--power-loss",
        arity = "0..1",
        fallbackValue = "2000",
        paramLabel = "CRASHES",
        description = {
          "Power losses at random operations of HDRF's files, while threads write, reduce, move and",
          "delete blocks and collect: so many, ${FALLBACK-VALUE} if none are given. What an error",
          "says of its seed repeats it: --power-loss-seed."
        })
    private Integer powerLoss;

    @Option(
        names = "--power-loss-seed",
        paramLabel = "SEED",
        description = "Repeats what an error of --power-loss says the seed of.")
    private Long powerLossSeed;

    @Option(
        names = "--store-loss",
        arity = "0..1",
        fallbackValue = "1",
        paramLabel = "ROUNDS",
        description = {
          "Kill, empty, freeze, fill and damage metadata stores while files are written, for longer",
          "than the suite does: so many rounds, ${FALLBACK-VALUE} if none are given."
        })
    private Integer storeLoss;

    @Option(
        names = "--fuzz",
        arity = "0..1",
        fallbackValue = "10",
        paramLabel = "MINUTES",
        description = {
          "Let Jazzer look for inputs that break what reads bytes of others: all fuzz targets in",
          "turns, so many minutes in all, ${FALLBACK-VALUE} if none are given. What breaks one is",
          "kept where the suite replays it."
        })
    private Double fuzz;

    @Option(
        names = "--apps",
        description = {
          "MapReduce, Streaming, TestDFSIO, Spark and DistCp on stock HDFS and on HDRF:",
          "the same outputs, and a table of times and bytes (benchmarks/applications)."
        })
    private boolean apps;

    @Option(
        names = "--lifecycle",
        description = {
          "A cluster from stock to HDRF and back, node by node, under a reader and writers, with three",
          "DataNodes and a job, for longer than the suite does."
        })
    private boolean lifecycle;

    @Option(
        names = "--faults",
        arity = "0..*",
        paramLabel = "NAME",
        description = {
          "Plant faults, an fsync or a check left out, into a copy of the sources one by one, and",
          "demand that a test fails for each: those named, or all (faults/README.md)."
        })
    private List<String> faults;

    @Option(
        names = "--mutation",
        arity = "0..*",
        paramLabel = "PACKAGE",
        converter = MutatedCode.Converter.class,
        fallbackValue = "",
        description = {
          "Mutation tests of the packages in which data or security can be lost: those named, or all.",
          "Fails if the tests notice fewer than "
              + MutationScore.GOAL
              + " %% of a package's mutants; the figures go into",
          "docs/mutation.md. Hours."
        })
    private List<MutatedCode> mutation;

    @Option(
        names = "--compatibility",
        arity = "0..1",
        fallbackValue = LAST_WITHOUT_ORDER,
        paramLabel = "COMMIT",
        description = {
          "Builds HDRF as of a commit of this clone's history, without the network, and has its",
          "DataNodes and today's share clusters and each other's volumes. Default: the last one before",
          "records had their places in a stream."
        })
    private String compatibility;
  }

  static final class HadoopTests {
    @Option(
        names = "--hadoop",
        required = true,
        arity = "0..*",
        paramLabel = "CLASS",
        description = "Hadoop's own test classes under HDRF: those named, or all.")
    private List<String> classes;

    @Option(
        names = "--hadoop-version",
        paramLabel = "VERSION",
        description = {
          "The version of Hadoop that these are of and run on: 3.1.4, 3.3.6, 3.4.3 or 3.5.0.",
          "Default: 3.1.4."
        })
    private String version;
  }

  static final class Crash {
    @Option(
        names = "--crash",
        required = true,
        arity = "0..1",
        fallbackValue = "100",
        paramLabel = "ROUNDS",
        description = {
          "kill -9 of DataNodes at random moments while files are written:",
          "so many rounds, ${FALLBACK-VALUE} if none are given."
        })
    private int rounds;

    @Option(
        names = "--crash-chain",
        paramLabel = "CHAIN",
        converter = CrashChain.class,
        description = {
          "The chain of all these rounds, such as dedup or dedup,lz4.",
          "Default: in each round another one, by chance."
        })
    private String chain;
  }

  /** Returns what {@code --hadoop} gives to the script: with no class it runs all. */
  List<String> hadoopArguments() {
    List<String> arguments = new ArrayList<>();
    if (selection.hadoop.version != null) {
      arguments.addAll(List.of("--hadoop", selection.hadoop.version));
    }
    arguments.addAll(named(selection.hadoop.classes));
    return arguments;
  }

  /** Returns the faults named with {@code --faults}; none means all. */
  List<String> faults() {
    return named(selection.faults);
  }

  private static List<String> named(List<String> values) {
    return values.stream().filter(name -> !name.isEmpty()).toList();
  }

  @Override
  public Integer call() throws IOException {
    if (selection != null && selection.fuzz != null) {
      return fuzz(selection.fuzz);
    }
    Path home = Home.directory();
    if (selection != null && selection.hadoop != null) {
      return run(home, command(home, HADOOP_TESTS, hadoopArguments()));
    }
    if (selection != null && selection.faults != null) {
      return run(home, command(home, FAULTS, faults()));
    }
    if (selection != null && selection.crash != null) {
      return run(home, crashCommand());
    }
    if (selection != null && selection.powerLoss != null) {
      return run(home, powerLossTest("hdrf.power.crashes", selection.powerLoss));
    }
    if (selection != null && selection.powerLossSeed != null) {
      return run(home, powerLossTest("hdrf.power.seed", selection.powerLossSeed));
    }
    if (selection != null && selection.storeLoss != null) {
      return run(home, crashTest(STORE_LOSS_TEST, "hdrf.loss.rounds", selection.storeLoss));
    }
    if (selection != null && selection.apps) {
      return run(home, List.of(script(home, "benchmarks/applications")));
    }
    if (selection != null && selection.lifecycle) {
      return run(home, LIFECYCLE);
    }
    if (selection != null && selection.mutation != null) {
      return mutate(home, mutatedCode());
    }
    if (selection != null && selection.compatibility != null) {
      return run(home, command(home, COMPATIBILITY, List.of(selection.compatibility)));
    }
    int status = run(home, SUITE);
    return status == ExitCode.OK
        ? run(home, command(home, HADOOP_TESTS, QUICK_HADOOP_TESTS))
        : status;
  }

  /** Returns the packages named with {@code --mutation}; none means all. */
  List<MutatedCode> mutatedCode() {
    List<MutatedCode> named = selection.mutation.stream().filter(Objects::nonNull).toList();
    return named.isEmpty() ? MutatedCode.ALL : named;
  }

  private static int mutate(Path home, List<MutatedCode> codes) throws IOException {
    int status = ExitCode.OK;
    // Read before the first row changes the page.
    String commit = commit(home);
    for (MutatedCode code : codes) {
      Path report = home.resolve(code.module()).resolve("target/pit-reports/mutations.xml");
      Files.deleteIfExists(report);
      if (run(home, code.command()) != ExitCode.OK) {
        return ExitCode.FAILED;
      }
      MutationScore score = MutationScore.read(report);
      String row = score.row(code.name(), commit, LocalDate.now(ZoneOffset.UTC).toString());
      MutationPage.put(home.resolve(MutationPage.FILE), code.name(), row);
      System.out.println(row);
      if (!score.reachesGoal()) {
        status = ExitCode.DIFFERENT;
      }
    }
    return status;
  }

  /** Returns the checked-out commit, and whether files differ from it. */
  private static String commit(Path home) throws IOException {
    Process git =
        new ProcessBuilder("git", "describe", "--always", "--dirty", "--exclude=*")
            .directory(home.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    return commit.isEmpty() ? "-" : commit;
  }

  /** Returns the command that {@code --crash} runs. */
  List<String> crashCommand() {
    List<String> command =
        new ArrayList<>(crashTest(CRASH_TEST, "hdrf.crash.rounds", selection.crash.rounds));
    if (selection.crash.chain != null) {
      command.add("-Dhdrf.crash.schemes=" + selection.crash.chain);
    }
    return command;
  }

  private static List<String> crashTest(String test, String key, int rounds) {
    return List.of(
        "mvn",
        "-B",
        "-ntp",
        "-pl",
        CRASH_MODULE,
        "-am",
        "package",
        "-Dtest=" + test,
        "-Dsurefire.failIfNoSpecifiedTests=false",
        // As in production: DataNodes with all of HotSpot's compilers.
        "-Dhdrf.cluster.jvm.flags=",
        "-D" + key + "=" + rounds);
  }

  private static List<String> powerLossTest(String key, long value) {
    return List.of(
        "mvn",
        "-B",
        "-ntp",
        "-pl",
        POWER_LOSS_MODULE,
        "-am",
        "package",
        "-Dtest=" + POWER_LOSS_TEST,
        "-Dsurefire.failIfNoSpecifiedTests=false",
        "-D" + key + "=" + value);
  }

  private static List<String> command(Path home, String script, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(script(home, script));
    command.addAll(arguments);
    return command;
  }

  private int fuzz(double minutes) throws IOException {
    if (!(minutes > 0 && minutes <= MAX_FUZZ_MINUTES)) {
      throw new ParameterException(
          spec.commandLine(), "--fuzz: minutes above 0 and up to " + MAX_FUZZ_MINUTES);
    }
    try {
      return new FuzzRun(Home.directory(), System.out).run(minutes);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("Interrupted", e);
    }
  }

  private static String script(Path home, String name) throws IOException {
    Path script = home.resolve(name);
    if (!Files.isExecutable(script)) {
      throw new ClusterException("No " + script);
    }
    return script.toString();
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
