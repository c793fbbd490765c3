/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HdrfKeys;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;

/** A MiniDFSCluster whose DataNodes run HDRF, and what tests ask of it. */
public final class HdrfCluster implements AutoCloseable {

  static final int BLOCK_SIZE = 1 << 20;

  private final MiniDFSCluster cluster;
  private final Configuration conf;

  private HdrfCluster(MiniDFSCluster cluster, Configuration conf) {
    this.cluster = cluster;
    this.conf = conf;
  }

  /** A configuration with small blocks, the chain lz4, and a Reducer that wakes often. */
  public static Configuration configuration() {
    Configuration conf = new HdfsConfiguration();
    conf.set(
        "dfs.datanode.fsdataset.factory",
        "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasetFactory");
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins"));
    conf.set(HdrfKeys.SCHEMES, "lz4");
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK_SIZE);
    conf.setLong(DFSConfigKeys.DFS_NAMENODE_MIN_BLOCK_SIZE_KEY, 0);
    conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 1);
    conf.setInt("hdrf.reduce.scan.interval", 1);
    conf.setLong("fs.du.interval", 3_600_000);
    return conf;
  }

  /** Starts a cluster in a directory of its own. */
  public static HdrfCluster start(Configuration conf, int datanodes) throws IOException {
    return start(conf, datanodes, 1);
  }

  public static HdrfCluster start(Configuration conf, int datanodes, int volumes)
      throws IOException {
    Path target = Paths.get(System.getProperty("test.build.data", "target/test-data"));
    Files.createDirectories(target);
    File directory = Files.createTempDirectory(target, "cluster").toFile();
    MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(conf, directory)
            .numDataNodes(datanodes)
            .storagesPerDatanode(volumes)
            .build();
    cluster.waitActive();
    return new HdrfCluster(cluster, conf);
  }

  public MiniDFSCluster mini() {
    return cluster;
  }

  public Configuration conf() {
    return conf;
  }

  public DistributedFileSystem fs() throws IOException {
    return cluster.getFileSystem();
  }

  public HdrfService service(int datanode) {
    return HdrfDatasets.service(cluster.getDataNodes().get(datanode));
  }

  /** Waits until no DataNode has anything left to reduce. */
  public void awaitReduced() throws InterruptedException {
    for (DataNode datanode : cluster.getDataNodes()) {
      HdrfService service = HdrfDatasets.service(datanode);
      await("the Reducer to be idle", () -> service.pending() == 0);
    }
  }

  /** Waits until the file's blocks are reduced on all their DataNodes. */
  public void awaitReduced(String path) throws Exception {
    await("all blocks of " + path + " to be reduced", () -> plainReplicas(path).isEmpty());
  }

  /** The replicas of a file that are plain. */
  public List<File> plainReplicas(String path) {
    List<File> plain = new ArrayList<>();
    for (File file : replicas(path)) {
      if (!isReduced(file)) {
        plain.add(file);
      }
    }
    return plain;
  }

  /** Every replica's file of a file's blocks. */
  public List<File> replicas(String path) {
    try {
      List<File> files = new ArrayList<>();
      for (LocatedBlock located :
          DFSTestUtil.getAllBlocks(fs(), new org.apache.hadoop.fs.Path(path))) {
        ExtendedBlock block = located.getBlock();
        for (int datanode = 0; datanode < cluster.getDataNodes().size(); datanode++) {
          File file = cluster.getBlockFile(datanode, block);
          if (file != null && file.exists()) {
            files.add(file);
          }
        }
      }
      return files;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Whether a block's file begins with HDRF's magic. */
  public static boolean isReduced(File file) {
    byte[] magic = new byte[4];
    try (java.io.FileInputStream in = new java.io.FileInputStream(file)) {
      return in.read(magic) == 4
          && io.hdrf.block.BlockHeader.hasMagic(java.nio.ByteBuffer.wrap(magic));
    } catch (java.io.FileNotFoundException e) {
      return false;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  public static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited a minute for " + what);
      }
      Thread.sleep(20);
    }
  }

  public void write(String path, byte[] data, int replication) throws IOException {
    try (FSDataOutputStream out =
        fs().create(new org.apache.hadoop.fs.Path(path), (short) replication)) {
      out.write(data);
    }
  }

  public byte[] read(String path) throws IOException {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(path);
    byte[] data = new byte[(int) fs().getFileStatus(file).getLen()];
    try (FSDataInputStream in = fs().open(file)) {
      in.readFully(data);
    }
    return data;
  }

  /** Text-like bytes that compress to about a third. */
  public static byte[] text(int length, long seed) {
    Random random = new Random(seed);
    byte[] data = new byte[length];
    int position = 0;
    byte[][] words = new byte[256][];
    for (int i = 0; i < words.length; i++) {
      words[i] = new byte[3 + random.nextInt(9)];
      for (int j = 0; j < words[i].length; j++) {
        words[i][j] = (byte) ('a' + random.nextInt(26));
      }
    }
    while (position < length) {
      byte[] word = words[random.nextInt(random.nextInt(words.length) + 1)];
      int count = Math.min(word.length, length - position);
      System.arraycopy(word, 0, data, position, count);
      position += count;
      if (position < length) {
        data[position++] = random.nextInt(12) == 0 ? (byte) '\n' : (byte) ' ';
      }
    }
    return data;
  }

  public static byte[] noise(int length, long seed) {
    byte[] data = new byte[length];
    new Random(seed).nextBytes(data);
    return data;
  }

  @Override
  public void close() {
    cluster.shutdown(true);
  }
}
