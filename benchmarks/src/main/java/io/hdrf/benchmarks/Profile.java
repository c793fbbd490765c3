/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.LocalCluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the processor time of DataNodes goes while a file is written, reduced or read. */
@Command(
    name = "profile",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Writes a file, waits until it is reduced, reads it, and prints the processor seconds per GB"
            + " of all DataNodes together by part and by thread, as async-profiler samples them.")
public final class Profile implements Callable<Integer> {

  private static final double GB = 1e9;
  private static final org.apache.hadoop.fs.Path FILE =
      new org.apache.hadoop.fs.Path("/bench/file");

  @Option(
      names = "--chain",
      defaultValue = "dedup,zstd",
      description = "A chain, 'none' or 'stock' (${DEFAULT-VALUE}).")
  private String chain;

  @Option(
      names = "--replication",
      defaultValue = "3",
      description = "Replication; as many DataNodes are started (${DEFAULT-VALUE}).")
  private int replication;

  @Option(
      names = "--size-mb",
      defaultValue = "432",
      description = "The file's size in MB (${DEFAULT-VALUE}).")
  private long megabytes;

  @Option(names = "--rounds", defaultValue = "3", description = "Rounds (${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--warm-up",
      defaultValue = "20",
      description = "Rounds before, of a quarter of the size (${DEFAULT-VALUE}).")
  private int warmUps;

  @Option(names = "--reads", description = "Sample the reads instead of the writes.")
  private boolean reads;

  @Option(
      names = "-D",
      description = "More settings, as -D hdrf.reduce.threads=1.",
      mapFallbackValue = "")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Mixin private Report report;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Profile()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Path work = Directories.work("profile");
    ClusterConfig config =
        BenchmarkCluster.config(work.resolve("cluster"), chain, replication, replication)
            .withMetricsPeriod(Duration.ofMillis(10));
    ProfileTable table = new ProfileTable();
    try (BenchmarkCluster cluster = new BenchmarkCluster(BenchmarkCluster.with(config, settings))) {
      Profiler profiler = new Profiler(work);
      RoundData data = new RoundData(Inputs.text(), true);
      long length = megabytes * 1_000_000;
      for (int i = 0; i < warmUps; i++) {
        data.next(length / 4);
        round(cluster, data, length / 4, List.of(), profiler);
      }
      for (int i = 0; i < rounds; i++) {
        data.next(length);
        List<DataNode> nodes = cluster.cluster().dataNodes();
        round(cluster, data, length, nodes, profiler);
        for (DataNode node : nodes) {
          table.add(Files.readAllLines(profiler.samples(node)));
        }
      }
      report.print(
          String.format(
              "### %s, replication %d, %d MB, %d rounds, %s%n%n%s",
              chain,
              replication,
              megabytes,
              rounds,
              reads ? "read from the page cache" : "write until reduced",
              table.render(Profiler.INTERVAL_NANOS / 1e9 / (rounds * length / GB))));
    }
    return 0;
  }

  /** Writes, reads and deletes the file; samples nodes during one of both. */
  private void round(
      BenchmarkCluster cluster,
      RoundData data,
      long length,
      List<DataNode> sampled,
      Profiler profiler)
      throws IOException, InterruptedException {
    if (!reads) {
      profiler.start(sampled);
    }
    try (OutputStream out = cluster.fileSystem().create(FILE, true)) {
      data.write(out, length);
    }
    cluster.cluster().awaitReduced(LocalCluster.PATIENCE, pending -> {});
    if (!reads) {
      profiler.stop(sampled);
    }
    read(cluster);
    if (reads) {
      profiler.start(sampled);
      read(cluster);
      profiler.stop(sampled);
    }
    cluster.fileSystem().delete(FILE, true);
    cluster.awaitBlocks(0);
  }

  private static void read(BenchmarkCluster cluster) throws IOException {
    try (InputStream in = cluster.fileSystem().open(FILE)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
  }
}
