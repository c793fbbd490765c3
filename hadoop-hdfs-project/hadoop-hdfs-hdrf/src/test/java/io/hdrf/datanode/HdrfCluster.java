/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.block.FrameDigest;
import io.hdrf.block.ReducedBlock;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.spi.io.ChannelFile;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.client.impl.BlockReaderTestUtil;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;

/** A MiniDFSCluster whose DataNodes run HDRF, and what tests ask of it. */
public final class HdrfCluster implements AutoCloseable {

  static final int BLOCK_SIZE = 1 << 20;

  private static final String FACTORY_KEY = "dfs.datanode.fsdataset.factory";

  private final File directory;
  private MiniDFSCluster cluster;
  private Configuration conf;

  private HdrfCluster(File directory, MiniDFSCluster cluster, Configuration conf) {
    this.directory = directory;
    this.cluster = cluster;
    this.conf = conf;
  }

  /**
   * A configuration with small blocks, the chain lz4 (or that of {@code -Dhdrf.test.chain}), and a
   * Reducer that wakes often.
   */
  public static Configuration configuration() {
    Configuration conf = new HdfsConfiguration();
    conf.set(
        FACTORY_KEY, "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasetFactory");
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins"));
    conf.set(HdrfKeys.SCHEMES, System.getProperty("hdrf.test.chain", "lz4"));
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK_SIZE);
    conf.setLong(DFSConfigKeys.DFS_NAMENODE_MIN_BLOCK_SIZE_KEY, 0);
    conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 1);
    // With few DataNodes, one that has just served more than the others would get no replica.
    conf.setBoolean(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_CONSIDERLOAD_KEY, false);
    conf.setInt("hdrf.reduce.scan.interval", 1);
    conf.setInt("hdrf.reduce.delay", 0);
    conf.setLong("fs.du.interval", 3_600_000);
    return conf;
  }

  /** The same configuration with Hadoop's own storage. */
  public static Configuration stockConfiguration() {
    Configuration conf = configuration();
    conf.unset(FACTORY_KEY);
    return conf;
  }

  private static Path testData() throws IOException {
    Path target = Paths.get(System.getProperty("test.build.data", "target/test-data"));
    return Files.createDirectories(target);
  }

  /** Starts a cluster in a directory of its own. */
  public static HdrfCluster start(Configuration conf, int datanodes) throws IOException {
    return start(conf, datanodes, 1);
  }

  public static HdrfCluster start(Configuration conf, int datanodes, int volumes)
      throws IOException {
    File directory = Files.createTempDirectory(testData(), "cluster").toFile();
    MiniDFSCluster cluster = build(directory, conf, datanodes, volumes, true);
    return new HdrfCluster(directory, cluster, conf);
  }

  private static MiniDFSCluster build(
      File directory, Configuration conf, int datanodes, int volumes, boolean format)
      throws IOException {
    MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(conf, directory)
            .numDataNodes(datanodes)
            .storagesPerDatanode(volumes)
            .checkDataNodeHostConfig(true)
            .format(format)
            .build();
    cluster.waitActive();
    return cluster;
  }

  /** Stops everything and starts it again on the same storage with another configuration. */
  public void restartAs(Configuration newConf) throws IOException {
    restartAs(newConf, () -> {});
  }

  /** What is done while nothing runs. */
  interface Interlude {
    void run() throws IOException;
  }

  void restartAs(Configuration newConf, Interlude whileDown) throws IOException {
    int datanodes = cluster.getDataNodes().size();
    int volumes = cluster.getStoragesPerDatanode();
    cluster.shutdown();
    whileDown.run();
    conf = newConf;
    conf.unset(MiniDFSCluster.HDFS_MINIDFS_BASEDIR);
    cluster = build(directory, conf, datanodes, volumes, false);
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

  /** As the other one, in a cluster of which some DataNodes are stock. */
  void awaitReducedWhereHdrf() throws InterruptedException {
    for (DataNode datanode : cluster.getDataNodes()) {
      if (MirrorCounts.hasHdrf(datanode)) {
        HdrfService service = HdrfDatasets.service(datanode);
        await("the Reducer to be idle", () -> service.pending() == 0);
      }
    }
  }

  /**
   * Waits until the file's blocks are reduced on all their DataNodes; none may be too short for it.
   */
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
      for (LocatedBlock located : blocks(path)) {
        ExtendedBlock block = located.getBlock();
        for (DataNode datanode : cluster.getDataNodes()) {
          addReplicas(datanode, block, files);
        }
      }
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** By the DataNodes' own directories: their numbers change when one is stopped. */
  private static void addReplicas(DataNode datanode, ExtendedBlock block, List<File> files)
      throws IOException {
    try (FsDatasetSpi.FsVolumeReferences volumes =
        datanode.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        File file = MiniDFSCluster.getBlockFile(new File(volume.getBaseURI()), block);
        if (file.exists()) {
          files.add(file);
        }
      }
    }
  }

  /** The length of a replica's file, or what a reduced one takes of it. */
  public static long physicalLength(File replica) throws IOException {
    if (!isReduced(replica)) {
      return replica.length();
    }
    Path path = replica.toPath();
    try (ReducedBlock block = ReducedBlock.openUntrusted(path, ChannelFile.open(path))) {
      return block.physicalLength();
    }
  }

  /**
   * Waits until a file's blocks have so many replicas each, on disk and as the NameNode sees it.
   */
  public void awaitReplication(String path, int replication) throws Exception {
    await(
        path + " to have " + replication + " replicas",
        () -> {
          try {
            int blocks = 0;
            for (LocatedBlock located : blocks(path)) {
              if (located.getLocations().length != replication) {
                return false;
              }
              blocks++;
            }
            return replicas(path).size() == blocks * replication;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  public List<LocatedBlock> blocks(String path) throws IOException {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(path);
    return fs().getFileStatus(file).getLen() == 0
        ? List.of()
        : DFSTestUtil.getAllBlocks(fs(), file);
  }

  /** Reads a file, and each of its replicas on its own DataNode, and compares. */
  public void assertContent(String path, byte[] expected) throws IOException {
    assertSame(path, read(path), expected);
    for (LocatedBlock located : blocks(path)) {
      ExtendedBlock block = located.getBlock();
      int from = (int) located.getStartOffset();
      byte[] part = Arrays.copyOfRange(expected, from, from + (int) block.getNumBytes());
      for (DataNode datanode : cluster.getDataNodes()) {
        if (datanode.getFSDataset().isValidBlock(block)) {
          try (InputStream in = datanode.getFSDataset().getBlockInputStream(block, 0)) {
            assertSame(path + " " + block + " on " + datanode, in.readAllBytes(), part);
          }
        }
      }
    }
  }

  /**
   * Asks each DataNode for what was flushed of a file that is still written to, as a reader would.
   *
   * @param data of the only block, and what may follow
   * @param flushed how many bytes were flushed
   */
  void assertFlushed(String path, byte[] data, int flushed) throws IOException {
    LocatedBlock block;
    try (FSDataInputStream in = fs().open(new org.apache.hadoop.fs.Path(path))) {
      block = DFSTestUtil.getAllBlocks(in).get(0);
    }
    byte[] expected = Arrays.copyOf(data, flushed);
    for (DataNode datanode : cluster.getDataNodes()) {
      LocatedBlock one =
          new LocatedBlock(block.getBlock(), new DatanodeInfo[] {location(block, datanode)});
      one.setBlockToken(block.getBlockToken());
      byte[] found = new byte[flushed];
      BlockReader reader = BlockReaderTestUtil.getBlockReader(fs(), one, 0, flushed);
      try {
        reader.readFully(found, 0, flushed);
      } finally {
        reader.close();
      }
      assertSame(path + " on " + datanode, found, expected);
    }
  }

  private static DatanodeInfo location(LocatedBlock block, DataNode datanode) {
    for (DatanodeInfo location : block.getLocations()) {
      if (location.getDatanodeUuid().equals(datanode.getDatanodeUuid())) {
        return location;
      }
    }
    throw new AssertionError(block + " is not on " + datanode);
  }

  /** Every replica of a file's blocks is made of the same stored frames. */
  void assertSameFrames(String path, int replication) throws IOException {
    for (LocatedBlock located : blocks(path)) {
      List<File> files = new ArrayList<>();
      for (DataNode datanode : cluster.getDataNodes()) {
        addReplicas(datanode, located.getBlock(), files);
      }
      List<String> digests = new ArrayList<>();
      for (File file : files) {
        digests.add(FrameDigest.of(file.toPath()));
      }
      if (digests.size() != replication || digests.stream().distinct().count() != 1) {
        throw new AssertionError(located + " has frames with these digests: " + digests);
      }
    }
  }

  /** Fails with the place of the first difference. */
  public static void assertSame(String what, byte[] found, byte[] expected) {
    int difference = Arrays.mismatch(found, expected);
    if (difference >= 0) {
      throw new AssertionError(
          what
              + " differs from byte "
              + difference
              + " on; it has "
              + found.length
              + " bytes, expected are "
              + expected.length);
    }
  }

  /** How many bytes a DataNode says that it uses. */
  public long used(int datanode) {
    try {
      return cluster.getDataNodes().get(datanode).getFSDataset().getDfsUsed();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Bytes of a DataNode's files whose paths contain {@code part}. */
  public long lengths(int datanode, String part) {
    while (true) {
      try (FsDatasetSpi.FsVolumeReferences volumes =
          cluster.getDataNodes().get(datanode).getFSDataset().getFsVolumeReferences()) {
        long bytes = 0;
        for (FsVolumeSpi volume : volumes) {
          bytes += lengths(Path.of(volume.getBaseURI()), part);
        }
        return bytes;
      } catch (UncheckedIOException e) {
        if (!(e.getCause() instanceof NoSuchFileException)) {
          throw e;
        }
        // A file went while they were listed.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static long lengths(Path volume, String part) throws IOException {
    try (Stream<Path> files = Files.walk(volume)) {
      return files
          .filter(file -> file.toString().contains(part))
          .mapToLong(file -> file.toFile().isFile() ? file.toFile().length() : 0)
          .sum();
    }
  }

  /** Waits until the NameNode has closed a file, after a truncation or a writer that failed. */
  public void awaitClosed(String path) throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(path);
    await(
        path + " to be closed",
        () -> {
          try {
            return fs().isFileClosed(file);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Has the lease of a writer that failed recovered. */
  public void recoverLease(String path) throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(path);
    await(
        "the lease of " + path + " to be recovered",
        () -> {
          try {
            return fs().recoverLease(file);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  public void append(String path, byte[] data) throws IOException {
    try (FSDataOutputStream out = fs().append(new org.apache.hadoop.fs.Path(path))) {
      out.write(data);
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
      throw new UncheckedIOException(e);
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
    try (FSDataInputStream in = fs().open(new org.apache.hadoop.fs.Path(path))) {
      return in.readAllBytes();
    }
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
