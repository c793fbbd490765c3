/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.DiskUsage;
import io.hdrf.corpus.SourceCorpus;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What versions of a source tree and random bytes take on a volume. */
@Command(
    name = "space",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Stores versions of a source tree, one uncompressed tar each, with several chains, and random"
          + " bytes with dedup, and prints as Markdown what a DataNode holds of them beside what"
          + " 'hdrf estimate' says of the same files.",
      "",
      "Each chain has a fresh cluster with the embedded metadata store, unless --conf or -D says"
          + " otherwise. Physical is what the file"
          + " system has allocated to block files and hdrf/, on the DataNode that has most, after"
          + " all is reduced and after a restart, so that containers are sealed and the index is"
          + " written. Every file is then read and compared with what was written.",
      "",
      "With sets each is stored without and with differences (hdrf.dedup.delta), and by restic, borg"
          + " and zstd where these are installed.",
      ""
    })
public final class SpaceBenchmark implements Callable<Integer> {

  private static final String DEDUP = "dedup";
  private static final String DELTA = "hdrf.dedup.delta";
  private static final String VERSIONS = "versions.txt";
  private static final String MORE_VERSIONS = "twenty-versions.txt";

  @Parameters(
      arity = "0..*",
      paramLabel = "SET",
      description =
          "In the place of the versions and random bytes: the files of a directory in order of their"
              + " names, or 'versions'.")
  private List<Path> sets = List.of();

  @Option(
      names = "--chains",
      paramLabel = "CHAIN",
      split = "[;:]",
      splitSynopsisLabel = ";",
      defaultValue = "zstd;dedup,zstd",
      description =
          "Chains for the versions, separated by semicolons or colons; the others are compared with"
              + " the first (${DEFAULT-VALUE}).")
  private List<String> chains;

  @Option(
      names = "--versions",
      defaultValue = "10",
      description =
          "How many versions of Hadoop: the last ones of benchmarks/data/versions.txt or, if it has"
              + " fewer, of twenty-versions.txt (${DEFAULT-VALUE}).")
  private int count;

  @Option(
      names = "--random-mb",
      defaultValue = "300",
      description = "MB of random bytes; 0: none (${DEFAULT-VALUE}).")
  private int megabytes;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Of the random bytes (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--replication",
      defaultValue = "1",
      description = "Replication; as many DataNodes are started (${DEFAULT-VALUE}).")
  private int replication;

  @Option(
      names = "--chunk-size",
      defaultValue = "5k",
      description = "hdrf.dedup.chunk.size, for the estimate too (${DEFAULT-VALUE}).")
  private String chunkSize;

  @Mixin private Settings settings;

  @Mixin private Report report;

  @Spec private CommandSpec command;

  private final Path work = Directories.work("space");

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new SpaceBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    check(count >= 2, "--versions: at least 2");
    check(megabytes >= 0, "--random-mb: at least 0");
    check(replication >= 1, "--replication: at least 1");
    Files.createDirectories(work);
    if (!sets.isEmpty()) {
      measureSets();
      return 0;
    }
    List<Path> tars = tars();
    List<Space> versions = new ArrayList<>();
    for (String chain : chains) {
      versions.add(measure("source", chain, tars, Map.of()));
    }
    List<Space> random = new ArrayList<>();
    if (megabytes > 0) {
      Path file = work.resolve("random");
      Inputs.random(file, megabytes, seed);
      random.add(measure("random", DEDUP, List.of(file), Map.of()));
    }
    report.print(
        SpaceTable.of(
            String.format(
                "%d versions of source, %d MB of random bytes (seed %d), replication %d, chunks of %s%s",
                count, megabytes, seed, replication, chunkSize, settings.heading()),
            versions,
            random));
    return 0;
  }

  private void check(boolean right, String otherwise) {
    if (!right) {
      throw new CommandLine.ParameterException(command.commandLine(), otherwise);
    }
  }

  private List<Path> tars() throws IOException {
    SourceCorpus corpus = new SourceCorpus(Directories.home());
    List<String> versions = corpus.versions(VERSIONS);
    if (versions.size() < count) {
      versions = corpus.versions(MORE_VERSIONS);
      check(count <= versions.size(), "--versions: at most " + versions.size());
    }
    List<Path> tars = new ArrayList<>();
    for (String version : versions.subList(versions.size() - count, versions.size())) {
      tars.add(corpus.file(version));
    }
    return tars;
  }

  private void measureSets() throws Exception {
    report.print(
        SetsTable.head(
            String.format(
                "Without and with differences, replication %d, chunks of %s%s",
                replication, chunkSize, settings.heading())));
    SetsTable table = new SetsTable();
    for (Path set : sets) {
      String name = set.getFileName().toString();
      List<Path> files = set.equals(Path.of("versions")) ? tars() : filesOf(set);
      List<OptionalLong> others = new ArrayList<>();
      for (OtherPrograms program : OtherPrograms.values()) {
        System.err.printf("%s, %s: storing%n", name, program.title);
        others.add(program.bytes(files, work));
      }
      for (String chain : chains) {
        Space without = measure(name, chain, files, Map.of(DELTA, "off"));
        Space with = measure(name, chain, files, Map.of(DELTA, "on"));
        report.print(table.row(without, with, others));
      }
    }
    report.print(table.aims());
  }

  private List<Path> filesOf(Path set) throws IOException {
    check(Files.isDirectory(set), "There is no directory " + set);
    try (Stream<Path> list = Files.list(set)) {
      return list.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private Space measure(String data, String chain, List<Path> files, Map<String, String> more)
      throws Exception {
    String what = data + ", " + chain + (more.isEmpty() ? "" : " " + more);
    System.err.printf("%s: storing%n", what);
    ClusterConfig config =
        BenchmarkCluster.config(work.resolve("cluster"), chain, replication, replication)
            .with("hdrf.metadata.store", "embedded")
            .with("hdrf.dedup.chunk.size", chunkSize);
    long logical = 0;
    for (Path file : files) {
      logical += Files.size(file);
    }
    long physical;
    SpaceEstimate estimate;
    try (BenchmarkCluster cluster =
        new BenchmarkCluster(BenchmarkCluster.with(settings.addTo(config), more))) {
      for (Path file : files) {
        try (OutputStream out = cluster.fileSystem().create(stored(file))) {
          Files.copy(file, out);
        }
      }
      cluster.settle();
      physical = most(cluster, logical);
      System.err.printf("%s: reading%n", what);
      for (Path file : files) {
        compare(cluster, file);
      }
      estimate =
          new SpaceEstimate(
              work,
              cluster.cluster().conf(),
              cluster.fileSystem().getDefaultBlockSize(stored(files.get(0))));
    }
    System.err.printf("%s: estimating%n", what);
    return new Space(
        data, chain, files.size(), logical, physical, estimate.of(chain, chunkSize, files));
  }

  private static org.apache.hadoop.fs.Path stored(Path file) {
    return new org.apache.hadoop.fs.Path("/" + file.getFileName());
  }

  /**
   * What the DataNode holds that has most.
   *
   * @throws IOException if a DataNode does not have all that was written
   */
  private static long most(BenchmarkCluster cluster, long logical) throws IOException {
    long most = 0;
    for (DataNode node : cluster.cluster().dataNodes()) {
      DiskUsage usage = node.diskUsage();
      if (usage.logicalBytes() != logical) {
        throw new IOException(
            "A DataNode has " + usage.logicalBytes() + " bytes, not the " + logical + " written");
      }
      most = Math.max(most, usage.physicalBytes());
    }
    return most;
  }

  private static void compare(BenchmarkCluster cluster, Path file) throws IOException {
    try (InputStream in = cluster.fileSystem().open(stored(file));
        InputStream written = Files.newInputStream(file)) {
      long position = Streams.mismatch(in, written);
      if (position >= 0) {
        throw new IOException(stored(file) + " differs from what was written, at " + position);
      }
    }
  }
}
