/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.ClusterException;
import io.hdrf.cluster.NetworkHosts;
import io.hdrf.corpus.SourceCorpus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Writing over links of limited rate: stock HDFS, a compressing client, HDRF, mirroring. */
@Command(
    name = "mirroring",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes from the first of three DataNodes' hosts and prints times, bytes on the links and"
          + " processor times as Markdown, medians of the rounds, ratios paired within a round.",
      "",
      "The hosts are network namespaces, joined by links of limited rate; needs root, ip and tc.",
      "",
      "Variants: stock; stock-lz4: the client compresses what it writes; hdrf: HDRF without"
          + " mirroring; hdrf-mirror: HDRF with mirroring; hdrf-auto: HDRF that decides by"
          + " itself.",
      ""
    })
public final class MirroringBenchmark implements Callable<Integer> {

  private static final int DATA_NODES = 3;
  private static final long MEGABIT = 1_000_000;
  private static final int SHIFTS = 256;
  private static final int MAX_RATE = 100_000;

  /** The client has them in memory. */
  private static final int MAX_TEXT = 1000;

  /** What is written. */
  enum Data {
    TEXT,
    VERSIONS
  }

  /** Files that are written one after the other and measured together. */
  private record Part(String name, List<Upload> uploads) {}

  /** One file to write. */
  private record Upload(long length, List<Piece> pieces) {}

  @Option(
      names = "--variants",
      split = ",",
      defaultValue = "stock,stock-lz4,hdrf,hdrf-mirror,hdrf-auto",
      description = "What to compare (${DEFAULT-VALUE}).")
  private List<MirroringVariant> variants;

  @Option(
      names = "--rate",
      split = ",",
      defaultValue = "200,1000",
      description = "Rates of the links in Mbit/s, each direction (${DEFAULT-VALUE}).")
  private List<Integer> rates;

  @Option(
      names = "--replication",
      split = ",",
      defaultValue = "1,2,3",
      description = "Replications, 1 to 3 (${DEFAULT-VALUE}).")
  private List<Integer> replications;

  @Option(
      names = "--data",
      split = ",",
      defaultValue = "text,versions",
      description =
          "text: a file of source text in which deduplication finds little; versions: one version"
              + " of a source tree after the other (${DEFAULT-VALUE}).")
  private List<Data> data;

  @Option(
      names = "--chain",
      split = ":",
      defaultValue = "lz4:dedup,zstd",
      description = "HDRF's chains, separated by colons (${DEFAULT-VALUE}).")
  private List<String> chains;

  @Option(names = "--rounds", defaultValue = "3", description = "Rounds (${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--first-rounds",
      defaultValue = "0",
      description =
          "Rounds before those, which are not counted: packets wait for each other only at a"
              + " limited rate, and what then runs is compiled there (${DEFAULT-VALUE}).")
  private int firstRounds;

  @Option(
      names = "--warm-up",
      defaultValue = "10",
      description =
          "Files of some 40 MB that each variant writes before, at full rate: a DataNode runs for"
              + " weeks, and one that has just started spends much of its time on compiling"
              + " (${DEFAULT-VALUE}).")
  private int warmUps;

  @Option(
      names = "--text-mb",
      defaultValue = "300",
      description = "The text's size in MB, at most what the corpus holds (${DEFAULT-VALUE}).")
  private long textMegabytes;

  @Option(
      names = "--versions",
      defaultValue = "10",
      description = "How many versions to write, at least 2 (${DEFAULT-VALUE}).")
  private int versionCount;

  @Option(
      names = "--cpu-share",
      description =
          "Processor time that each DataNode gets, in seconds per second, by a control group"
              + " (no limit).")
  private Double dataNodeCores;

  @Option(names = "--client-cpu-share", description = "The same for the client (no limit).")
  private Double clientCores;

  @Option(
      names = "-D",
      description = "More settings of the HDRF clusters, as -D hdrf.reduce.threads=1.",
      mapFallbackValue = "")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Mixin private Report report;

  @Spec private CommandSpec command;

  /** How much has been added to bytes so far; what was written before must not be found again. */
  private int shift;

  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new MirroringBenchmark())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .registerConverter(MirroringVariant.class, MirroringBenchmark::variant)
            .setExecutionExceptionHandler(MirroringBenchmark::explain)
            .execute(arguments));
  }

  /** A {@link ClusterException} explains itself. */
  private static int explain(
      Exception failure, CommandLine command, CommandLine.ParseResult arguments) throws Exception {
    if (!(failure instanceof ClusterException)) {
      throw failure;
    }
    System.err.println("mirroring: " + failure.getMessage());
    return CommandLine.ExitCode.SOFTWARE;
  }

  private static MirroringVariant variant(String name) {
    for (MirroringVariant variant : MirroringVariant.values()) {
      if (variant.toString().equals(name)) {
        return variant;
      }
    }
    throw new CommandLine.TypeConversionException(
        "'" + name + "' is none of " + List.of(MirroringVariant.values()));
  }

  /** Refuses what the rest could not do. */
  private void check() {
    check(replications.stream().allMatch(n -> n >= 1 && n <= DATA_NODES), "--replication: 1 to 3");
    check(rates.stream().allMatch(n -> n >= 1 && n <= MAX_RATE), "--rate: 1 to " + MAX_RATE);
    check(versionCount >= 2, "--versions: at least 2");
    check(textMegabytes >= 1 && textMegabytes <= MAX_TEXT, "--text-mb: 1 to " + MAX_TEXT);
    check(rounds >= 1, "--rounds: at least 1");
    check(firstRounds >= 0, "--first-rounds: at least 0");
    check(warmUps >= 0, "--warm-up: at least 0");
  }

  private void check(boolean good, String rule) {
    if (!good) {
      throw new CommandLine.ParameterException(command.commandLine(), rule);
    }
  }

  @Override
  public Integer call() throws Exception {
    check();
    Optional<String> obstacle = NetworkHosts.obstacle();
    if (obstacle.isPresent()) {
      throw new ClusterException(obstacle.get());
    }
    if (variants.contains(MirroringVariant.HDRF_MIRROR) && !MirroringVariant.canMirror()) {
      throw new ClusterException("This build of HDRF has no " + MirroringVariant.MIRRORING);
    }
    List<Path> corpus = new SourceCorpus(Directories.home()).files(version -> {});
    for (String chain : chains) {
      for (Data what : data) {
        compare(chain, what, corpus);
      }
    }
    return 0;
  }

  /** Runs all rounds on clusters without data of others. */
  private void compare(String chain, Data what, List<Path> corpus) throws Exception {
    Deque<LinkSide> opened = new ArrayDeque<>();
    Map<String, LinkSide> sides = new LinkedHashMap<>();
    try {
      for (MirroringVariant variant : variants) {
        if (!sides.containsKey(variant.cluster())) {
          LinkSide side = open(chain, variant);
          opened.push(side);
          sides.put(variant.cluster(), side);
        }
      }
      shift = 0;
      warmUp(sides, corpus);
      for (int rate : rates) {
        for (LinkSide side : opened) {
          side.limitRate(rate * MEGABIT);
        }
        for (int replication : replications) {
          measure(
              String.format(Locale.ROOT, "%d Mbit/s, replication %d, %s", rate, replication, chain),
              what,
              replication,
              sides,
              corpus);
        }
      }
    } finally {
      while (!opened.isEmpty()) {
        opened.pop().close();
      }
    }
  }

  private LinkSide open(String chain, MirroringVariant variant) throws IOException {
    ClusterConfig config =
        BenchmarkCluster.config(
            Directories.work("mirroring").resolve(variant.cluster()),
            variant.chain(chain),
            DATA_NODES,
            DATA_NODES);
    config = variant.configure(config);
    if (!config.stock()) {
      config = BenchmarkCluster.with(config, settings);
    }
    return new LinkSide(config, cores(dataNodeCores), cores(clientCores));
  }

  private static OptionalDouble cores(Double value) {
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  /**
   * Compiles what will be measured: every other file is the next version of the one before, so that
   * its chunks are found.
   */
  private void warmUp(Map<String, LinkSide> sides, List<Path> corpus) throws Exception {
    for (MirroringVariant variant : variants) {
      LinkSide side = sides.get(variant.cluster());
      int same = 0;
      for (int i = 0; i < warmUps; i++) {
        same = i % 2 == 0 ? nextShift() : same;
        Path file = corpus.get(i % 2);
        Upload upload = new Upload(Files.size(file), List.of(new Piece(file, same)));
        write(side, "warm-up-" + i, upload, variant, DATA_NODES, true);
      }
      side.empty();
    }
  }

  private static Uploaded write(
      LinkSide side,
      String name,
      Upload upload,
      MirroringVariant variant,
      int replication,
      boolean verify)
      throws IOException, InterruptedException {
    return side.write(name, upload.length(), upload.pieces(), variant.codec(), replication, verify);
  }

  /** All rounds of one table, or of two. */
  private void measure(
      String title, Data what, int replication, Map<String, LinkSide> sides, List<Path> corpus)
      throws Exception {
    Map<String, Map<String, List<Figures>>> parts = new LinkedHashMap<>();
    for (int round = -firstRounds; round < rounds; round++) {
      List<Part> toWrite = what == Data.TEXT ? text(corpus) : versions(corpus);
      // Each variant goes first in turn.
      List<MirroringVariant> order = new ArrayList<>(variants);
      Collections.rotate(order, -round);
      Map<MirroringVariant, List<Figures>> measured = new LinkedHashMap<>();
      for (MirroringVariant variant : order) {
        LinkSide side = sides.get(variant.cluster());
        List<Figures> figures = new ArrayList<>();
        for (Part part : toWrite) {
          figures.add(write(side, part, variant, replication, round == -firstRounds).figures());
        }
        side.empty();
        measured.put(variant, figures);
        System.err.printf(
            Locale.ROOT,
            "%s: round %d of %d: %s %.2f s%n",
            title,
            round + 1,
            rounds,
            variant,
            figures.get(figures.size() - 1).values().get(MirroringTable.UNTIL_CLOSE));
      }
      if (round < 0) {
        continue;
      }
      for (MirroringVariant variant : variants) {
        for (int i = 0; i < toWrite.size(); i++) {
          parts
              .computeIfAbsent(toWrite.get(i).name(), name -> new LinkedHashMap<>())
              .computeIfAbsent(variant.toString(), name -> new ArrayList<>())
              .add(measured.get(variant).get(i));
        }
      }
    }
    for (Map.Entry<String, Map<String, List<Figures>>> part : parts.entrySet()) {
      report.print(
          MirroringTable.of(
              part.getKey() + ", " + title + conditions(),
              part.getValue(),
              List.of(MirroringVariant.STOCK.toString(), MirroringVariant.STOCK_LZ4.toString())));
    }
  }

  private static Uploaded write(
      LinkSide side, Part part, MirroringVariant variant, int replication, boolean verify)
      throws IOException, InterruptedException {
    Uploaded sum = null;
    for (int i = 0; i < part.uploads().size(); i++) {
      Uploaded one =
          write(side, part.name() + "-" + i, part.uploads().get(i), variant, replication, verify);
      sum = sum == null ? one : sum.plus(one);
    }
    return sum;
  }

  private List<Part> text(List<Path> corpus) throws IOException {
    long length = textMegabytes * 1_000_000;
    List<Piece> pieces = new ArrayList<>();
    long left = length;
    for (Path tar : corpus) {
      if (left > 0) {
        pieces.add(new Piece(tar, nextShift()));
        left -= Files.size(tar);
      }
    }
    return List.of(new Part(textMegabytes + " MB of text", List.of(new Upload(length, pieces))));
  }

  private List<Part> versions(List<Path> corpus) throws IOException {
    int same = nextShift();
    List<Upload> uploads = new ArrayList<>();
    for (Path tar : corpus.subList(0, Math.min(versionCount, corpus.size()))) {
      uploads.add(new Upload(Files.size(tar), List.of(new Piece(tar, same))));
    }
    return List.of(
        new Part("first version", uploads.subList(0, 1)),
        new Part("versions 2 to " + uploads.size(), uploads.subList(1, uploads.size())));
  }

  private int nextShift() {
    shift = (shift + 1) % SHIFTS;
    return shift;
  }

  private String conditions() {
    return (dataNodeCores == null ? "" : ", DataNodes limited to " + dataNodeCores + " cores")
        + (clientCores == null ? "" : ", client to " + clientCores)
        + ", "
        + rounds
        + (rounds == 1 ? " round" : " rounds");
  }
}
