/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code hdrf estimate} beside a DataNode that stores the same files in the same order. */
class EstimateTest {
  private static final int VERSIONS = 6;
  private static final int NOISE = 3 << 20;
  private static final String BLOCK_SIZE = Integer.toString(8 << 20);

  private final long seed = Long.getLong("hdrf.test.seed", System.nanoTime());
  private final Random random = new Random(seed);

  @TempDir private Path directory;
  private LocalCluster cluster;

  @AfterEach
  void stop() throws IOException {
    if (cluster != null) {
      cluster.kill();
    }
  }

  /** Writes versions of HDRF's own sources, a part of whose lines changes each time, and noise. */
  private List<Path> files() throws IOException {
    System.out.println("-Dhdrf.test.seed=" + seed);
    Path source = Path.of(System.getProperty("hdrf.test.source"), "hdrf-core/src/main/java");
    List<List<String>> texts = new ArrayList<>();
    try (Stream<Path> tree = Files.walk(source)) {
      for (Path file : tree.filter(path -> path.toString().endsWith(".java")).sorted().toList()) {
        texts.add(new ArrayList<>(Files.readAllLines(file)));
      }
    }
    List<Path> files = new ArrayList<>();
    Path data = Files.createDirectory(directory.resolve("data"));
    for (int version = 0; version < VERSIONS; version++) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (List<String> text : texts) {
        for (String line : text) {
          all.writeBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
        change(text);
      }
      files.add(Files.write(data.resolve("version-" + version), all.toByteArray()));
    }
    byte[] noise = new byte[NOISE];
    random.nextBytes(noise);
    files.add(Files.write(data.resolve("versions-end"), noise));
    return files;
  }

  private void change(List<String> text) {
    for (int changes = random.nextInt(4); changes > 0; changes--) {
      int line = random.nextInt(text.size());
      switch (random.nextInt(3)) {
        case 0 -> text.set(line, text.get(line) + " // " + random.nextInt());
        case 1 -> text.add(line, "    int field" + random.nextInt(1 << 20) + " = 0;");
        default -> {
          if (text.size() > 1) {
            text.remove(line);
          }
        }
      }
    }
  }

  private static long allocated(Path tree, String pattern) throws IOException {
    long sum = 0;
    try (Stream<Path> all = Files.walk(tree)) {
      for (Path file : all.filter(path -> path.toString().matches(pattern)).toList()) {
        sum += io.hdrf.cluster.DiskUsage.allocated(file);
      }
    }
    return sum;
  }

  /** Returns what block files and containers take once they are sealed. */
  private long stored(List<Path> files, String delta) throws Exception {
    Path dist = Path.of(System.getProperty("hdrf.test.dist"));
    HadoopRuntime runtime =
        HadoopRuntime.ofClassPath(
            AssembledHome.hadoopJars().stream().map(Path::toString).toList(),
            List.of(dist.resolve("datanode") + "/*"),
            Optional.of(dist.resolve("plugins")));
    ClusterConfig config =
        ClusterConfig.in(directory.resolve("cluster-" + delta))
            .withDataNodes(1)
            .withReplication(1)
            .withHeaps("256m", "512m")
            .withSchemes("dedup,zstd")
            .with("dfs.blocksize", BLOCK_SIZE)
            .with("hdrf.dedup.delta", delta);
    cluster = LocalCluster.create(config, runtime);
    cluster.start();
    Configuration conf = new Configuration();
    conf.addResource(
        new org.apache.hadoop.fs.Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    try (FileSystem client = FileSystem.newInstance(URI.create(cluster.uri()), conf)) {
      for (Path file : files) {
        try (OutputStream out =
            client.create(new org.apache.hadoop.fs.Path("/" + file.getFileName()))) {
          Files.copy(file, out);
        }
        cluster.awaitReduced(LocalCluster.PATIENCE, pending -> {});
      }
    }
    cluster.stopDataNodes();
    DataNode dataNode = cluster.dataNodes().get(0);
    Path volume = dataNode.volumes().get(0);
    return allocated(volume, ".*/finalized/.*/blk_\\d+")
        + allocated(volume, ".*/dedup/containers/[^/]+\\.hdc");
  }

  private JsonNode estimate(Path hdrf, Path hadoop, List<Path> files) throws Exception {
    Path out = directory.resolve("estimate.json");
    List<String> words = new ArrayList<>(List.of("estimate", "--json", "--chain", "dedup,zstd"));
    words.addAll(List.of("--chunk-size", "5k", "--block-size", BLOCK_SIZE));
    words.addAll(List.of("--conf", cluster.conf().toString(), "--work-dir", directory.toString()));
    files.forEach(file -> words.add(file.toString()));
    Command command =
        new Command(hdrf, words.toArray(new String[0])).with("HADOOP_HOME", hadoop.toString());
    command.builder().redirectErrorStream(false).redirectError(ProcessBuilder.Redirect.DISCARD);
    Files.writeString(out, command.output());
    return new ObjectMapper().readTree(out.toFile()).path("estimates").path(0);
  }

  @Test
  void theEstimateIsWhatADataNodeStores() throws Exception {
    Path hdrf = Unpacked.in(directory).resolve("bin/hdrf");
    Path hadoop = AssembledHome.in(directory.resolve("home")).directory();
    List<Path> files = files();
    double[] stored = new double[2];
    for (String delta : List.of("off", "on")) {
      long found = stored(files, delta);
      JsonNode estimate = estimate(hdrf, hadoop, files);
      long estimated =
          estimate.path("blockFileBytes").asLong() + estimate.path("storeBytes").asLong();
      System.out.printf(
          "hdrf.dedup.delta %s: stored %d, estimated %d, %d of %d new chunks as differences%n",
          delta,
          found,
          estimated,
          estimate.path("chunksAsDifferences").asLong(),
          estimate.path("uniqueChunks").asLong());
      assertThat((double) estimated)
          .as("hdrf.dedup.delta " + delta)
          .isCloseTo((double) found, withinPercentage(3));
      assertThat(estimate.path("chunksAsDifferences").asLong() > 0).isEqualTo(delta.equals("on"));
      stored[delta.equals("on") ? 1 : 0] = found - NOISE;
      cluster.kill();
    }
    assertThat(stored[1]).isLessThan(stored[0] * 3 / 4);
  }
}
