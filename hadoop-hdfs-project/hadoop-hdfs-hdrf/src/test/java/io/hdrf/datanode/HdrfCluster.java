/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.block.FrameDigest;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.LiveFiles;
import io.hdrf.io.TestBytes;
import io.hdrf.reduce.SkipReason;
import io.hdrf.scheme.PluginJars;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.client.impl.BlockReaderTestUtil;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.StartupOption;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;

/** A MiniDFSCluster whose DataNodes run HDRF: its files, their replicas and its volumes. */
public final class HdrfCluster implements AutoCloseable {

  static final int BLOCK_SIZE = 1 << 20;

  /** Of the JVMs that run at the same time each has its own, below 40. */
  private static final int FORK = Integer.parseInt(System.getProperty("hdrf.test.fork", "0"));

  /** The ports of a JVM. */
  private static final int RANGE = 250;

  /** The next port to try. JVMs of other runs hardly begin at the same one. */
  private static final AtomicInteger PORTS =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(RANGE));

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
    // A copy that was not made, as by a DataNode that was just coming up, is asked for again soon.
    conf.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 30);
    conf.setInt("hdrf.reduce.scan.interval", 1);
    conf.setInt("hdrf.reduce.delay", 0);
    // The NameNode hears of the last replica a moment after the client asks whether a file is
    // closed.
    conf.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 20);
    conf.setInt("dfs.client.block.write.locateFollowingBlock.retries", 10);
    // The first answer of a JVM loads its classes.
    conf.setInt("hdrf.mirror.probe.timeout", 60_000);
    conf.setLong("fs.du.interval", 3_600_000);
    return conf;
  }

  /** The same configuration with Hadoop's own storage. */
  public static Configuration stockConfiguration() {
    Configuration conf = configuration();
    conf.unset(FACTORY_KEY);
    return conf;
  }

  /** A new plug-in directory with the jar of lz4 and one with these schemes, of one package. */
  @SafeVarargs
  @SuppressWarnings("varargs") // the array is only read
  static Path plugins(Class<? extends ReductionScheme>... schemes) throws IOException {
    Path plugins = Files.createTempDirectory(testData(), "plugins");
    try (Stream<Path> jars = Files.list(Paths.get(System.getProperty("hdrf.test.plugins")))) {
      for (Path jar : jars.toList()) {
        Files.copy(jar, plugins.resolve(jar.getFileName()));
      }
    }
    if (schemes.length > 0) {
      PluginJars.of(plugins, schemes);
    }
    return plugins;
  }

  static Configuration configuration(Path plugins, String chain) {
    Configuration conf = configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, plugins.toString());
    conf.set(HdrfKeys.SCHEMES, chain);
    return conf;
  }

  static Path testData() throws IOException {
    Path target = Paths.get(System.getProperty("test.build.data", "target/test-data"));
    return Files.createDirectories(target);
  }

  /** Starts a cluster in a directory of its own. */
  public static HdrfCluster start(Configuration conf, int datanodes) throws IOException {
    return start(conf, datanodes, 1);
  }

  public static HdrfCluster start(Configuration conf, int datanodes, int volumes)
      throws IOException {
    return start(conf, builder -> builder.numDataNodes(datanodes).storagesPerDatanode(volumes));
  }

  static HdrfCluster start(Configuration conf, Consumer<MiniDFSCluster.Builder> shape)
      throws IOException {
    File directory = Files.createTempDirectory(testData(), "cluster").toFile();
    return new HdrfCluster(directory, build(directory, conf, shape), conf);
  }

  private static MiniDFSCluster build(
      File directory, Configuration conf, Consumer<MiniDFSCluster.Builder> shape)
      throws IOException {
    MiniDFSCluster.Builder builder =
        new MiniDFSCluster.Builder(conf, directory)
            .checkDataNodeHostConfig(true)
            .nameNodePort(freePort())
            .nameNodeHttpPort(freePort());
    shape.accept(builder);
    MiniDFSCluster cluster = builder.build();
    cluster.waitActive();
    return cluster;
  }

  /**
   * Returns a free port for a daemon that begins to listen later, or again after a restart. It is
   * below Linux's range for outgoing connections and for whoever asks for any port, and below the
   * range of clusters of processes. No two calls return the same port, unless 250 were tried
   * between them.
   */
  public static int freePort() {
    for (int tries = 0; tries < RANGE; tries++) {
      int port = 10_000 + RANGE * FORK + Math.floorMod(PORTS.getAndIncrement(), RANGE);
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return port;
      } catch (IOException e) {
        continue; // somebody has it
      }
    }
    throw new IllegalStateException("no port is free");
  }

  /** Stops everything and starts it again on the same storage with another configuration. */
  public void restartAs(Configuration newConf) throws IOException {
    restartAs(newConf, () -> {});
  }

  /** An action while nothing runs. */
  interface Interlude {
    void run() throws IOException;
  }

  void restartAs(Configuration newConf, Interlude whileDown) throws IOException {
    restartAs(newConf, whileDown, builder -> {});
  }

  /** Starts the NameNode so that it takes the files of an earlier line of Hadoop. */
  void restartUpgraded(Configuration newConf, Interlude whileDown) throws IOException {
    StartupOption started = StartupOption.ROLLINGUPGRADE;
    started.setRollingUpgradeStartupOption("started");
    restartAs(newConf, whileDown, builder -> builder.startupOption(started));
  }

  /** Starts the NameNode with an option. */
  void restartAs(Configuration newConf, StartupOption option) throws IOException {
    restartAs(newConf, () -> {}, builder -> builder.startupOption(option));
  }

  private void restartAs(
      Configuration newConf, Interlude whileDown, Consumer<MiniDFSCluster.Builder> how)
      throws IOException {
    int datanodes = cluster.getDataNodes().size();
    int volumes = cluster.getStoragesPerDatanode();
    cluster.shutdown();
    whileDown.run();
    conf = newConf;
    conf.unset(MiniDFSCluster.HDFS_MINIDFS_BASEDIR);
    cluster =
        build(
            directory,
            conf,
            builder -> {
              builder.numDataNodes(datanodes).storagesPerDatanode(volumes).format(false);
              how.accept(builder);
            });
  }

  public MiniDFSCluster mini() {
    return cluster;
  }

  /** Stops and starts the DataNode, which then is the last of the list. */
  void restart(int index) throws IOException {
    restart(cluster.stopDataNode(index));
  }

  /** Restarts all DataNodes, as {@link MiniDFSCluster#restartDataNodes} does. */
  void restartDataNodes() throws IOException {
    for (int i = cluster.getDataNodes().size() - 1; i >= 0; i--) {
      restart(i);
    }
  }

  /**
   * Starts a stopped DataNode on its ports, or on others if one has been taken: they are in the
   * range out of which the kernel serves the outgoing connections of every process.
   */
  void restart(DataNodeProperties stopped) throws IOException {
    try {
      cluster.restartDataNode(stopped, true);
    } catch (BindException e) {
      Configuration conf = confOf(stopped);
      conf.set(DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY, "127.0.0.1:0");
      conf.set(DFSConfigKeys.DFS_DATANODE_IPC_ADDRESS_KEY, "127.0.0.1:0");
      cluster.restartDataNode(stopped, false);
    }
  }

  /**
   * Rolls an open rolling upgrade back on the only NameNode, while DataNodes go on running, and has
   * it answer them. Before, it goes on to later transactions than those of the upgrade: for answers
   * with earlier ones stock code has an assertion.
   */
  void rollBackNameNode() throws Exception {
    for (DataNode datanode : cluster.getDataNodes()) {
      DataNodeTestUtils.setHeartbeatsDisabledForTests(datanode, true);
    }
    long before = transaction();
    cluster.shutdownNameNodes();
    cluster.restartNameNode(0, false, "-rollingupgrade", "rollback");
    assertThat(transaction()).isLessThan(before);
    cluster.getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_LEAVE, false);
    for (int i = 0; transaction() <= before; i++) {
      cluster.getNameNodeRpc().mkdirs("/later" + i, FsPermission.getDirDefault(), false);
    }
    for (DataNode datanode : cluster.getDataNodes()) {
      DataNodeTestUtils.setHeartbeatsDisabledForTests(datanode, false);
    }
    cluster.waitActive();
    cluster.triggerHeartbeats();
  }

  private long transaction() {
    return cluster.getNamesystem().getFSImage().getLastAppliedOrWrittenTxId();
  }

  /** Returns the configuration with which a stopped DataNode starts again. */
  static Configuration confOf(DataNodeProperties stopped) {
    try {
      Field field = DataNodeProperties.class.getDeclaredField("conf");
      field.setAccessible(true);
      return (Configuration) field.get(stopped);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  public Configuration conf() {
    return conf;
  }

  /** Returns a client, of two NameNodes one that goes to the active one. */
  public DistributedFileSystem fs() throws IOException {
    if (cluster.getNumNameNodes() == 1) {
      return cluster.getFileSystem();
    }
    try {
      return HATestUtil.configureFailoverFs(cluster, conf);
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  String pool() {
    return cluster.getNamesystem(0).getBlockPoolId();
  }

  DataNode datanode(int index) {
    return cluster.getDataNodes().get(index);
  }

  FsDatasetSpi<?> dataset(int index) {
    return datanode(index).getFSDataset();
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

  /**
   * Has the scan of a DataNode look at all blocks three times, and waits until the Reducer has done
   * what it found.
   */
  void letTheScanLook(int datanode) throws InterruptedException {
    HdrfService service = service(datanode);
    // The first round that ends may have begun before.
    for (int round = 0; round < 4; round++) {
      long before = service.fullScanRounds();
      service.changes().wakeScan();
      await("a round of the scan", () -> service.fullScanRounds() > before);
      awaitReduced();
    }
  }

  /** Like the other one, in a cluster with some stock DataNodes. */
  void awaitReducedWhereHdrf() throws InterruptedException {
    for (DataNode datanode : cluster.getDataNodes()) {
      if (MirrorCounts.hasHdrf(datanode)) {
        HdrfService service = HdrfDatasets.service(datanode);
        await("the Reducer to be idle", () -> service.pending() == 0);
      }
    }
  }

  /**
   * Waits until the file's blocks are reduced on all their DataNodes, and counted; none may be too
   * short for it.
   */
  public void awaitReduced(String path) throws Exception {
    await("all blocks of " + path + " to be reduced", () -> plainReplicas(path).isEmpty());
    awaitReducedWhereHdrf();
  }

  void awaitReduced(int datanode, ExtendedBlock block) throws InterruptedException {
    await(block + " to be reduced", () -> isReduced(datanode, block));
    awaitReduced();
  }

  /** The replicas of a file that are plain. */
  public List<File> plainReplicas(String path) {
    List<File> plain = new ArrayList<>();
    for (File file : replicas(path)) {
      if (!BlockFiles.isReduced(file)) {
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

  /** A file's first block. */
  ExtendedBlock block(String path) throws IOException {
    return blocks(path).get(0).getBlock();
  }

  /** The replica as the DataNode has it, or null. */
  @SuppressWarnings("deprecation")
  ReplicaInfo replica(int datanode, ExtendedBlock block) {
    return (ReplicaInfo) dataset(datanode).getReplica(block.getBlockPoolId(), block.getBlockId());
  }

  /** The file of a replica. */
  File file(int datanode, ExtendedBlock block) {
    return new File(replica(datanode, block).getBlockURI());
  }

  boolean isReduced(int datanode, ExtendedBlock block) {
    ReplicaInfo replica = replica(datanode, block);
    return replica != null && BlockFiles.isReduced(new File(replica.getBlockURI()));
  }

  /**
   * Offers a block to a DataNode's Reducer twice, and waits until it declined it both times because
   * an upgrade is or may be open. Scans offer nothing then.
   */
  void assertRests(int datanode, ExtendedBlock block) throws InterruptedException {
    HdrfService service = service(datanode);
    for (int look = 0; look < 2; look++) {
      long skipped = service.counters().skippedFor(SkipReason.UPGRADE);
      service.reducer().offer(new BlockRef(block.getBlockPoolId(), block.getBlockId()));
      await(
          "a look at the block",
          () ->
              service.counters().skippedFor(SkipReason.UPGRADE) > skipped
                  || isReduced(datanode, block));
    }
    assertThat(isReduced(datanode, block)).isFalse();
  }

  /** All bytes of a replica, as the DataNode would send them. */
  byte[] replicaBytes(int datanode, ExtendedBlock block) throws IOException {
    try (InputStream in = dataset(datanode).getBlockInputStream(block, 0)) {
      return in.readAllBytes();
    }
  }

  List<FsVolumeImpl> volumes(int datanode) throws IOException {
    List<FsVolumeImpl> found = new ArrayList<>();
    try (FsDatasetSpi.FsVolumeReferences references = dataset(datanode).getFsVolumeReferences()) {
      for (FsVolumeSpi volume : references) {
        found.add((FsVolumeImpl) volume);
      }
    }
    return found;
  }

  FsVolumeImpl volume(int datanode, ExtendedBlock block) {
    return (FsVolumeImpl) replica(datanode, block).getVolume();
  }

  static Path poolDirectory(FsVolumeSpi volume, String pool) {
    return new File(volume.getBaseURI()).toPath().resolve("current").resolve(pool);
  }

  Path hdrfDirectory(FsVolumeSpi volume) {
    return poolDirectory(volume, pool()).resolve("hdrf");
  }

  /** Returns du's sum for the volume's finalized blocks, without rounding. */
  long physicalBytes(FsVolumeSpi volume) throws IOException {
    Path finalized = poolDirectory(volume, pool()).resolve("current").resolve("finalized");
    long sum = 0;
    for (Path file : LiveFiles.below(finalized)) {
      sum += Files.isRegularFile(file) ? BlockFiles.physicalLength(file.toFile()) : 0;
    }
    return sum;
  }

  /** Reads a file, and each of its replicas on its own DataNode, and compares. */
  public void assertContent(String path, byte[] expected) throws IOException {
    TestBytes.assertSame(path, read(path), expected);
    for (LocatedBlock located : blocks(path)) {
      ExtendedBlock block = located.getBlock();
      int from = (int) located.getStartOffset();
      byte[] part = Arrays.copyOfRange(expected, from, from + (int) block.getNumBytes());
      for (DataNode datanode : cluster.getDataNodes()) {
        if (datanode.getFSDataset().isValidBlock(block)) {
          try (InputStream in = datanode.getFSDataset().getBlockInputStream(block, 0)) {
            TestBytes.assertSame(path + " " + block + " on " + datanode, in.readAllBytes(), part);
          }
        }
      }
    }
  }

  /**
   * Reads the flushed part of a file that is still being written from each DataNode.
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
      TestBytes.assertSame(path + " on " + datanode, found, expected);
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
    try (FsDatasetSpi.FsVolumeReferences volumes =
        cluster.getDataNodes().get(datanode).getFSDataset().getFsVolumeReferences()) {
      long bytes = 0;
      for (FsVolumeSpi volume : volumes) {
        for (Path file : LiveFiles.below(Path.of(volume.getBaseURI()))) {
          boolean counts = file.toString().contains(part) && Files.isRegularFile(file);
          bytes += counts ? file.toFile().length() : 0;
        }
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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

  /** Recovers the lease of a failed writer. */
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

  public static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + 180_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited three minutes for " + what);
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

  @Override
  public void close() {
    cluster.shutdown(true);
  }
}
