/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.net.unix.DomainSocket;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Short-circuit reads of a client on the DataNode's host, and what takes their place. */
@Command(
    name = "local-reads",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Reads a file of text in this process, in turns from stock HDFS by short-circuit reads,"
            + " from HDRF with HDRF's client, and from HDRF by TCP; prints medians and paired ratios"
            + " to stock as Markdown.")
public final class LocalReadBenchmark implements Callable<Integer> {

  private static final org.apache.hadoop.fs.Path FILE =
      new org.apache.hadoop.fs.Path("/bench/file");
  private static final int BUFFER = 1 << 20;
  private static final int PREAD = 64 << 10;

  private enum Variant {
    STOCK("stock, short-circuit"),
    CLIENT("HDRF's client"),
    TCP("HDRF, TCP");

    private final String title;

    Variant(String title) {
      this.title = title;
    }
  }

  @Option(names = "--mb", defaultValue = "1000", description = "File length (${DEFAULT-VALUE}).")
  private int megabytes;

  @Option(
      names = "--preads",
      defaultValue = "4000",
      description = "Positional reads of 64 KiB in a round (${DEFAULT-VALUE}).")
  private int preads;

  @Option(names = "--rounds", defaultValue = "5", description = "Rounds (${DEFAULT-VALUE}).")
  private int rounds;

  @Option(names = "--chain", defaultValue = "lz4", description = "The chain (${DEFAULT-VALUE}).")
  private String chain;

  @Option(
      names = "--sockets",
      description =
          "Directory for the DataNodes' domain sockets; HDFS wants one that only its owner can"
              + " write to, and so on up to the root (target/local-reads).")
  private Path sockets;

  @Mixin private Report report;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new LocalReadBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (DomainSocket.getLoadingFailureReason() != null) {
      throw new IOException("LD_LIBRARY_PATH: " + DomainSocket.getLoadingFailureReason());
    }
    Path work = Directories.work("local-reads");
    try (BenchmarkCluster stock = cluster(work, BenchmarkCluster.STOCK);
        BenchmarkCluster hdrf = cluster(work, chain)) {
      byte[] text = Inputs.text();
      for (BenchmarkCluster cluster : List.of(stock, hdrf)) {
        write(cluster, text);
        cluster.awaitReduced();
      }
      Map<Variant, List<Figures>> figures = new EnumMap<>(Variant.class);
      for (Variant variant : Variant.values()) {
        figures.put(variant, new ArrayList<>());
        round(variant, variant == Variant.STOCK ? stock : hdrf, 0);
      }
      for (int round = 1; round <= rounds; round++) {
        for (Variant variant : Variant.values()) {
          figures.get(variant).add(round(variant, variant == Variant.STOCK ? stock : hdrf, round));
        }
        System.err.printf("round %d of %d%n", round, rounds);
      }
      report.print(table(figures));
    }
    Directories.delete(work);
    return 0;
  }

  private BenchmarkCluster cluster(Path work, String variant) throws IOException {
    Path directory = Files.createDirectories(sockets == null ? work : sockets);
    // A comma in a path would begin the name of another volume.
    String name = variant.replaceAll("\\W", "-");
    ClusterConfig config =
        BenchmarkCluster.withLocalReads(
            BenchmarkCluster.config(work.resolve(name), variant, 1, 1),
            directory.resolve("socket-" + name));
    return new BenchmarkCluster(config);
  }

  private void write(BenchmarkCluster cluster, byte[] text) throws IOException {
    try (OutputStream out = cluster.fileSystem().create(FILE, true)) {
      long left = megabytes * 1_000_000L;
      while (left > 0) {
        int length = (int) Math.min(left, text.length);
        out.write(text, 0, length);
        left -= length;
      }
    }
  }

  private Figures round(Variant variant, BenchmarkCluster cluster, int number)
      throws IOException, InterruptedException {
    Configuration conf = new Configuration(cluster.fileSystem().getConf());
    conf.setBoolean("dfs.client.read.shortcircuit", variant != Variant.TCP);
    conf.set("dfs.client.context", variant.name());
    if (variant == Variant.TCP) {
      conf.unset(BenchmarkCluster.READERS);
    }
    Figures figures = new Figures();
    try (FileSystem client = FileSystem.newInstance(cluster.fileSystem().getUri(), conf)) {
      scan(client, variant);
      figures.put("scan, page cache (s)", scan(client, variant));
      figures.put("64 KiB at random, page cache (µs)", preads(client, number));
      if (PageCache.canDrop()) {
        PageCache.drop();
        figures.put("scan, disk (s)", scan(client, variant));
      }
    }
    return figures;
  }

  /** Seconds. */
  private double scan(FileSystem client, Variant variant) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long began = System.nanoTime();
    try (FSDataInputStream in = client.open(FILE)) {
      int count;
      do {
        count = in.read(buffer);
      } while (count >= 0);
      double seconds = (System.nanoTime() - began) / 1e9;
      long local = ((HdfsDataInputStream) in).getReadStatistics().getTotalShortCircuitBytesRead();
      if (local == 0 && variant != Variant.TCP && !chain.startsWith("dedup")) {
        throw new IOException("no byte was read by a short circuit: " + variant.title);
      }
      return seconds;
    }
  }

  /** Microseconds for each. */
  private double preads(FileSystem client, int seed) throws IOException {
    Random random = new Random(seed);
    byte[] buffer = new byte[PREAD];
    try (FSDataInputStream in = client.open(FILE)) {
      long length = client.getFileStatus(FILE).getLen();
      long began = System.nanoTime();
      for (int i = 0; i < preads; i++) {
        in.readFully((long) (random.nextDouble() * (length - PREAD)), buffer);
      }
      return (System.nanoTime() - began) / 1e3 / preads;
    }
  }

  private String table(Map<Variant, List<Figures>> figures) {
    StringBuilder table = new StringBuilder();
    for (Variant variant : List.of(Variant.CLIENT, Variant.TCP)) {
      table.append(
          String.format(
              Locale.ROOT,
              "### `%s`, %d MB, %d rounds: %s%n%n| | %s | %s | ratio | rounds |%n"
                  + "|---|---|---|---|---|%n%s%n",
              chain,
              megabytes,
              rounds,
              variant.title,
              Variant.STOCK.title,
              variant.title,
              Figures.rows(figures.get(variant), figures.get(Variant.STOCK))));
    }
    return table.toString();
  }
}
