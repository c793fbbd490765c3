/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import io.hdrf.benchmarks.BenchmarkCluster;
import io.hdrf.benchmarks.Directories;
import io.hdrf.benchmarks.Inputs;
import io.hdrf.benchmarks.Report;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.Hosts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Applications on stock HDFS and on HDRF: the same outputs, times, bytes on disk. */
@Command(
    name = "applications",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs MapReduce (on YARN), Streaming, TestDFSIO, Spark and DistCp on a stock cluster and on"
          + " one with each chain, all as separate processes, and compares outputs, checksums, times,"
          + " bytes on disk and errors in the logs.",
      "",
      "Status: 0 if all outputs are the same and there are no errors that stock does not show, 1 if"
          + " not."
    })
public final class ApplicationsCommand implements Callable<Integer> {

  private static final String STOCK = BenchmarkCluster.STOCK;

  @Option(
      names = "--chain",
      split = ":",
      defaultValue = "lz4:zstd:dedup,zstd",
      description = "HDRF's chains, separated by colons (${DEFAULT-VALUE}).")
  private List<String> chains;

  @Option(
      names = "--replication",
      split = ",",
      defaultValue = "1,3",
      description = "Replications, 1 to 3 (${DEFAULT-VALUE}).")
  private List<Integer> replications;

  @Option(
      names = "--size-mb",
      defaultValue = "48",
      description = "Size of the input and of what applications make, in MB (${DEFAULT-VALUE}).")
  private int megabytes;

  @Option(
      names = "--only",
      split = ",",
      description =
          "Run only applications whose names contain one of these, and those that they need.")
  private List<String> only = List.of();

  @Option(
      names = "--block-mb",
      defaultValue = "16",
      description = "dfs.blocksize in MiB (${DEFAULT-VALUE}).")
  private int blockMegabytes;

  @Option(
      names = "--rounds",
      defaultValue = "0",
      description = {
        "How many times to run each application in turns on a stock cluster and on one with each"
            + " chain, which run side by side, and compare nothing but times and outputs; 0 runs"
            + " each once (${DEFAULT-VALUE}). DistCp -update, which changes the input, is left out,"
            + " and there are three more: DistCp in from stock, DistCp in from its kind (another"
            + " cluster with the same chain), DistCp out to stock."
      })
  private int rounds;

  @Option(
      names = "--link-mbit",
      defaultValue = "0",
      description =
          "Have each DataNode on a host of its own (a network namespace), with a link of so many"
              + " Mbit/s in each direction, and all NameNodes on another one; needs root, ip and tc."
              + " Jobs run on the first DataNode's host. 0: all on loopback (${DEFAULT-VALUE}).")
  private int megabits;

  @Option(
      names = "--local-reads",
      paramLabel = "DIRECTORY",
      description = {
        "Have one DataNode in each cluster, replication 1, and clients that read by short circuit,"
            + " with HDRF's client where there is a chain. DIRECTORY is for the domain sockets; HDFS"
            + " wants one that only its owner can write to, and so on up to the root."
            + " LD_LIBRARY_PATH has to name the directory of Hadoop's native library."
      })
  private Path sockets;

  @Option(names = "--no-spark", description = "Leave out Spark, which is installed with pip.")
  private boolean withoutSpark;

  @Mixin private Report report;

  private final Path directory = Directories.work("applications");
  private int differences;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new ApplicationsCommand()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Spark spark =
        withoutSpark
            ? null
            : Spark.in(
                Directories.home().resolve("target"),
                Directories.home().resolve("benchmarks/spark/jobs.py"));
    for (int replication : sockets == null ? replications : List.of(1)) {
      report.print(rounds > 0 ? time(replication, spark) : once(replication, spark));
    }
    Directories.delete(directory);
    return differences == 0 ? 0 : 1;
  }

  private String once(int replication, Spark spark) throws IOException {
    List<Variant> variants = new ArrayList<>(List.of(new Variant(STOCK)));
    chains.forEach(chain -> variants.add(new Variant(chain)));
    try (Sites sites = sites(1 + dataNodes());
        Bed origin = origin(sites, 0, STOCK)) {
      sites.limit();
      Applications applications = new Applications(origin, spark, megabytes * 1_000_000L);
      for (Variant variant : variants) {
        run(variant, sites, replication, applications);
        if (!variant.isStock()) {
          count(variants.get(0), variant);
        }
      }
    }
    return ApplicationsTable.of(replication, variants);
  }

  private String time(int replication, Spark spark) throws Exception {
    List<String> variants = new ArrayList<>(List.of(STOCK));
    variants.addAll(chains);
    Deque<Bed> opened = new ArrayDeque<>();
    try (Sites sites = sites(variants.size() * (1 + dataNodes()))) {
      try {
        List<Bed> beds = new ArrayList<>();
        Map<Bed, Bed> kin = new HashMap<>();
        boolean withKin = isAsked(Applications.IN_FROM_KIN);
        opened.push(origin(sites, 0, STOCK));
        Applications applications = new Applications(opened.peek(), spark, megabytes * 1_000_000L);
        for (int i = 0; i < variants.size(); i++) {
          if (i > 0 && withKin) {
            opened.push(origin(sites, i, variants.get(i)));
          }
          Bed own = opened.peek();
          int host = variants.size() + i * dataNodes();
          opened.push(bed("cluster-" + i, sites.from(host), variants.get(i), replication));
          beds.add(opened.peek());
          if (withKin) {
            kin.put(opened.peek(), own);
          }
        }
        return time(replication, new TimedRounds(sites, beds), beds, applications, kin);
      } finally {
        while (!opened.isEmpty()) {
          opened.pop().close();
        }
      }
    }
  }

  private String time(
      int replication,
      TimedRounds timed,
      List<Bed> beds,
      Applications applications,
      Map<Bed, Bed> kin)
      throws Exception {
    for (Bed bed : beds) {
      applications.all().get(0).work().run(bed);
      bed.awaitReduced();
    }
    List<Application> asked =
        Stream.concat(applications.all().stream().skip(1), applications.transfers(kin).stream())
            .filter(application -> isAsked(application.name()))
            .filter(application -> !application.name().startsWith("DistCp -update"))
            .collect(Collectors.toList());
    for (int round = 0; round < rounds; round++) {
      timed.run(asked);
    }
    differences += timed.differences();
    return timed.table(
        "Replication " + replication + (megabits > 0 ? ", links of " + megabits + " Mbit/s" : ""),
        chains);
  }

  private int dataNodes() {
    return sockets == null ? 3 : 1;
  }

  private Sites sites(int dataNodes) throws IOException {
    return megabits == 0 ? Sites.loopback() : Sites.behindLinks(dataNodes, megabits * 1_000_000L);
  }

  /** A cluster of one DataNode that holds the input. */
  private Bed origin(Sites sites, int host, String variant) throws IOException {
    ClusterConfig config =
        BenchmarkCluster.config(directory.resolve("origin-" + host), variant, 1, 1)
            .withHeaps("256m", variant.equals(STOCK) ? "256m" : "512m");
    Bed origin = new Bed(blocks(config), sites.from(host), false);
    Inputs.writeText(origin.fs(), Applications.INPUT, megabytes * 1_000_000L);
    origin.awaitReduced();
    return origin;
  }

  private Bed bed(String own, Hosts hosts, String variant, int replication) throws IOException {
    ClusterConfig config =
        BenchmarkCluster.config(directory.resolve(own), variant, dataNodes(), replication)
            .withHeaps("384m", "512m");
    if (sockets != null) {
      config = BenchmarkCluster.withLocalReads(config, sockets.resolve("socket-" + own));
    }
    return new Bed(blocks(config), hosts, true);
  }

  private ClusterConfig blocks(ClusterConfig config) {
    return config.with("dfs.blocksize", Integer.toString(blockMegabytes << 20));
  }

  private void run(Variant variant, Sites sites, int replication, Applications applications)
      throws IOException {
    try (Bed bed = bed("cluster", sites.from(1), variant.name(), replication)) {
      for (Application application : applications.all()) {
        if (isAsked(application.name())) {
          Outcome outcome = run(application, bed);
          variant.outcomes().put(application.name(), outcome);
          System.err.printf(
              "replication %d, %s, %s: %.1f s, %d MB%s%n",
              replication,
              variant.name(),
              application.name(),
              outcome.seconds(),
              outcome.addedBytes() / 1_000_000,
              outcome.failure() == null ? "" : ": " + outcome.failure());
        }
      }
      variant.errors().addAll(bed.errors());
    }
  }

  private boolean isAsked(String application) {
    return only.isEmpty()
        || application.startsWith("DistCp from")
        || only.stream().anyMatch(application::contains);
  }

  private static Outcome run(Application application, Bed bed) throws IOException {
    long before = bed.physicalBytes();
    long began = System.nanoTime();
    double seconds;
    try {
      application.work().run(bed);
      seconds = (System.nanoTime() - began) / 1e9;
      application.check().run(bed);
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      return new Outcome(0, 0, Map.of(), String.valueOf(e.getMessage()));
    }
    Map<String, String> digests = new TreeMap<>();
    for (String output : application.outputs()) {
      Digests.of(bed.fs(), new org.apache.hadoop.fs.Path(output))
          .forEach((name, digest) -> digests.put(output + name, digest));
    }
    return new Outcome(seconds, bed.physicalBytes() - before, digests, null);
  }

  private void count(Variant stock, Variant variant) {
    variant
        .outcomes()
        .forEach(
            (name, outcome) -> differences += outcome.sameAs(stock.outcomes().get(name)) ? 0 : 1);
    differences += variant.errorsBeyond(stock).size();
  }
}
