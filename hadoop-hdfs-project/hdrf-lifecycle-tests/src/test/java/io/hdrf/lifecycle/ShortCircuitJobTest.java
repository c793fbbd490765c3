/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import io.hdrf.lifecycle.reader.Reader;
import io.hdrf.scheme.PluginJarBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A cluster of processes with short-circuit reads enabled, as in most clusters: Hadoop's native
 * library, domain sockets, clients and a job from the command line.
 */
class ShortCircuitJobTest {
  private static final int DATA_NODES = 3;
  private static final int BLOCKS = 5;
  private static final int LENGTH = BLOCKS << 20;
  private static final int WORDS = 2000;
  private static final int LINE = 100;
  private static final int PREADS = 200;

  /** The warnings of HDFS's client about DataNodes that decline, once for each of them. */
  private static final int WARNINGS = 2 * DATA_NODES;

  private final Path directory = Path.of(System.getProperty("hdrf.test.directory"));
  private Path sockets;
  private ShellCluster cluster;
  private DistributedFileSystem client;

  @BeforeEach
  void start() throws Exception {
    FileUtil.fullyDelete(directory.toFile());
    Path unpacked = Unpacked.in(directory);
    // A socket's path must be short, and no other user may write to any directory above it.
    sockets = Files.createTempDirectory(Path.of(System.getProperty("user.home")), ".hdrf");
    cluster = new ShellCluster(directory.resolve("cluster"), DATA_NODES, DATA_NODES);
    String lines =
        property("dfs.client.read.shortcircuit", "true")
            + property("dfs.domain.socket.path", sockets.resolve("_PORT").toString());
    for (ShellCluster.Node node : cluster.nodes()) {
      node.home().addNativeLibrary();
      node.install(unpacked, lines);
    }
    AssembledHome clients = cluster.nameNodeHome();
    clients.addNativeLibrary();
    new PluginJarBuilder()
        .packageOf(Reader.class)
        .write(clients.directory().resolve("share/hadoop/common/lib/reader.jar"));
    cluster.configureClients(lines);
    cluster.start();
    client = cluster.client();
  }

  @AfterEach
  void stop() throws IOException {
    if (client != null) {
      client.close();
    }
    if (cluster != null) {
      cluster.close();
    }
    FileUtil.fullyDelete(sockets.toFile());
  }

  private static String property(String name, String value) {
    return "<property><name>" + name + "</name><value>" + value + "</value></property>\n";
  }

  private static String words() {
    Random random = new Random(1);
    StringBuilder text = new StringBuilder(LENGTH);
    while (text.length() < LENGTH - LINE) {
      text.append("word").append(random.nextInt(WORDS)).append(random.nextInt(8) == 0 ? '\n' : ' ');
    }
    return text.append("x".repeat(LENGTH - text.length() - 1)).append('\n').toString();
  }

  private void write(String path, byte[] data, short replication) throws IOException {
    long before = reducedBlocks();
    try (FSDataOutputStream out = client.create(new org.apache.hadoop.fs.Path(path), replication)) {
      out.write(data);
    }
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> reducedBlocks() - before == BLOCKS * replication,
        () -> "Blocks of " + path + " stay plain");
  }

  private long reducedBlocks() throws IOException {
    long sum = 0;
    for (ShellCluster.Node node : cluster.nodes()) {
      for (var bean : node.hdrfMetrics()) {
        sum += bean.path("BlocksReduced").asLong();
      }
    }
    return sum;
  }

  /** Runs a client to its end and returns its output; its log must show no failure. */
  private String run(String... arguments) throws Exception {
    Path out = directory.resolve("out");
    Path log = directory.resolve("log");
    int status =
        cluster
            .nameNodeHome()
            .hdfs(arguments)
            .with("HADOOP_OPTS", "--add-opens java.base/java.lang=ALL-UNNAMED -Xmx512m")
            .builder()
            .redirectErrorStream(false)
            .redirectOutput(out.toFile())
            .redirectError(log.toFile())
            .start()
            .waitFor();
    String logged = Files.readString(log);
    assertThat(status).as(logged).isZero();
    assertThat(logged).doesNotContain("Exception", " ERROR ", "\tat ");
    assertThat(logged.lines().filter(line -> line.matches(".* WARN (?!impl.Metrics).*")))
        .as(logged)
        .hasSizeLessThanOrEqualTo(WARNINGS);
    return Files.readString(out);
  }

  private void readBy(short replication, String text) throws Exception {
    String file = "/input" + replication + "/words";
    byte[] data = text.getBytes(StandardCharsets.US_ASCII);
    write(file, data, replication);
    Path copy = Files.write(directory.resolve("words"), data);

    assertThat(run("dfs", "-cat", file).equals(text)).as("-cat %s", file).isTrue();
    assertThat(
            run(
                "io.hdrf.lifecycle.reader.Reader",
                file,
                copy.toString(),
                Integer.toString(PREADS),
                "7"))
        .containsPattern("local \\d+, short-circuit 0, remote 0");
    run(
        "org.apache.hadoop.examples.ExampleDriver",
        "wordcount",
        "-Dmapreduce.framework.name=local",
        // The local runner reads ahead from files that it has closed, and logs the failure.
        "-Dmapreduce.ifile.readahead=false",
        "-Dmapreduce.cluster.local.dir=" + directory.resolve("job"),
        "/input" + replication,
        "/words" + replication);
    Map<String, Long> counts = new TreeMap<>();
    run("dfs", "-cat", "/words" + replication + "/part-r-00000")
        .lines()
        .map(line -> line.split("\t"))
        .filter(fields -> fields.length == 2)
        .forEach(fields -> counts.put(fields[0], Long.parseLong(fields[1])));
    assertThat(counts)
        .isEqualTo(
            new TreeMap<>(
                text.lines()
                    .flatMap(line -> Arrays.stream(line.split(" ")))
                    .collect(Collectors.groupingBy(word -> word, Collectors.counting()))));
  }

  @Test
  void clientsAndAJobReadReducedBlocks() throws Exception {
    String text = words();
    readBy((short) 1, text);
    readBy((short) 3, text);
  }
}
