/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.ProcessGuard;
import io.hdrf.cluster.Yarn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Intel HiBench by {@code benchmarks/hibench}, its workloads in turns on stock HDFS and on HDRF:
 * the same input, and the same output. {@code HIBENCH_HOME} names a built HiBench and {@code
 * HADOOP_SCRIPTS} a directory with Hadoop's own shell scripts, without which this is left out; so
 * are Spark's runs without {@code SPARK_HOME}. What each run took, by HiBench's own clock, is in
 * {@code target/hibench.md}.
 */
class HiBenchTest {
  private static final String HIBENCH = System.getenv("HIBENCH_HOME");
  private static final String SCRIPTS = System.getenv("HADOOP_SCRIPTS");
  private static final String SPARK = System.getenv("SPARK_HOME");

  /** Of each micro workload's input. */
  private static final long BYTES = Integer.getInteger("hdrf.hibench.megabytes", 20) * 1_000_000L;

  private static final int BYTES_OF_TERASORT_ROW = 100;

  /** Bytes of input for each page that PageRank or the tables have, roughly. */
  private static final int BYTES_OF_PAGE = 2_000;

  /** The column of HiBench's report. */
  private static final int SECONDS = 4;

  /** Of the workloads' names. */
  private static final String ONLY = System.getProperty("hdrf.hibench.only", ".*");

  private static final Pattern ERROR = Pattern.compile("\\S+ \\S+ (?:ERROR|FATAL) (\\S+: .*)");
  private static final int DATANODES = 3;
  private static final Path DIRECTORY =
      Path.of(System.getProperty("hdrf.test.directory"), "hibench").toAbsolutePath();

  /**
   * A workload.
   *
   * @param name as the directory of its scripts
   * @param directory of its data in HDFS
   * @param output by what its outputs are compared
   * @param parts its programs
   */
  private record Workload(
      String name, String directory, WrittenOutput output, List<String> parts) {}

  private static final List<String> BOTH = List.of("hadoop", "spark");

  /** SQL by Hadoop is Hive's, which HiBench's build downloads from an archive. */
  private static final List<String> SPARK_ONLY = List.of("spark");

  private static final List<Workload> WORKLOADS =
      List.of(
          new Workload("micro/wordcount", "Wordcount", WrittenOutput.RECORDS, BOTH),
          new Workload("micro/sort", "Sort", WrittenOutput.RECORDS, BOTH),
          new Workload("micro/terasort", "Terasort", WrittenOutput.BYTES, BOTH),
          new Workload("websearch/pagerank", "Pagerank", WrittenOutput.RECORDS, BOTH),
          new Workload("sql/scan", "Scan", WrittenOutput.RECORDS, SPARK_ONLY),
          new Workload("sql/aggregation", "Aggregation", WrittenOutput.RECORDS, SPARK_ONLY),
          new Workload("sql/join", "Join", WrittenOutput.RECORDS, SPARK_ONLY));

  /** One of the two clusters. */
  private static final class Side {
    private final String name;
    private final LocalCluster cluster;
    private final Yarn yarn;
    private FileSystem fileSystem;

    Side(String name, boolean stock) throws IOException {
      this.name = name;
      ClusterConfig config =
          ClusterConfig.in(DIRECTORY.resolve(name))
              .withDataNodes(DATANODES)
              .withReplication(DATANODES)
              .withStock(stock);
      cluster =
          LocalCluster.create(config, LineCluster.runtime(AssembledHome.FIRST_LINE).orElseThrow());
      yarn = new Yarn(cluster);
    }

    void start() throws IOException {
      cluster.start();
      yarn.start();
      Configuration conf = new Configuration();
      for (String file : List.of("core-site.xml", "hdfs-site.xml")) {
        conf.addResource(new org.apache.hadoop.fs.Path(cluster.conf().resolve(file).toUri()));
      }
      fileSystem = FileSystem.newInstance(conf);
    }

    private Path report() {
      return DIRECTORY.resolve("report-" + name);
    }

    /** Runs a part of a workload. */
    void run(Workload workload, String part) throws Exception {
      Command command =
          new Command(
                  Path.of(System.getProperty("hdrf.test.source"), "benchmarks/hibench"),
                  workload.name() + "/" + part)
              .with("HADOOP_HOME", home.directory().toString())
              .with("HADOOP_CONF_DIR", cluster.conf().toString())
              .with("HADOOP_OPTS", "--add-opens java.base/java.lang=ALL-UNNAMED")
              .with("SCALE", "hdrf")
              .with("HIBENCH_SETTINGS", settings().toString())
              .with("REPORT", report().toString());
      Files.writeString(
          DIRECTORY.resolve(name + "-" + workload.directory() + "-" + part + ".log"),
          command.output());
    }

    /** What the last run took. */
    double seconds() throws IOException {
      List<String> all = Files.readAllLines(report().resolve("hibench.report"));
      return Double.parseDouble(all.get(all.size() - 1).split("\\s+", -1)[SECONDS]);
    }

    String digest(Workload workload) throws IOException {
      return workload
          .output()
          .digest(fileSystem, new org.apache.hadoop.fs.Path(path(workload, "Output")));
    }

    /** Errors in the DataNodes' logs, without numbers and paths, so that they can be compared. */
    Set<String> errors() throws IOException {
      Set<String> errors = new TreeSet<>();
      for (DataNode dataNode : cluster.dataNodes()) {
        for (String line : Files.readAllLines(dataNode.log(), StandardCharsets.ISO_8859_1)) {
          Matcher matcher = ERROR.matcher(line);
          if (matcher.matches()) {
            errors.add(matcher.group(1).replaceAll("[0-9a-f]{8,}|\\d+|/\\S+", "#"));
          }
        }
      }
      return errors;
    }

    void stop() throws IOException {
      if (fileSystem != null) {
        fileSystem.close();
      }
      yarn.stop();
      cluster.stop();
    }
  }

  private static AssembledHome home;

  private ProcessGuard guard;
  private Side stock;
  private Side reduced;

  @BeforeAll
  static void assemble() throws Exception {
    assumeTrue(HIBENCH != null, "HIBENCH_HOME names no built HiBench");
    assumeTrue(SCRIPTS != null, "HADOOP_SCRIPTS names no directory with Hadoop's own scripts");
    LocalCluster.killLeftovers(DIRECTORY.resolve("stock"));
    LocalCluster.killLeftovers(DIRECTORY.resolve("hdrf"));
    FileUtil.fullyDelete(DIRECTORY.toFile());
    home = AssembledHome.in(DIRECTORY.resolve("hadoop"));
    home.addScripts(Path.of(SCRIPTS));
  }

  @BeforeEach
  void start() throws Exception {
    guard = new ProcessGuard(List.of(DIRECTORY.resolve("stock"), DIRECTORY.resolve("hdrf")));
    stock = new Side("stock", true);
    reduced = new Side("hdrf", false);
    stock.start();
    reduced.start();
  }

  /** Sizes by a profile of their own, and Spark in what YARN has here. */
  private static Path settings() throws IOException {
    long pages = BYTES / BYTES_OF_PAGE;
    List<String> lines =
        new ArrayList<>(
            List.of(
                "hibench.default.map.parallelism 4",
                "hibench.default.shuffle.parallelism 2",
                "hibench.masters.hostnames localhost",
                "hibench.slaves.hostnames localhost",
                "hibench.wordcount.hdrf.datasize " + BYTES,
                "hibench.sort.hdrf.datasize " + BYTES,
                "hibench.terasort.hdrf.datasize " + BYTES / BYTES_OF_TERASORT_ROW,
                "hibench.pagerank.hdrf.pages " + pages,
                "hibench.pagerank.hdrf.num_iterations 3",
                "hibench.pagerank.hdrf.block 0",
                "hibench.pagerank.hdrf.block_width 16",
                "hibench.yarn.executor.num 1",
                "spark.executor.memory 1g",
                "spark.yarn.jars local:" + SPARK + "/jars/*",
                "spark.executorEnv.JAVA_HOME " + System.getProperty("java.home"),
                "spark.yarn.appMasterEnv.JAVA_HOME " + System.getProperty("java.home")));
    for (String workload : List.of("scan", "aggregation", "join")) {
      lines.add("hibench." + workload + ".hdrf.pages " + pages / 10);
      lines.add("hibench." + workload + ".hdrf.uservisits " + pages);
    }
    return Files.write(DIRECTORY.resolve("settings.conf"), lines);
  }

  private static String path(Workload workload, String part) {
    return "/HiBench/" + workload.directory() + "/" + part;
  }

  /** Makes the input on stock HDFS, and copies it, for much of it is random. */
  private void prepare(Workload workload) throws Exception {
    stock.run(workload, "prepare");
    org.apache.hadoop.fs.Path input = new org.apache.hadoop.fs.Path(path(workload, "Input"));
    assertThat(
            FileUtil.copy(
                stock.fileSystem,
                input,
                reduced.fileSystem,
                input,
                false,
                stock.fileSystem.getConf()))
        .isTrue();
    reduced.cluster.awaitReduced(LocalCluster.PATIENCE, pending -> {});
  }

  @Test
  void theSameOutputsAsOnStock() throws Exception {
    StringBuilder table =
        new StringBuilder(
            BYTES / 1_000_000
                + " MB of input for each micro workload\n\n"
                + "| workload | stock: s | HDRF: s | ratio |\n|---|---|---|---|\n");
    List<Side> turns = new ArrayList<>(List.of(stock, reduced));
    for (Workload workload : WORKLOADS) {
      if (!workload.name().matches(ONLY)) {
        continue;
      }
      List<String> parts =
          workload.parts().stream().filter(part -> part.equals("hadoop") || SPARK != null).toList();
      if (!parts.isEmpty()) {
        prepare(workload);
      }
      for (String part : parts) {
        for (Side side : turns) {
          side.run(workload, part);
        }
        Collections.reverse(turns);
        assertThat(reduced.digest(workload))
            .as(workload.name() + " by " + part)
            .isEqualTo(stock.digest(workload));
        table.append(
            String.format(
                Locale.ROOT,
                "| %s, %s | %.1f | %.1f | %.2f |%n",
                workload.name(),
                part,
                stock.seconds(),
                reduced.seconds(),
                reduced.seconds() / stock.seconds()));
        Files.writeString(Path.of("target/hibench.md"), table);
      }
    }
    System.out.println(table);
    for (DataNode dataNode : reduced.cluster.dataNodes()) {
      assertThat(dataNode.hdrfMetrics().get(0).path("BlocksReduced").asLong()).isPositive();
    }
    assertThat(reduced.errors()).isSubsetOf(stock.errors());
  }

  @AfterEach
  void stop() throws Exception {
    try {
      for (Side side : Stream.of(stock, reduced).filter(side -> side != null).toList()) {
        side.stop();
      }
    } finally {
      if (guard != null) {
        guard.close();
      }
    }
  }
}
