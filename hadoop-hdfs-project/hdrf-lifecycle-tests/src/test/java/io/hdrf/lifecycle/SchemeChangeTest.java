/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.ReducedBlock;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import io.hdrf.io.LiveFiles;
import io.hdrf.lifecycle.aged.AgedScheme;
import io.hdrf.lifecycle.aged.first.FirstVersion;
import io.hdrf.lifecycle.aged.second.SecondVersion;
import io.hdrf.scheme.PluginJarBuilder;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A DataNode restarted with another chain, with another version of a scheme, and without the
 * scheme.
 */
class SchemeChangeTest {
  private static final int LENGTH = 700_000;
  private static final int AGED = new FirstVersion().id();

  @TempDir private Path directory;
  private final Map<String, byte[]> files = new LinkedHashMap<>();
  private Path plugins;
  private ClusterConfig config;
  private HadoopRuntime runtime;
  private LocalCluster cluster;

  @AfterEach
  void stop() throws IOException {
    if (cluster != null) {
      cluster.kill();
    }
  }

  private Path plugIn(String name, Class<? extends ReductionScheme> version) throws IOException {
    return new PluginJarBuilder()
        .packageOf(AgedScheme.class)
        .packageOf(version)
        .scheme(version.getName())
        .write(plugins.resolve(name));
  }

  private void restartWith(String schemes) throws IOException {
    if (cluster != null) {
      cluster.stopDataNodes();
    }
    config = config.withSchemes(schemes);
    cluster = LocalCluster.create(config, runtime);
    cluster.start();
  }

  private DistributedFileSystem client() throws IOException {
    Configuration conf = new Configuration();
    for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
      conf.addResource(new org.apache.hadoop.fs.Path(cluster.conf().resolve(name).toUri()));
    }
    return (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.uri()), conf);
  }

  /** Writes a file of one block, waits until it is reduced, and returns the block's file. */
  private Path write(String name) throws IOException {
    byte[] data = Traffic.text(LENGTH, name.hashCode());
    List<Path> before = blockFiles();
    try (DistributedFileSystem client = client();
        OutputStream out = client.create(new org.apache.hadoop.fs.Path(name))) {
      out.write(data);
    }
    files.put(name, data);
    cluster.awaitReduced(LocalCluster.PATIENCE, pending -> {});
    List<Path> after = blockFiles();
    after.removeAll(before);
    assertThat(after).hasSize(1);
    return after.get(0);
  }

  private List<Path> blockFiles() throws IOException {
    List<Path> files = LiveFiles.below(cluster.dataNodes().get(0).volumes().get(0));
    files.removeIf(file -> !file.getFileName().toString().matches("blk_\\d+"));
    return files;
  }

  private void readAll() throws IOException {
    try (DistributedFileSystem client = client()) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Traffic.assertSame(client, new org.apache.hadoop.fs.Path(file.getKey()), file.getValue());
      }
    }
  }

  private static int[] chain(Path file) throws IOException {
    try (ReducedBlock block = ReducedBlock.openUntrusted(file, ChannelFile.open(file))) {
      return block.header().chainIds();
    }
  }

  /** Returns the version that wrote a block's first frame. */
  private static byte version(Path file) throws IOException {
    try (ReducedBlock block = ReducedBlock.openUntrusted(file, ChannelFile.open(file))) {
      ByteBuffer frame = ByteBuffer.allocateDirect(block.frames().storedLength(0));
      block.readStored(0, frame);
      return frame.get(0);
    }
  }

  private static List<String> paths(Stream<Path> jars) {
    return jars.map(Path::toString).toList();
  }

  @Test
  void blocksOutliveChangesOfTheirScheme() throws Exception {
    Path dist = Path.of(System.getProperty("hdrf.test.dist"));
    plugins = Files.createDirectories(directory.resolve("plugins"));
    try (Stream<Path> jars = Files.list(dist.resolve("plugins"))) {
      for (Path jar : jars.filter(path -> path.toString().contains("lz4")).toList()) {
        Files.copy(jar, plugins.resolve(jar.getFileName()));
      }
    }
    runtime =
        HadoopRuntime.ofClassPath(
            paths(AssembledHome.hadoopJars().stream()),
            List.of(dist.resolve("datanode") + "/*"),
            Optional.of(plugins));
    config =
        ClusterConfig.in(directory.resolve("cluster"))
            .withDataNodes(1)
            .withReplication(1)
            .withHeaps("256m", "256m");

    Path first = plugIn("aged-1.jar", FirstVersion.class);
    restartWith("aged");
    Path old = write("/old");
    assertThat(chain(old)).containsExactly(AGED);
    assertThat(version(old)).isEqualTo((byte) 1);

    restartWith("lz4");
    readAll();
    Path other = write("/other");
    assertThat(chain(other)).isNotEmpty().doesNotContain(AGED);
    assertThat(chain(old)).as("an old block keeps its chain").containsExactly(AGED);

    Path second = plugIn("aged-2.jar", SecondVersion.class);
    Files.delete(first);
    restartWith("aged");
    readAll();
    Path young = write("/young");
    assertThat(version(young)).isEqualTo((byte) 2);
    assertThat(version(old)).isEqualTo((byte) 1);
    readAll();

    Path aside = Files.move(second, directory.resolve("aside.jar"));
    assertMissingSchemeStops(
        "lz4",
        "has 2 blocks that need the scheme \"aged\" (id " + AGED + ")",
        "put its jar into hdrf.plugins.dir (" + plugins + ")");
    assertMissingSchemeStops(
        "aged",
        "there is no scheme \"aged\"; installed in " + plugins,
        "this DataNode has 2 blocks that need the scheme \"aged\" (id " + AGED + ")");
    Files.move(aside, second);
    restartWith("lz4");
    readAll();
  }

  /** Checks that its only volume doesn't start, so neither does the DataNode. */
  private void assertMissingSchemeStops(String configured, String... messages) throws IOException {
    cluster.stopDataNodes();
    config = config.withSchemes(configured);
    cluster = LocalCluster.create(config, runtime);
    DataNode dataNode = cluster.dataNodes().get(0);
    long logged = Files.size(dataNode.log());
    try {
      cluster.start();
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("DataNode 0 ended while it was starting");
    }
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> !dataNode.isAlive(),
        () -> "The DataNode runs without a scheme that its blocks need");
    assertThat(Files.readString(dataNode.log()).substring((int) logged)).contains(messages);
  }
}
