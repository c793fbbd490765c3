/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.corpus.SourceCorpus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Versions of a source tree are written, most are deleted, and their chunks collected. */
@Command(
    name = "collection",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes versions of a source tree, deletes all but the last ones, collects what they alone"
          + " needed, and prints what is left beside a fresh cluster with only those kept, bytes"
          + " rewritten for each byte freed, and what writing costs meanwhile.",
      "",
      "One DataNode. A collection runs as 'hdrf gc' with a minimum age of 0, on a DataNode that has"
          + " not been restarted since the versions were written. What is on disk in the end is"
          + " measured after a restart, so that containers are sealed and the index is written.",
      ""
    })
public final class CollectionBenchmark implements Callable<Integer> {

  /** The name of files that are written and deleted only to measure the cost of writing. */
  static final String PROBE = "probe";

  /** Enough that the client's waiting for a late block report, 0.4 s, does not show. */
  private static final int WRITES_ALONE = 9;

  @Option(
      names = "--chain",
      defaultValue = "dedup,zstd",
      description = "HDRF's chain (${DEFAULT-VALUE}).")
  private String chain;

  @Option(
      names = "--live-percent",
      split = ",",
      defaultValue = "95,75",
      description =
          "Values of hdrf.dedup.gc.live.percent, each on clusters of its own (${DEFAULT-VALUE}).")
  private List<Integer> livePercents;

  @Option(
      names = "--rate",
      defaultValue = "0",
      description = "hdrf.dedup.gc.rate, bytes per second; 0: no limit (${DEFAULT-VALUE}).")
  private String rate;

  @Option(
      names = "--container-size",
      defaultValue = "256m",
      description = "hdrf.dedup.container.size (${DEFAULT-VALUE}).")
  private String containerSize;

  @Option(names = "--keep", defaultValue = "2", description = "Versions kept (${DEFAULT-VALUE}).")
  private int keep;

  @Option(
      names = "--versions",
      split = ",",
      description = "Versions of Hadoop (those of benchmarks/data/twenty-versions.txt).")
  private List<String> versions;

  @Mixin private Settings settings;

  @Mixin private Report report;

  @Spec private CommandSpec command;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new CollectionBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    SourceCorpus corpus = new SourceCorpus(Directories.home());
    if (versions == null) {
      versions = corpus.versions("twenty-versions.txt");
    }
    if (keep < 1 || keep >= versions.size()) {
      throw new CommandLine.ParameterException(
          command.commandLine(), "--keep: from 1 to one less than there are versions");
    }
    List<Path> tars = new ArrayList<>();
    for (String version : versions) {
      tars.add(corpus.file(version));
    }
    for (int livePercent : livePercents) {
      report.print(format(livePercent, measure(tars, livePercent)));
    }
    return 0;
  }

  private String format(int livePercent, Figures figures) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "### %s, %d versions, %d kept, hdrf.dedup.gc.live.percent %d, containers of %s%s%n%n| | |%n|---|---|%n",
            chain,
            versions.size(),
            keep,
            livePercent,
            containerSize,
            settings.heading()));
    figures
        .values()
        .forEach(
            (name, value) ->
                text.append(String.format(Locale.ROOT, "| %s | %.3f |%n", name, value)));
    return text.toString();
  }

  private Figures measure(List<Path> tars, int livePercent) throws Exception {
    List<Path> kept = tars.subList(tars.size() - keep, tars.size());
    Path work = Directories.work("collection");
    Figures figures = new Figures();
    double logical = 0;
    for (Path tar : tars) {
      logical += Files.size(tar) / 1e6;
    }
    figures.put("written (MB)", logical);
    double after;
    try (CollectionSide side = open(work.resolve("used"), livePercent)) {
      for (Path tar : tars) {
        side.write(tar.getFileName().toString(), tar, 0);
      }
      side.cluster().awaitReduced();
      figures.put("on disk with all versions (MB)", side.cluster().physicalBytes() / 1e6);
      // The first ones of a DataNode that has just started are slower.
      for (int i = 1; i <= 4; i++) {
        side.writeAndDelete(PROBE, tars.get(0), i);
      }
      List<Double> alone = new ArrayList<>();
      while (alone.size() < WRITES_ALONE) {
        alone.add(side.writeAndDelete(PROBE, tars.get(0), 5 + alone.size()));
      }
      // What was written to measure is not to be counted with the versions.
      side.cluster().awaitBlocks(tars.size());
      side.collect(null, 0);
      for (Path tar : tars.subList(0, tars.size() - keep)) {
        side.delete(tar.getFileName().toString());
      }
      side.cluster().awaitBlocks(kept.size());
      CollectionSide.Collected collected = side.collect(tars.get(0), 5 + alone.size());
      figures.put("freed (MB)", collected.freed() / 1e6);
      figures.put("rewritten (MB)", collected.rewritten() / 1e6);
      figures.put("rewritten for each byte freed", collected.rewritten() / collected.freed());
      figures.put("collection (s)", collected.seconds());
      figures.put("files written while it collects", collected.writeSeconds().size());
      figures.put("write of a file until close, alone (s, median)", Figures.middle(alone));
      figures.put("while it collects (s, median)", Figures.middle(collected.writeSeconds()));
      figures.put("ratio", Figures.middle(collected.writeSeconds()) / Figures.middle(alone));
      side.cluster().awaitBlocks(kept.size());
      side.collect(null, 0);
      side.cluster().settle();
      after = side.cluster().physicalBytes() / 1e6;
      figures.put("on disk with those kept (MB)", after);
    }
    try (CollectionSide side = open(work.resolve("fresh"), livePercent)) {
      for (Path tar : kept) {
        side.write(tar.getFileName().toString(), tar, 0);
      }
      side.cluster().settle();
      figures.put("on a fresh cluster (MB)", side.cluster().physicalBytes() / 1e6);
      figures.put("to the fresh cluster", after / (side.cluster().physicalBytes() / 1e6));
    }
    return figures;
  }

  private CollectionSide open(Path directory, int livePercent) throws IOException {
    ClusterConfig config =
        BenchmarkCluster.config(directory, chain, 1, 1)
            .with("hdrf.dedup.gc.interval", "0")
            .with("hdrf.dedup.gc.min.age", "0")
            .with("hdrf.dedup.gc.rate", rate)
            .with("hdrf.dedup.container.size", containerSize)
            .with("hdrf.dedup.gc.live.percent", Integer.toString(livePercent));
    return new CollectionSide(settings.addTo(config));
  }
}
