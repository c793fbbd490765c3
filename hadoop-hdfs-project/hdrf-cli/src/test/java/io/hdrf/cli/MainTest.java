/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MainTest {
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.commandLine().setErr(new PrintWriter(err)).execute(args);
  }

  static Stream<CommandLine> commands() {
    return all(Main.commandLine());
  }

  private static Stream<CommandLine> all(CommandLine command) {
    return Stream.concat(
        Stream.of(command), command.getSubcommands().values().stream().flatMap(MainTest::all));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everythingHasHelp(CommandLine command) {
    assertThat(command.getCommandSpec().usageMessage().description())
        .as(command.getCommandName())
        .isNotEmpty();
    assertThat(command.getCommandSpec().args())
        .allSatisfy(arg -> assertThat(arg.description()).as(arg.toString()).isNotEmpty());
    assertThat(command.getCommandSpec().findOption("--help"))
        .as(command.getCommandName())
        .satisfiesAnyOf(
            option -> assertThat(option).isNotNull(),
            option -> assertThat(command.getCommandName()).isEqualTo("help"));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 2",
    "nonsense, 2",
    "cluster, 2",
    "demo /no/such/directory, 2",
    "cluster start --datanodes 0 --data-dir /no/such, 2",
    "cluster start --datanodes many, 2",
    "test --crash 5 --hadoop TestX, 2",
    "test --crash 5 --store-loss 2, 2",
    "test --power-loss 5 --power-loss-seed 2, 2",
    "test --fuzz 5 --apps, 2",
    "test --fuzz some, 2",
    "test --fuzz 0, 2",
    "test --fuzz -3, 2",
    "test --fuzz NaN, 2",
    "test --compatibility HEAD --lifecycle, 2",
    "demo --metadata nonsense, 2",
    "demo --hadoop 3.2.4, 2",
    "demo --hadoop 3.4.1-amzn-2, 2",
    "cluster start --hadoop 3 --data-dir /no/such, 2",
    "convert --rate lots --data-dir /no/such, 2",
    "convert --rate -1 --data-dir /no/such, 2",
    "inflate --status --stop --data-dir /no/such, 2",
    "verify --fraction 0 --data-dir /no/such, 2",
    "verify --fraction 1.5 --data-dir /no/such, 2",
    "verify --fraction some --data-dir /no/such, 2",
    "convert --rate 50M --data-dir /no/such, 3",
    "inflate --status --json --data-dir /no/such, 3",
    "verify --fraction 0.1 --data-dir /no/such, 3",
    "cluster stop --data-dir /no/such, 3",
    "cluster status --data-dir /no/such, 3",
    "docs, 3",
    "dist, 3",
    "install, 2",
    "install /no/such, 3",
    "uninstall /no/such, 3",
    "uninstall, 2",
    "blocks --worst -3 --data-dir /no/such, 2",
    "blocks --worst 0 --data-dir /no/such, 2",
    "test --lifecycle --crash 5, 2",
    "test --crash-chain dedup, 2",
    "test --crash 5 --crash-chain dedup --apps, 2",
    "test --crash 5 --crash-chain nonsense, 2",
    "test --crash 5 --crash-chain, 2",
    "test --mutation io.hdrf.nonsense, 2",
    "test --crash 5 --mutation io.hdrf.wire, 2",
    "--version, 0",
    "help cluster, 0"
  })
  void exitCodes(String line, int expected) {
    assertThat(run(line.isEmpty() ? new String[0] : line.split(" ")))
        .as(err.toString())
        .isEqualTo(expected);
    assertThat(Files.exists(Path.of("/no"))).isFalse();
    if (expected != 0) {
      assertThat(err.toString()).isNotEmpty().doesNotContain("\tat ");
    }
  }

  @Test
  void aDistributionOffersOnlyWhatWorksThere() {
    assertThat(Main.commandLine().getSubcommands()).containsKeys("test", "corpus", "docs", "dist");
    System.setProperty("hdrf.distribution", "true");
    try {
      assertThat(Main.commandLine().getSubcommands())
          .doesNotContainKeys("test", "corpus", "docs", "dist")
          .containsKeys("install", "blocks", "estimate");
    } finally {
      System.clearProperty("hdrf.distribution");
    }
  }

  @CommandLine.Command(name = "greedy")
  private static final class Greedy implements Runnable {
    @Override
    public void run() {
      throw new OutOfMemoryError("for a test");
    }
  }

  @Test
  void anErrorIsNoDifference() {
    assertThat(Main.run(new CommandLine(new Greedy()))).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void aMissingClusterIsNamed(@TempDir Path directory) {
    run("cluster", "conf", "--data-dir", directory.toString());
    assertThat(err.toString()).contains(directory.toString()).contains("hdrf cluster start");
    assertThat(Files.exists(directory.resolve("cluster.properties"))).isFalse();
  }

  @Test
  void optionsBehindFsAreHadoops() {
    var parsed =
        Main.commandLine().parseArgs("cluster", "fs", "--data-dir", "/x", "-ls", "-h", "/");
    var fs = parsed.subcommand().subcommand();
    assertThat(fs.isUsageHelpRequested()).isFalse();
    assertThat(fs.matchedPositionals().get(0).stringValues()).containsExactly("-ls", "-h", "/");
  }

  @Test
  void hadoopsTestClassesMayBeNamedOrNot() {
    var all = Main.commandLine().parseArgs("test", "--hadoop").subcommand();
    assertThat(all.hasMatchedOption("--hadoop")).isTrue();
    assertThat(selected(all)).isEmpty();
    var two = Main.commandLine().parseArgs("test", "--hadoop", "TestA", "TestB").subcommand();
    assertThat(selected(two)).containsExactly("TestA", "TestB");
    var onOther =
        Main.commandLine()
            .parseArgs("test", "--hadoop", "TestA", "--hadoop-version", "3.4.3")
            .subcommand();
    assertThat(selected(onOther)).containsExactly("--hadoop", "3.4.3", "TestA");
    run("test", "--hadoop-version", "3.4.3");
    assertThat(err.toString()).contains("--hadoop");
    var crash = Main.commandLine().parseArgs("test", "--crash").subcommand();
    int rounds = crash.matchedOptionValue("--crash", 0);
    assertThat(rounds).isEqualTo(100);
    var power = Main.commandLine().parseArgs("test", "--power-loss").subcommand();
    int crashes = power.matchedOptionValue("--power-loss", 0);
    assertThat(crashes).isEqualTo(2000);
    var fuzz = Main.commandLine().parseArgs("test", "--fuzz").subcommand();
    double minutes = fuzz.matchedOptionValue("--fuzz", 0.0);
    assertThat(minutes).isEqualTo(10);
    var loss = Main.commandLine().parseArgs("test", "--store-loss").subcommand();
    int lossRounds = loss.matchedOptionValue("--store-loss", 0);
    assertThat(lossRounds).isEqualTo(1);
    var builds = Main.commandLine().parseArgs("test", "--compatibility").subcommand();
    String commit = builds.matchedOptionValue("--compatibility", "");
    assertThat(commit).matches("[0-9a-f]{40}");
  }

  @Test
  void faultsMayBeNamedOrNot() {
    var all = Main.commandLine().parseArgs("test", "--faults").subcommand();
    assertThat(((TestCommand) all.commandSpec().userObject()).faults()).isEmpty();
    var two = Main.commandLine().parseArgs("test", "--faults", "a", "b").subcommand();
    assertThat(((TestCommand) two.commandSpec().userObject()).faults()).containsExactly("a", "b");
  }

  @Test
  void packagesToMutateMayBeNamedOrNot() {
    assertThat(mutated("test", "--mutation")).isEqualTo(MutatedCode.ALL);
    assertThat(mutated("test", "--mutation", "io.hdrf.volume", "io.hdrf.wire"))
        .extracting(MutatedCode::name)
        .containsExactly("io.hdrf.volume", "io.hdrf.wire");
    assertThat(mutated("test", "--mutation", "io.hdrf.datanode.replica").get(0).command())
        .contains("-Pmutation", "hadoop-hdfs-project/hadoop-hdfs-hdrf")
        .last()
        .asString()
        .startsWith("-DtargetClasses=")
        .contains("io.hdrf.datanode.replica.Inflater,io.hdrf.datanode.replica.Inflater$*");
  }

  @Test
  void theHelpSaysHowManyMutantsAreToBeNoticed() {
    assertThat(Main.commandLine().getSubcommands().get("test").getUsageMessage())
        .contains("fewer than " + MutationScore.GOAL + " % of");
  }

  private static List<MutatedCode> mutated(String... arguments) {
    var parsed = Main.commandLine().parseArgs(arguments).subcommand();
    return ((TestCommand) parsed.commandSpec().userObject()).mutatedCode();
  }

  @ParameterizedTest
  @ValueSource(strings = {"dedup", "dedup,lz4", "dedup,zstd", "store", "lz4"})
  void allCrashRoundsMayHaveOneChain(String chain) {
    var parsed =
        Main.commandLine().parseArgs("test", "--crash", "50", "--crash-chain", chain).subcommand();
    TestCommand command = (TestCommand) parsed.commandSpec().userObject();
    assertThat(command.crashCommand())
        .contains("-Dhdrf.crash.rounds=50", "-Dhdrf.crash.schemes=" + chain);
  }

  @Test
  void crashRoundsHaveAnyChainUnlessOneIsNamed() {
    var parsed = Main.commandLine().parseArgs("test", "--crash").subcommand();
    TestCommand command = (TestCommand) parsed.commandSpec().userObject();
    assertThat(command.crashCommand())
        .contains("-Dhdrf.crash.rounds=100")
        .noneMatch(word -> word.startsWith("-Dhdrf.crash.schemes"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nonsense", "dedup,nonsense", "lz4,dedup", "lz4,lz4", "dedup,", " "})
  void anUnknownCrashChainIsNamed(String chain) {
    assertThat(run("test", "--crash", "5", "--crash-chain", chain)).isEqualTo(2);
    assertThat(err.toString())
        .contains("--crash-chain")
        .contains(
            "no chain \""
                + chain
                + "\"; it has lz4 and store and store,lz4 and dedup and dedup,lz4");
  }

  private static List<String> selected(CommandLine.ParseResult parsed) {
    TestCommand command = (TestCommand) parsed.commandSpec().userObject();
    return command.hadoopArguments();
  }
}
