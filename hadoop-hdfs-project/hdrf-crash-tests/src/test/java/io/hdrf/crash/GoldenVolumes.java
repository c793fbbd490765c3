/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writes the volumes of an earlier build that the overlay's tests open: {@code
 * -Dtest=io.hdrf.crash.GoldenVolumes -Dhdrf.compatibility.old=DIST -Dhdrf.volumes=DIRECTORY}, where
 * DIST has the layout of {@code bin/hdrf}. Not in the suite, which reads the results. Each is a
 * {@code tar.gz} of the NameNode's and the DataNode's storage, and of {@code files}: path, length
 * and SHA-256 of each file. The DataNode of a chain with {@code dedup} is killed, so that a
 * container and the records' store are left open.
 */
class GoldenVolumes {

  private static final int BLOCK_SIZE = 1 << 15;

  private static final Path DIRECTORY = Path.of("target", "volumes-cluster").toAbsolutePath();

  @AfterEach
  void kill() throws IOException {
    LocalCluster.killLeftovers(DIRECTORY);
  }

  private static Map<String, byte[]> files() {
    Random random = new Random(20261123);
    byte[] text = new byte[3 * BLOCK_SIZE / 2];
    Data.fill(text, true, random);
    byte[] noise = new byte[BLOCK_SIZE / 2 + 1];
    Data.fill(noise, false, random);
    byte[] again = new byte[text.length + 100];
    Data.fill(again, true, random);
    System.arraycopy(text, 0, again, 100, text.length);
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put("/text", text);
    files.put("/noise", noise);
    files.put("/again", again);
    files.put("/short", Arrays.copyOf(text, 30));
    files.put("/zeros", new byte[BLOCK_SIZE]);
    return files;
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "dedup,zstd"})
  void write(String chain) throws Exception {
    LocalCluster.killLeftovers(DIRECTORY);
    FileUtil.fullyDelete(DIRECTORY.toFile());
    ClusterConfig config =
        ClusterConfig.in(DIRECTORY)
            .withDataNodes(1)
            .withReplication(1)
            .withSchemes(chain)
            .with("hdrf.reduce.scan.interval", "1")
            .with("hdrf.dedup.gc.interval", "0")
            .with("hdrf.dedup.dba.capacity", "1000")
            .with("dfs.namenode.fs-limits.min-block-size", "0")
            .with("dfs.blocksize", Integer.toString(BLOCK_SIZE));
    Path dist = Path.of(System.getProperty("hdrf.compatibility.old"));
    LocalCluster cluster = LocalCluster.create(config, HadoopRuntime.ofDist(dist));
    cluster.start();
    StringBuilder list = new StringBuilder();
    DataNode dataNode = cluster.dataNodes().get(0);
    try (DistributedFileSystem fs =
        (DistributedFileSystem)
            FileSystem.newInstance(
                URI.create(cluster.uri()), configuration(cluster, "hdfs-site.xml"))) {
      for (Map.Entry<String, byte[]> file : files().entrySet()) {
        if (file.getKey().equals("/again")) {
          // The data written before goes into a sealed container and into filters' files.
          cluster.awaitReduced(LocalCluster.PATIENCE, left -> {});
          cluster.restartDataNodes();
        }
        try (FSDataOutputStream out = fs.create(new org.apache.hadoop.fs.Path(file.getKey()))) {
          out.write(file.getValue());
        }
        String digest =
            HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file.getValue()));
        list.append(file.getKey() + " " + file.getValue().length + " " + digest + "\n");
      }
      cluster.awaitReduced(LocalCluster.PATIENCE, left -> {});
      fs.setSafeMode(SafeModeAction.SAFEMODE_ENTER);
      fs.saveNamespace();
    }
    if (chain.startsWith("dedup")) {
      dataNode.kill();
    }
    cluster.stop();
    Files.writeString(DIRECTORY.resolve("files"), list);
    Path archive = Path.of(System.getProperty("hdrf.volumes"), chain.replace(',', '-') + ".tar.gz");
    Process tar =
        new ProcessBuilder(
                "tar",
                "-czf",
                archive.toAbsolutePath().toString(),
                "--exclude=in_use.lock",
                "--exclude=LOG*",
                "--owner=0",
                "--group=0",
                "files",
                "namenode/data",
                "datanode-0/data-0")
            .directory(DIRECTORY.toFile())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
  }

  private static Configuration configuration(LocalCluster cluster, String file) {
    Configuration conf = new Configuration();
    conf.addResource(new org.apache.hadoop.fs.Path(cluster.conf().resolve(file).toUri()));
    return conf;
  }
}
