/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import io.hdrf.crash.CorruptReplicas.Replica;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CorruptReplicasTest {

  private static final org.apache.hadoop.fs.Path FILE = new org.apache.hadoop.fs.Path("/d/file");
  private static final int LENGTH = 2345;

  private final Path directory =
      Path.of(System.getProperty("hdrf.crash.directory")).resolveSibling("corrupt-replicas");
  private LocalCluster cluster;

  private void start() throws IOException {
    LocalCluster.killLeftovers(directory);
    FileUtil.fullyDelete(directory.toFile());
    ClusterConfig config =
        ClusterConfig.in(directory)
            .withStock(true)
            .withDataNodes(3)
            .withReplication(2)
            .withHeaps("256m", "256m")
            .with("dfs.heartbeat.interval", "1")
            .with("dfs.namenode.redundancy.interval.seconds", "1");
    cluster = LocalCluster.create(config, HadoopRuntime.ofThisJvm(Optional.empty()));
    cluster.start();
  }

  @AfterEach
  void kill() throws IOException {
    LocalCluster.killLeftovers(directory);
  }

  private static void write(DistributedFileSystem fs, org.apache.hadoop.fs.Path path, int copies)
      throws IOException {
    try (FSDataOutputStream out = fs.create(path, (short) copies)) {
      out.write(new byte[LENGTH]);
    }
  }

  private static LocatedBlock block(DistributedFileSystem fs) throws IOException {
    return fs.getClient().getLocatedBlocks(FILE.toString(), 0).get(0);
  }

  /**
   * The messages of stock processes about a copied block, and about a replica that is reported as
   * bad.
   */
  @Test
  void whichReplicasWereCopiedAndWhichAreCorrupt() throws Exception {
    start();
    Configuration conf = new Configuration();
    conf.addResource(
        new org.apache.hadoop.fs.Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    try (DistributedFileSystem fs =
        (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.uri()), conf)) {
      write(fs, new org.apache.hadoop.fs.Path("/sound"), 2);
      write(fs, FILE, 1);
      DatanodeInfo first = block(fs).getLocations()[0];
      fs.setReplication(FILE, (short) 3);
      Waiting.until(
          LocalCluster.PATIENCE,
          () -> block(fs).getLocations().length == 3,
          () -> "there are no three replicas");
      LocatedBlock block = block(fs);
      Map<Replica, Long> expected = new HashMap<>();
      for (DatanodeInfo location : block.getLocations()) {
        if (!location.equals(first)) {
          expected.put(
              new Replica(block.getBlock().toString(), location.getXferAddr()), (long) LENGTH);
        }
      }
      Map<Replica, Long> copied = new HashMap<>();
      for (DataNode dataNode : cluster.dataNodes()) {
        copied.putAll(CorruptReplicas.copied(Files.readString(dataNode.log())));
      }
      assertThat(copied).isEqualTo(expected);

      assertThat(CorruptReplicas.of(cluster.uri(), conf)).isEmpty();
      int second = block.getLocations()[0].equals(first) ? 1 : 0;
      LocatedBlock bad =
          new LocatedBlock(
              block.getBlock(),
              new DatanodeInfo[] {block.getLocations()[second]},
              new String[] {block.getStorageIDs()[second]},
              new org.apache.hadoop.fs.StorageType[] {block.getStorageTypes()[second]});
      fs.getClient().reportBadBlocks(new LocatedBlock[] {bad});
      Waiting.until(
          LocalCluster.PATIENCE,
          () -> fs.getCorruptBlocksCount() == 1,
          () -> "the NameNode counts no corrupt block");
      Replica corrupt =
          new Replica(block.getBlock().toString(), block.getLocations()[second].getXferAddr());
      assertThat(CorruptReplicas.of(cluster.uri(), conf)).isEqualTo(Map.of(corrupt, (long) LENGTH));
    }
  }

  /** Messages of a DataNode that lost a replica so. */
  @Test
  void whatIsReceivedBeforeTheOldFileIsDeletedIsLost() {
    String log =
        "Received BP-1-127.0.0.1-5:blk_10_21 src: /127.0.0.1:1 dest: /127.0.0.1:7002 of size 9\n"
            + "Deleted BP-1-127.0.0.1-5 blk_10_20 URI file:/blk_10\n"
            + "Received BP-1-127.0.0.1-5:blk_11_20 src: /127.0.0.1:1 dest: /127.0.0.1:7002 of size 9\n"
            + "Deleted BP-1-127.0.0.1-5 blk_11_20 URI file:/blk_11\n"
            + "Deleted BP-1-127.0.0.1-5 blk_12_20 URI file:/blk_12\n"
            + "Received BP-1-127.0.0.1-5:blk_12_21 src: /127.0.0.1:1 dest: /127.0.0.1:7002 of size 9\n";
    assertThat(CorruptReplicas.deleted(log))
        .containsExactly(new Replica("BP-1-127.0.0.1-5:blk_10_21", "127.0.0.1:7002"));
  }

  @Test
  void theShortestCopyOfEachReplicaCounts() {
    String log =
        "Transmitted BP-1-127.0.0.1-5:blk_10_20 (numBytes=700) to /127.0.0.1:7002\n"
            + "Transmitted BP-1-127.0.0.1-5:blk_10_20 (numBytes=300) to /127.0.0.1:7002\n"
            + "Transmitted BP-1-127.0.0.1-5:blk_10_20 (numBytes=900) to /127.0.0.1:7003\n"
            + "Starting thread to transfer BP-1-127.0.0.1-5:blk_10_20 to 127.0.0.1:7002 127.0.0.1:7004 \n"
            + "Transmitted BP-1-127.0.0.1-5:blk_10_21 (numBytes=100) to host/127.0.0.1:7002\n"
            + "Starting thread to transfer BP-1-127.0.0.1-5:blk_11_20 to 127.0.0.1:7002 \n"
            + "Transmitted BP-1-127.0.0.1-5:blk_11_20 (numBytes=50) to /127.0.0.1:7002\n";
    assertThat(CorruptReplicas.copied(log))
        .isEqualTo(
            Map.of(
                new Replica("BP-1-127.0.0.1-5:blk_10_20", "127.0.0.1:7002"), 300L,
                new Replica("BP-1-127.0.0.1-5:blk_10_20", "127.0.0.1:7003"), 900L,
                new Replica("BP-1-127.0.0.1-5:blk_10_20", "127.0.0.1:7004"), 300L,
                new Replica("BP-1-127.0.0.1-5:blk_10_21", "127.0.0.1:7002"), 100L,
                new Replica("BP-1-127.0.0.1-5:blk_10_21", "127.0.0.1:7004"), 100L,
                new Replica("BP-1-127.0.0.1-5:blk_11_20", "127.0.0.1:7002"), 50L));
  }
}
