/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.DiskUsage;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.Job;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.MetadataServers;
import io.hdrf.cluster.ProcessGuard;
import io.hdrf.cluster.Waiting;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.metadata.MetadataStores;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Stores files on stock HDFS and on HDRF, one cluster after the other, and compares. Kills all its
 * processes if it is interrupted, and those of an earlier run before it begins.
 */
final class Demo {
  private static final String INPUT = "/demo/input";
  private static final String OUTPUT = "/demo/output";
  private static final String COPY = "/demo/copy";
  private static final String HEAP = "1g";
  private static final Duration DRAIN_PATIENCE = Duration.ofHours(1);
  private static final Pattern MAP_REDUCE = Pattern.compile(".* map (\\d+)% reduce (\\d+)%.*");

  private final Terminal terminal;
  private final Path work;
  private final ClusterConfig config;
  private final HadoopRuntime runtime;
  private final DemoReport report;

  /** A file to store. */
  private record Source(Path path, String name, long length) {}

  Demo(Terminal terminal, Path work, ClusterConfig config, HadoopRuntime runtime) {
    this.terminal = terminal;
    this.work = work;
    this.config = config;
    this.runtime = runtime;
    this.report = new DemoReport(config);
  }

  /**
   * Runs the demo.
   *
   * @param input a directory, or null for the corpus
   */
  DemoReport run(Path input) throws IOException {
    Path stockDirectory = work.resolve("stock");
    List<Path> clusters = List.of(stockDirectory, config.directory());
    try (ProcessGuard guard = new ProcessGuard(clusters)) {
      guard.killLeftovers();
      WorkDirectory.deleteTree(work.resolve("result"));
      for (Path cluster : clusters) {
        WorkDirectory.deleteTree(cluster);
      }
      Files.createDirectories(work.resolve("result"));

      long began = System.nanoTime();
      List<Source> sources = input == null ? corpus() : filesOf(input);
      long bytes = sources.stream().mapToLong(Source::length).sum();
      report.input(sources.size(), bytes);
      Map<Source, String> digests = digests(sources, bytes);

      heading("Stock HDFS");
      Path expected = work.resolve("result").resolve("stock.txt");
      ClusterConfig stock =
          ClusterConfig.in(stockDirectory)
              .withDataNodes(config.dataNodes())
              .withReplication(config.replication())
              .withHadoop(config.hadoop())
              .withStock(true);
      LocalCluster cluster = start("stock", stock);
      try (Hdfs hdfs = new Hdfs(cluster)) {
        put("stock", hdfs, sources, bytes);
        report.stockUsage(usage(cluster));
        wordCount("stock", cluster, hdfs, expected);
      }
      stop("stock", cluster);
      WorkDirectory.deleteTree(stockDirectory);

      heading(config.stock() ? "Stock HDFS again" : "HDFS with HDRF, schemes " + config.schemes());
      Path actual = work.resolve("result").resolve("hdrf.txt");
      MetadataServers stores = new MetadataServers(config);
      cluster = start("hdrf", withStores(stores));
      try (Hdfs hdfs = new Hdfs(cluster)) {
        long stored = put("hdrf", hdfs, sources, bytes);
        readBack("right after writing", "readAfterWrite", hdfs, digests, bytes);
        wordCount("hdrf", cluster, hdfs, actual);
        compareOutputs(expected, actual);
        hdfs.delete(OUTPUT);
        distCp(cluster, hdfs, digests, bytes);
        drain(cluster);
        for (DataNode dataNode : cluster.dataNodes()) {
          report.metrics(dataNode.hdrfMetrics());
        }
        readBack("once all is reduced", "readReduced", hdfs, digests, bytes);
        restart(cluster);
        readBack("after the restart", "readAfterRestart", hdfs, digests, bytes);
        awaitDeleted(cluster, stored);
        if (keepsRecords()) {
          checkRecords(cluster);
        }
        List<DiskUsage> held = usage(cluster);
        report.usage(held);
        terminal.result("");
        terminal.table(UsageJson.table(held));
      }
      stop("hdrf", cluster);
      stores.stop();
      if (report.allIdentical()) {
        WorkDirectory.deleteTree(config.directory());
      }
      report.took("total", (System.nanoTime() - began) / 1e9);
    }
    terminal.result("");
    terminal.result(
        report.allIdentical()
            ? "Everything read back and the job's output are identical."
            : "SOMETHING DIFFERS, see above; the cluster's files are in " + config.directory());
    return report;
  }

  private void heading(String title) {
    terminal.say("");
    terminal.say("== " + title);
  }

  private List<Source> corpus() throws IOException {
    List<Source> sources = new ArrayList<>();
    for (Path file : CorpusCommand.files(terminal)) {
      sources.add(new Source(file, file.getFileName().toString(), Files.size(file)));
    }
    return sources;
  }

  private static List<Source> filesOf(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> tree = Files.walk(directory)) {
      files = tree.filter(Files::isRegularFile).sorted().toList();
    }
    List<Source> sources = new ArrayList<>();
    for (Path file : files) {
      sources.add(new Source(file, directory.relativize(file).toString(), Files.size(file)));
    }
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("No files in " + directory);
    }
    return sources;
  }

  private Map<Source, String> digests(List<Source> sources, long bytes) throws IOException {
    Map<Source, String> digests = new LinkedHashMap<>();
    try (Progress progress =
        terminal.progress("SHA-256 of the local files", bytes, Progress.Unit.BYTES)) {
      for (Source source : sources) {
        try (InputStream in = Files.newInputStream(source.path())) {
          digests.put(source, Hdfs.sha256(in, progress::add));
        }
      }
      progress.done(sources.size() + " files, " + Sizes.bytes(bytes));
    }
    return digests;
  }

  private LocalCluster start(String step, ClusterConfig which) throws IOException {
    try (Progress progress = step("Starting")) {
      LocalCluster cluster = LocalCluster.create(which, runtime);
      cluster.start();
      progress.done(
          "NameNode and "
              + which.dataNodes()
              + " DataNodes of Hadoop "
              + cluster.nameNode().version()
              + ", replication "
              + which.replication()
              + ", at "
              + cluster.uri());
      report.hadoop(cluster.nameNode().version());
      report.took(step + ".start", progress.seconds());
      return cluster;
    }
  }

  private ClusterConfig withStores(MetadataServers stores) throws IOException {
    if (stores.count() == 0) {
      return config;
    }
    try (Progress progress = step("Starting Redis")) {
      ClusterConfig changed = stores.start();
      progress.done(stores.count() + " servers, one for each DataNode");
      return changed;
    }
  }

  private boolean keepsRecords() {
    return !config.stock()
        && !MetadataStores.NONE.equals(config.site().get(HdrfKeys.METADATA_STORE));
  }

  private void checkRecords(LocalCluster cluster) throws IOException {
    DemoRecords records = new DemoRecords(cluster);
    boolean same;
    try (Progress progress =
        terminal.progress("Comparing records and blocks", 0, Progress.Unit.COUNT)) {
      same = records.check(progress);
      progress.done(same ? "every block has its record" : "RECORDS DIFFER from their blocks");
    }
    report.compared("records", same);
    terminal.result("");
    terminal.table(records.table());
  }

  /** Returns the number of bytes stored. */
  private long put(String step, Hdfs hdfs, List<Source> sources, long bytes) throws IOException {
    LongAdder stored = new LongAdder();
    try (Progress progress = terminal.progress("Writing", bytes, Progress.Unit.BYTES)) {
      for (Source source : sources) {
        hdfs.put(
            source.path(),
            target(source),
            count -> {
              stored.add(count);
              progress.add(count);
            });
      }
      progress.done(sources.size() + " files, " + Sizes.bytes(bytes));
      report.took(step + ".write", progress.seconds());
    }
    return stored.sum();
  }

  private static String target(Source source) {
    return INPUT + "/" + source.name();
  }

  private void wordCount(String step, LocalCluster cluster, Hdfs hdfs, Path result)
      throws IOException {
    try (Progress progress = terminal.progress("WordCount", 100, Progress.Unit.PERCENT)) {
      Job job =
          cluster.submit(
              "wordcount",
              HEAP,
              "org.apache.hadoop.examples.ExampleDriver",
              List.of(
                  "wordcount",
                  "-Dmapreduce.input.fileinputformat.input.dir.recursive=true",
                  INPUT,
                  OUTPUT));
      job.awaitSuccess(
          line -> {
            Matcher percent = MAP_REDUCE.matcher(line);
            if (percent.matches()) {
              progress.raise(
                  (Long.parseLong(percent.group(1)) + Long.parseLong(percent.group(2))) / 2, 100);
            }
          });
      hdfs.getOutput(OUTPUT, result);
      progress.done("output of " + Sizes.bytes(Files.size(result)));
      report.took(step + ".wordcount", progress.seconds());
    }
  }

  /** Copies all files within the cluster, reads the copies and deletes them. */
  private void distCp(LocalCluster cluster, Hdfs hdfs, Map<Source, String> digests, long bytes)
      throws IOException {
    try (Progress progress = terminal.progress("DistCp", bytes, Progress.Unit.BYTES)) {
      cluster
          .submit("distcp", HEAP, "org.apache.hadoop.tools.DistCp", List.of("-m", "2", INPUT, COPY))
          .awaitSuccess(line -> {});
      List<String> wrong = differing(COPY, hdfs, digests, progress);
      progress.done(
          wrong.isEmpty()
              ? "all copies have their originals' checksums"
              : wrong.size() + " COPIES DIFFER: " + wrong);
      report.compared("distCp", wrong.isEmpty());
      report.took("hdrf.distcp", progress.seconds());
    }
    hdfs.delete(COPY);
  }

  private void compareOutputs(Path expected, Path actual) throws IOException {
    long different = Files.mismatch(expected, actual);
    terminal.say(
        different < 0
            ? "The job's output is byte-identical to that on stock HDFS"
            : "THE JOB'S OUTPUT DIFFERS from that on stock HDFS, from byte "
                + different
                + "; both are in "
                + expected.getParent());
    report.compared("jobOutput", different < 0);
  }

  private void readBack(String when, String key, Hdfs hdfs, Map<Source, String> digests, long bytes)
      throws IOException {
    try (Progress progress =
        terminal.progress("Reading back " + when, bytes, Progress.Unit.BYTES)) {
      List<String> wrong = differing(INPUT, hdfs, digests, progress);
      progress.done(
          wrong.isEmpty() ? "all checksums equal" : wrong.size() + " FILES DIFFER: " + wrong);
      report.compared(key, wrong.isEmpty());
      report.took("hdrf." + key, progress.seconds());
    }
  }

  /** Returns the names of files below {@code directory} that differ from their sources. */
  private static List<String> differing(
      String directory, Hdfs hdfs, Map<Source, String> digests, Progress progress)
      throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<Source, String> entry : digests.entrySet()) {
      String name = entry.getKey().name();
      if (!hdfs.sha256(directory + "/" + name, progress::add).equals(entry.getValue())) {
        wrong.add(name);
      }
    }
    return wrong;
  }

  private void drain(LocalCluster cluster) throws IOException {
    try (Progress progress =
        terminal.progress("Waiting for the Reducers", 0, Progress.Unit.COUNT)) {
      cluster.awaitReduced(DRAIN_PATIENCE, progress::set);
      progress.done("all queues are empty");
      report.took("hdrf.drain", progress.seconds());
    }
  }

  /** Waits until the job's output, which is no source text, has left the DataNodes. */
  private static void awaitDeleted(LocalCluster cluster, long bytes) throws IOException {
    long expected = bytes * cluster.config().replication();
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> cluster.diskUsage().logicalBytes() == expected,
        () -> "The DataNodes don't hold " + expected + " bytes, which is what was stored");
  }

  private void restart(LocalCluster cluster) throws IOException {
    try (Progress progress = step("Restarting the DataNodes")) {
      cluster.restartDataNodes();
      progress.done("all are back");
      report.took("hdrf.restart", progress.seconds());
    }
  }

  private void stop(String step, LocalCluster cluster) throws IOException {
    try (Progress progress = step("Stopping")) {
      cluster.stop();
      progress.done("all processes ended");
      report.took(step + ".stop", progress.seconds());
    }
  }

  private Progress step(String label) {
    return terminal.progress(label, 0, Progress.Unit.NONE);
  }

  private static List<DiskUsage> usage(LocalCluster cluster) throws IOException {
    List<DiskUsage> usages = new ArrayList<>();
    for (DataNode dataNode : cluster.dataNodes()) {
      usages.add(dataNode.diskUsage());
    }
    return usages;
  }
}
