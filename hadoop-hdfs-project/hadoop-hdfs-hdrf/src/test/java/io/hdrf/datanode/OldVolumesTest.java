/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.LogCapture;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Volumes that an earlier build wrote, with its store {@code embedded}, must be served for ever.
 * {@code io.hdrf.crash.GoldenVolumes} wrote them, by the build of commit e551c68.
 */
class OldVolumesTest {

  private static final int BLOCK_SIZE = 1 << 15;
  private static final int BLOCKS = 7;

  @TempDir private Path unpacked;
  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Configuration configuration(String chain) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.set(HdrfKeys.SCHEMES, chain);
    conf.setInt("hdrf.metadata.flush.interval", 20);
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.dba.capacity", "1000");
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK_SIZE);
    return conf;
  }

  private void unpack(String archive) throws IOException {
    Path file = unpacked.resolve(archive);
    try (InputStream in = OldVolumesTest.class.getResourceAsStream("volumes/" + archive)) {
      Files.copy(in, file);
    }
    FileUtil.unTar(file.toFile(), unpacked.toFile());
  }

  /** Starts today's NameNode and DataNode on the unpacked volume. */
  private void start(Configuration conf) throws IOException {
    cluster = HdrfCluster.start(conf, 1);
    List<URI> names = List.copyOf(cluster.mini().getNameDirs(0));
    File data = cluster.mini().getInstanceStorageDir(0, 0);
    cluster.restartUpgraded(
        conf,
        () -> {
          for (URI name : names) {
            replace(new File(name), unpacked.resolve("namenode/data"));
          }
          replace(data, unpacked.resolve("datanode-0/data-0"));
        });
  }

  private static void replace(File directory, Path by) throws IOException {
    FileUtil.fullyDeleteContents(directory);
    Process copy = new ProcessBuilder("cp", "-a", by + "/.", directory.toString()).start();
    try {
      assertThat(copy.waitFor()).as("cp").isZero();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Paths, and of each length and SHA-256. */
  private Map<String, String> listed() throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    for (String line : Files.readAllLines(unpacked.resolve("files"))) {
      files.put(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1));
    }
    return files;
  }

  private Map<String, String> read() throws Exception {
    Map<String, String> files = new LinkedHashMap<>();
    for (String path : listed().keySet()) {
      byte[] data = cluster.read(path);
      cluster.assertContent(path, data);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(data);
      files.put(path, data.length + " " + HexFormat.of().formatHex(digest));
    }
    return files;
  }

  private AdminClient admin() throws IOException {
    return AdminClient.connect(
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), cluster.mini().getDataNodes().get(0).getIpcPort()),
        cluster.conf());
  }

  private void assertHealthy() throws Exception {
    try (AdminClient admin = admin()) {
      for (VolumeInfo store : admin.schemeStores()) {
        assertThat(admin.checkReferences(store).isClean()).isTrue();
      }
      // Blocks, then missing, wrong, extra and unreadable ones: records follow their blocks.
      String[][] check = new String[1][];
      HdrfCluster.await(
          "the records to be in step",
          () -> {
            try {
              VolumeInfo volume = admin.volumes().get(0);
              check[0] = admin.check(volume, false);
              return volume.status().equals("in step")
                  && volume.pending() == 0
                  && Arrays.stream(check[0], 1, 5).allMatch("0"::equals);
            } catch (IOException e) {
              return false;
            }
          });
      // Those that a truncation left over are deleted later.
      assertThat(Integer.parseInt(check[0][0])).isBetween(BLOCKS, BLOCKS + 1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {"lz4.tar.gz lz4", "dedup-zstd.tar.gz dedup,zstd"})
  void everyByteIsReadAndKept(String archive, String chain) throws Exception {
    unpack(archive);
    try (LogCapture errors = new LogCapture(Level.ERROR)) {
      start(configuration(chain));
      assertThat(read()).isEqualTo(listed());
      assertThat(cluster.plainReplicas("/text")).isEmpty();
      assertThat(cluster.plainReplicas("/zeros")).isEmpty();
      assertThat(cluster.plainReplicas("/short")).hasSize(1);
      assertHealthy();

      byte[] text = cluster.read("/text");
      cluster.append("/text", text);
      cluster.awaitReduced("/text");
      byte[] twice = Arrays.copyOf(text, 2 * text.length);
      System.arraycopy(text, 0, twice, text.length, text.length);
      cluster.assertContent("/text", twice);
      cluster.fs().truncate(new org.apache.hadoop.fs.Path("/text"), text.length);
      cluster.awaitClosed("/text");
      try (AdminClient admin = admin()) {
        for (VolumeInfo store : admin.schemeStores()) {
          admin.reclaim(store);
          admin.reclaim(store);
        }
      }
      assertThat(read()).isEqualTo(listed());

      cluster.restartUpgraded(configuration(chain), () -> {});
      assertThat(read()).isEqualTo(listed());
      assertHealthy();
      try (Stream<Path> paths = Files.walk(cluster.mini().getInstanceStorageDir(0, 0).toPath())) {
        assertThat(paths.map(path -> path.getFileName().toString()))
            .noneMatch(name -> name.contains("damaged") || name.startsWith("quarantine"));
      }
      assertThat(errors.all()).doesNotContainIgnoringCase("hdrf");
    }
  }
}
