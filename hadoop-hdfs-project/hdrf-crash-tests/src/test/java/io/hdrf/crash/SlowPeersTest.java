/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mirroring between DataNode processes one of which is suspended, and slow readers. */
class SlowPeersTest {

  private static final int REPLICATION = 3;
  private static final int BLOCK_SIZE = 4 << 20;

  private final java.nio.file.Path directory =
      Paths.get(System.getProperty("hdrf.crash.directory")).resolveSibling("slow-peers");
  private final Random random = TestSeed.random(SlowPeersTest.class.getName());
  private LocalCluster cluster;

  private void start(String chain) throws IOException {
    LocalCluster.killLeftovers(directory);
    FileUtil.fullyDelete(directory.toFile());
    ClusterConfig config =
        ClusterConfig.in(directory)
            .withDataNodes(REPLICATION + 1)
            .withReplication(REPLICATION)
            .withSchemes(chain)
            .withHeaps("256m", "256m")
            .with("hdrf.reduce.scan.interval", "1")
            // Otherwise whether frames go to others depends on how fast the link is.
            .with("hdrf.mirror.enabled", "true")
            .with("dfs.blocksize", Integer.toString(BLOCK_SIZE))
            .with("dfs.client.socket-timeout", "2000")
            .with("dfs.datanode.socket.write.timeout", "2000")
            .with("dfs.heartbeat.interval", "1")
            .with("dfs.namenode.redundancy.interval.seconds", "1")
            .with("dfs.namenode.redundancy.considerLoad", "false")
            // With this chain no new block goes to a DataNode that stalls; with others it may.
            .with("dfs.namenode.avoid.write.stale.datanode", Boolean.toString(chain.equals("lz4")))
            .with("dfs.namenode.stale.datanode.interval", "3000")
            .with("dfs.namenode.reconstruction.pending.timeout-sec", "3")
            .with("dfs.blockreport.intervalMsec", "2000");
    java.nio.file.Path plugins = Paths.get(System.getProperty("hdrf.test.plugins"));
    cluster = LocalCluster.create(config, HadoopRuntime.ofThisJvm(Optional.of(plugins)));
    cluster.start();
  }

  @AfterEach
  void kill() throws IOException {
    LocalCluster.killLeftovers(directory);
  }

  private DistributedFileSystem client() throws IOException {
    Configuration conf = new Configuration();
    conf.addResource(new Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    conf.set("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
    return (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.uri()), conf);
  }

  private byte[] text(int length) {
    byte[] data = new byte[length];
    Data.fill(data, true, random);
    return data;
  }

  private DataNode at(DatanodeInfo location) throws IOException {
    for (DataNode dataNode : cluster.dataNodes()) {
      if (dataNode.ipcAddress().getPort() == location.getIpcPort()) {
        return dataNode;
      }
    }
    throw new AssertionError("no DataNode is " + location);
  }

  private static void checkReplicas(DistributedFileSystem fs, String path, byte[] expected)
      throws Exception {
    Replicas.check(() -> checkNamedReplicas(fs, path, expected));
  }

  private static void checkNamedReplicas(DistributedFileSystem fs, String path, byte[] expected)
      throws IOException {
    List<LocatedBlock> blocks = new ArrayList<>();
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> {
          blocks.clear();
          blocks.addAll(
              fs.getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks());
          // An excess replica may stay: the NameNode does not repeat the order to delete it.
          return blocks.stream()
              .allMatch(block -> !block.isCorrupt() && block.getLocations().length >= REPLICATION);
        },
        () -> path + " does not have its replicas: " + blocks);
    for (LocatedBlock block : blocks) {
      int begin = (int) block.getStartOffset();
      byte[] part = Arrays.copyOfRange(expected, begin, begin + (int) block.getBlockSize());
      for (DatanodeInfo location : block.getLocations()) {
        assertThat(Arrays.equals(Replicas.read(fs, block, location), part))
            .as("%s, %s on %s has the bytes that were written", path, block.getBlock(), location)
            .isTrue();
      }
    }
  }

  private long sum(String metric) throws IOException {
    long sum = 0;
    for (DataNode dataNode : cluster.dataNodes()) {
      for (JsonNode bean : dataNode.hdrfMetrics()) {
        sum += bean.path(metric).asLong();
      }
    }
    return sum;
  }

  /** Any DataNode of the pipeline may stall; the client notices and goes on with the others. */
  @ParameterizedTest
  @ValueSource(strings = {"lz4", "dedup,lz4"})
  void aStalledDataNodeIsLeftOut(String chain) throws Exception {
    start(chain);
    String path = "/stalled";
    byte[] data = text(BLOCK_SIZE + BLOCK_SIZE / 2);
    int half = BLOCK_SIZE / 3;
    try (DistributedFileSystem fs = client()) {
      try (FSDataOutputStream out = fs.create(new Path(path))) {
        out.write(data, 0, half);
        out.hflush();
        DatanodeInfo[] pipeline = ((DFSOutputStream) out.getWrappedStream()).getPipeline();
        DataNode stalled = at(pipeline[random.nextInt(REPLICATION)]);
        stalled.suspend();
        try {
          out.write(data, half, data.length - half);
          out.hflush();
          byte[] visible = new byte[data.length];
          try (FSDataInputStream in = fs.open(new Path(path))) {
            in.readFully(0, visible);
          }
          assertThat(Arrays.equals(visible, data)).as("what hflush made visible").isTrue();
        } finally {
          stalled.resume();
        }
      }
      checkReplicas(fs, path, data);
      cluster.awaitReduced(LocalCluster.PATIENCE, pending -> {});
      checkReplicas(fs, path, data);
      assertThat(sum("MirrorFramesForwarded")).isPositive();
      assertThat(sum("CorruptBlocks")).isZero();
    }
  }

  /** Blocks are reduced while slow readers read them, and deleted while others read. */
  @ParameterizedTest
  @ValueSource(strings = {"lz4", "dedup,lz4"})
  void aSlowReaderSeesTheSameBytes(String chain) throws Exception {
    start(chain);
    ExecutorService threads = Executors.newCachedThreadPool();
    byte[] data = text(2 * BLOCK_SIZE);
    try (DistributedFileSystem fs = client()) {
      List<Future<byte[]>> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        String path = "/read-" + i;
        try (FSDataOutputStream out = fs.create(new Path(path))) {
          out.write(data);
        }
        for (int j = 0; j < 2; j++) {
          readers.add(threads.submit(() -> readSlowly(fs, path, data.length)));
        }
      }
      cluster.awaitReduced(LocalCluster.PATIENCE, pending -> {});
      assertThat(sum("BlocksReduced")).isPositive();
      for (Future<byte[]> reader : readers) {
        assertThat(Arrays.equals(reader.get(), data)).as("what a slow reader read").isTrue();
      }
      for (int i = 0; i < 3; i++) {
        checkReplicas(fs, "/read-" + i, data);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static byte[] readSlowly(DistributedFileSystem fs, String path, int length)
      throws IOException, InterruptedException {
    byte[] data = new byte[length];
    try (FSDataInputStream in = fs.open(new Path(path))) {
      int piece = length / 100;
      for (int done = 0; done < length; done += piece) {
        in.readFully(data, done, Math.min(piece, length - done));
        Thread.sleep(60);
      }
    }
    return data;
  }
}
