/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Stock HDFS against HDRF: the same machine and data, alternating, as separate processes. */
@Command(
    name = "side-by-side",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Writes and reads a file of source text on stock HDFS and on HDRF in turn, and prints"
            + " medians and the median of the paired ratios as Markdown. The baseline has none of"
            + " the settings that --conf and -D make.")
public final class SideBySide implements Callable<Integer> {

  private static final Path WORK = Directories.work("side-by-side");

  /** Half of the time between two looks at whether all is reduced. */
  private static final Duration METRICS_PERIOD = Duration.ofMillis(10);

  @Option(names = "--pairs", defaultValue = "5", description = "Paired rounds (${DEFAULT-VALUE}).")
  private int pairs;

  @Option(
      names = "--warm-up",
      defaultValue = "8",
      description =
          "Rounds before them on each side, of a quarter of the size: a DataNode runs for weeks, and"
              + " one that has just started spends a quarter of its time on compiling"
              + " (${DEFAULT-VALUE}).")
  private int warmUps;

  @Option(
      names = "--size-mb",
      defaultValue = "2000",
      description = "The file's size in MB (${DEFAULT-VALUE}).")
  private long megabytes;

  @Option(
      names = "--replication",
      split = ",",
      defaultValue = "1,3",
      description = "Replication; as many DataNodes are started (${DEFAULT-VALUE}).")
  private List<Integer> replications;

  @Option(
      names = "--against",
      split = ":",
      defaultValue = "lz4:none:stock",
      description =
          "What to compare, separated by colons: chains, 'none' (HDRF without a scheme) or 'stock'"
              + " (${DEFAULT-VALUE}). CHAIN@STORE sets the metadata store too, as lz4@redis.")
  private List<String> variants;

  @Option(
      names = "--baseline",
      defaultValue = BenchmarkCluster.STOCK,
      description = "What to compare with, in the same form (${DEFAULT-VALUE}).")
  private String reference;

  @Option(
      names = "--fresh",
      description =
          "Write other bytes in each round, and in each pass of the text within a round, so that"
              + " deduplication finds within a pass only; they compress alike.")
  private boolean fresh;

  @Option(
      names = "--hadoop",
      defaultValue = "",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description =
          "The daemons' version, where HDRF is not built with it; its jars are those that 'bin/hdrf"
              + " demo --hadoop' has fetched.")
  private String hadoop;

  @Option(
      names = "--data",
      paramLabel = "FILE",
      description =
          "Write this file, as often as the size asks for, instead of versions of a source tree.")
  private Path file;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description =
          "Where the files of what is compared are, on another file system for instance"
              + " (target/side-by-side).")
  private Path directory;

  /** Of what is compared, not of the baseline. */
  @Mixin private Settings settings;

  @Mixin private Report report;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new SideBySide()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    byte[] data = file == null ? Inputs.text() : Files.readAllBytes(file);
    checkFreshData(data.length);
    for (int replication : replications) {
      for (String variant : variants) {
        report.print(compare(replication, variant, data));
      }
    }
    return 0;
  }

  private void checkFreshData(int textLength) {
    long length = megabytes * 1_000_000;
    long passes =
        (long) warmUps * RoundData.passes(length / 4, textLength)
            + (long) pairs * RoundData.passes(length, textLength);
    if (fresh && passes > RoundData.MAX_PASSES) {
      throw new CommandLine.ParameterException(
          new CommandLine(this),
          "--fresh: rounds of so many megabytes take "
              + passes
              + " passes of the text; there are "
              + RoundData.MAX_PASSES
              + " that differ");
    }
  }

  private String compare(int replication, String variant, byte[] data) throws Exception {
    long length = megabytes * 1_000_000;
    List<Figures> baseline = new ArrayList<>();
    List<Figures> others = new ArrayList<>();
    ClusterConfig compared =
        settings.addTo(
            config(directory == null ? WORK : directory, "variant", replication, variant));
    try (Side stock = new Side(config(WORK, "baseline", replication, reference));
        Side other = new Side(compared)) {
      RoundData rounds = new RoundData(data, fresh);
      for (int i = 0; i < warmUps; i++) {
        rounds.next(length / 4);
        stock.round(rounds, length / 4);
        other.round(rounds, length / 4);
      }
      for (int pair = 0; pair < pairs; pair++) {
        rounds.next(length);
        // Each side goes first in half of the pairs.
        if (pair % 2 == 0) {
          baseline.add(stock.round(rounds, length));
          others.add(other.round(rounds, length));
        } else {
          others.add(other.round(rounds, length));
          baseline.add(stock.round(rounds, length));
        }
        System.err.printf(
            "replication %d, %s: pair %d of %d%n", replication, variant, pair + 1, pairs);
      }
    }
    return table(replication, variant, baseline, others);
  }

  private ClusterConfig config(Path work, String name, int replication, String variant) {
    return BenchmarkCluster.config(work.resolve(name), variant, replication, replication)
        .withHadoop(hadoop)
        .withMetricsPeriod(METRICS_PERIOD);
  }

  private String table(
      int replication, String variant, List<Figures> baseline, List<Figures> compared)
      throws IOException {
    java.io.StringWriter text = new java.io.StringWriter();
    PrintWriter printer = new PrintWriter(text);
    printer.printf(
        Locale.ROOT,
        "### %s%sReplication %d, %s, %d MB, %d pairs%s%n%n",
        file == null ? "" : file.getFileName() + ": ",
        hadoop.isEmpty() ? "" : "Hadoop " + hadoop + ", ",
        replication,
        variant.equals(reference) && directory == null ? variant + " against itself" : variant,
        megabytes,
        pairs,
        settings.heading());
    printer.printf("| | %s | %s | ratio | pairs |%n|---|---|---|---|---|%n", reference, variant);
    printer.print(Figures.rows(compared, baseline));
    return text.toString();
  }
}
