/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.ReducedBlock;
import io.hdrf.io.TestBytes;
import io.hdrf.reduce.SkipReason;
import io.hdrf.spi.io.ChannelFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.hdfs.server.mover.Mover;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** HDFS's storage policies determine the chain of each directory's blocks. */
class StoragePolicyTest {

  private static final int LENGTH = 5 * HdrfCluster.BLOCK_SIZE / 2;
  private static final short REPLICATION = 2;

  private static final String HOT = "HOT";
  private static final String COLD = "COLD";
  private static final String ALL_SSD = "ALL_SSD";

  private static final int LZ4 = 1;
  private static final int DEDUP = 3;
  private static final int HADOOP_CODEC = 4;
  private static final int[] PLAIN = {};

  private final Map<StorageType, int[]> chains = new EnumMap<>(StorageType.class);
  private final Map<String, byte[]> files = new LinkedHashMap<>();
  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private void start(Configuration conf, int datanodes) throws Exception {
    conf.setInt(DFSConfigKeys.DFS_MOVER_RETRY_MAX_ATTEMPTS_KEY, 20);
    cluster =
        HdrfCluster.start(
            conf,
            builder ->
                builder
                    .numDataNodes(datanodes)
                    .storagesPerDatanode(3)
                    .storageTypes(
                        new StorageType[] {
                          StorageType.DISK, StorageType.SSD, StorageType.ARCHIVE
                        }));
  }

  private void write(String directory, String policy, long seed) throws Exception {
    Path path = new Path(directory);
    cluster.fs().mkdirs(path);
    cluster.fs().setStoragePolicy(path, policy);
    byte[] data = TestBytes.text(LENGTH, seed);
    cluster.write(directory + "/file", data, REPLICATION);
    files.put(directory + "/file", data);
  }

  private static int[] chainOf(File file) {
    if (!BlockFiles.isReduced(file)) {
      return PLAIN;
    }
    try (ReducedBlock block =
        ReducedBlock.openUntrusted(file.toPath(), ChannelFile.open(file.toPath()))) {
      return block.header().chainIds();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Whether all replicas of a file are on that storage, stored with its chain. */
  private boolean isStored(String path, StorageType type) {
    try {
      int replicas = 0;
      List<LocatedBlock> blocks = cluster.blocks(path);
      for (LocatedBlock located : blocks) {
        for (int i = 0; i < cluster.mini().getDataNodes().size(); i++) {
          ReplicaInfo replica = cluster.replica(i, located.getBlock());
          if (replica == null) {
            continue;
          }
          replicas++;
          if (replica.getVolume().getStorageType() != type
              || !Arrays.equals(chainOf(new File(replica.getBlockURI())), chains.get(type))) {
            return false;
          }
        }
      }
      return replicas == REPLICATION * blocks.size();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void awaitStored(String path, StorageType type) throws Exception {
    HdrfCluster.await(path + " to be stored as on " + type, () -> isStored(path, type));
    cluster.awaitReduced();
    assertThat(isStored(path, type)).isTrue();
  }

  private void assertFiles() throws Exception {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      TestBytes.assertSame(file.getKey(), cluster.read(file.getKey()), file.getValue());
      for (LocatedBlock located : cluster.blocks(file.getKey())) {
        int from = (int) located.getStartOffset();
        byte[] part =
            Arrays.copyOfRange(file.getValue(), from, from + (int) located.getBlockSize());
        for (int i = 0; i < cluster.mini().getDataNodes().size(); i++) {
          if (cluster.replica(i, located.getBlock()) != null) {
            TestBytes.assertSame(
                located + " on " + i, cluster.replicaBytes(i, located.getBlock()), part);
          }
        }
      }
    }
  }

  private void setPolicy(String directory, String policy) throws IOException {
    cluster.fs().setStoragePolicy(new Path(directory), policy);
  }

  private void runMover() throws Exception {
    Configuration conf = new Configuration(cluster.mini().getConfiguration(0));
    // It sleeps for two of these and one of those between its rounds, and a round may come too
    // soon.
    conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 0);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 0);
    conf.setInt(DFSConfigKeys.DFS_MOVER_RETRY_MAX_ATTEMPTS_KEY, 1000);
    assertThat(ToolRunner.run(conf, new Mover.Cli(), new String[] {"-p", "/"}))
        .as("exit status of the mover")
        .isZero();
  }

  @Test
  void eachDirectoryHasTheChainOfItsStorage() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set("hdrf.schemes", "lz4");
    conf.set("hdrf.schemes.ARCHIVE", "hadoop-codec");
    conf.set("hdrf.hadoop-codec.class", "org.apache.hadoop.io.compress.GzipCodec");
    conf.set("hdrf.schemes.SSD", "none");
    chains.put(StorageType.DISK, new int[] {LZ4});
    chains.put(StorageType.ARCHIVE, new int[] {HADOOP_CODEC});
    chains.put(StorageType.SSD, PLAIN);
    start(conf, 2);
    write("/hot", HOT, 1);
    write("/cold", COLD, 2);
    write("/fast", ALL_SSD, 3);
    awaitStored("/hot/file", StorageType.DISK);
    awaitStored("/cold/file", StorageType.ARCHIVE);
    awaitStored("/fast/file", StorageType.SSD);
    assertThat(cluster.service(0).counters().skippedFor(SkipReason.DECLINED)).isPositive();
    assertThat(cluster.service(0).counters().byChain()).containsOnlyKeys("lz4", "hadoop-codec");
    assertFiles();

    // Each goes to the next storage, two of them to one with another chain.
    setPolicy("/hot", COLD);
    setPolicy("/cold", ALL_SSD);
    setPolicy("/fast", HOT);
    runMover();
    awaitStored("/hot/file", StorageType.ARCHIVE);
    awaitStored("/cold/file", StorageType.SSD);
    awaitStored("/fast/file", StorageType.DISK);
    assertFiles();

    // And back.
    setPolicy("/hot", HOT);
    setPolicy("/cold", COLD);
    setPolicy("/fast", ALL_SSD);
    runMover();
    awaitStored("/hot/file", StorageType.DISK);
    awaitStored("/cold/file", StorageType.ARCHIVE);
    awaitStored("/fast/file", StorageType.SSD);
    assertFiles();

    cluster.restart(0);
    cluster.mini().waitActive();
    assertFiles();
  }

  /** A store of chunks is made where blocks are deduplicated, and nowhere else. */
  @Test
  void onlyTheArchiveIsDeduplicated() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set("hdrf.plugins.dir", System.getProperty("hdrf.test.plugins.with.store"));
    conf.set("hdrf.schemes", "none");
    conf.set("hdrf.schemes.ARCHIVE", "dedup,lz4");
    chains.put(StorageType.DISK, PLAIN);
    chains.put(StorageType.SSD, PLAIN);
    chains.put(StorageType.ARCHIVE, new int[] {DEDUP, LZ4});
    start(conf, 2);
    write("/cold", COLD, 4);
    write("/again", COLD, 4);
    write("/hot", HOT, 4);
    awaitStored("/cold/file", StorageType.ARCHIVE);
    awaitStored("/again/file", StorageType.ARCHIVE);
    awaitStored("/hot/file", StorageType.DISK);
    assertThat(cluster.service(0).schemeStores().metrics().get("dedup").get("bytesNew"))
        .as("the second copy finds the first")
        .isLessThan(LENGTH * 5L / 4);
    for (int i = 0; i < 2; i++) {
      for (FsVolumeImpl volume : cluster.volumes(i)) {
        assertThat(Files.exists(cluster.hdrfDirectory(volume).resolve("dedup")))
            .as("dedup's store on %s", volume)
            .isEqualTo(volume.getStorageType() == StorageType.ARCHIVE);
      }
    }
    setPolicy("/again", HOT);
    setPolicy("/hot", COLD);
    runMover();
    awaitStored("/again/file", StorageType.DISK);
    awaitStored("/hot/file", StorageType.ARCHIVE);
    awaitStored("/cold/file", StorageType.ARCHIVE);
    assertFiles();
  }
}
